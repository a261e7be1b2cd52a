// Guards: the error contract of the bundled compiler, worked out from the
// program before anything is rewritten and kept outside of the body.
#ifndef ASSAY_COMPILER_OPS_GUARD_H_
#define ASSAY_COMPILER_OPS_GUARD_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"

namespace assay::compiler {

struct Refusal {
  std::string exception;  // Python class name
  std::string clause;     // "bmm/E4"; empty where no spec has it
  std::string message;
};

// Looks at a value when the program runs: every element of the integer tensor
// `index` must lie in [0, limit). The first that does not, in row-major
// order, refuses.
struct RangeGuard {
  NodeId index = 0;
  std::int64_t limit = 0;
  Refusal refusal;
};

// Collects the requirements of one call, in the spec's order.
class Guards {
 public:
  // `ignore_types`: requirements on element types, and those that look at
  // values, always hold (defect skip-guard).
  Guards(std::string_view spec, bool ignore_types)
      : spec_(spec), ignore_types_(ignore_types) {}

  // Each returns whether the requirement holds, so that a guard function is
  // one chain of && in which later predicates may rely on earlier ones.
  bool shape(const char* clause, bool holds, std::string message,
             const char* exception = "RuntimeError");
  bool types(const char* clause, bool holds, std::string message,
             const char* exception = "RuntimeError");
  bool range(const char* clause, NodeId index, std::int64_t limit,
             std::string message);

  const std::optional<Refusal>& refusal() const { return refusal_; }
  const std::vector<RangeGuard>& range_guards() const { return range_guards_; }
  // The clauses looked at so far.
  const std::vector<std::string>& asked() const { return asked_; }

 private:
  std::string clause_id(const char* clause);

  std::string_view spec_;
  bool ignore_types_;
  std::vector<std::string> asked_;
  std::optional<Refusal> refusal_;
  std::vector<RangeGuard> range_guards_;
};

// The row-major position of the first of the integers at `data`, of `type`,
// that is out of range, or -1.
std::int64_t first_out_of_range(const TensorType& type, const void* data,
                                std::int64_t limit);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_OPS_GUARD_H_
