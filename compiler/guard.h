// Guards: the error contract of the bundled compiler, worked out from the
// program before anything is rewritten and kept outside of the body.
#ifndef ASSAY_COMPILER_GUARD_H_
#define ASSAY_COMPILER_GUARD_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/call.h"

namespace assay::compiler {

struct Refusal {
  std::string exception;  // Python class name
  std::string clause;     // "bmm/E4"
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

enum class GuardKind { structure, element_type };

// Collects the requirements of one call, in the spec's order.
class Guards {
 public:
  // `ignore_types`: requirements on element types, and those that look at
  // values, always hold (defect skip-guard).
  Guards(std::string spec, bool ignore_types)
      : spec_(std::move(spec)), ignore_types_(ignore_types) {}

  // Each returns whether the requirement holds, so that a guard function is
  // one chain of && in which later predicates may rely on earlier ones.
  bool shape(const char* clause, bool holds, std::string message,
             const char* exception = "RuntimeError");
  bool types(const char* clause, bool holds, std::string message,
             const char* exception = "RuntimeError");
  bool range(const char* clause, NodeId index, std::int64_t limit,
             std::string message);

  const std::optional<Refusal>& refusal() const { return refusal_; }
  std::vector<RangeGuard>& range_guards() { return range_guards_; }

 private:
  Refusal refuse(const char* clause, const char* exception,
                 std::string message) const;
  std::string spec_;
  bool ignore_types_;
  std::optional<Refusal> refusal_;
  std::vector<RangeGuard> range_guards_;
};

// The row-major position of the first element out of range, or -1.
std::int64_t first_out_of_range(const Tensor& index, std::int64_t limit);

// One function per operation or family, named in the lowering table.
using GuardFn = bool (*)(const Call&, Guards&);

bool guard_none(const Call& c, Guards& g);
bool guard_broadcast(const Call& c, Guards& g);
bool guard_add(const Call& c, Guards& g);
bool guard_sub(const Call& c, Guards& g);
bool guard_no_bool(const Call& c, Guards& g);         // neg relu relu6
bool guard_no_bool_kernel(const Call& c, Guards& g);  // abs ceil floor
bool guard_float(const Call& c, Guards& g);           // most activations
bool guard_gelu(const Call& c, Guards& g);
bool guard_celu(const Call& c, Guards& g);
bool guard_clamp(const Call& c, Guards& g);
bool guard_where(const Call& c, Guards& g);

bool guard_sum_dim(const Call& c, Guards& g);
bool guard_mean(const Call& c, Guards& g);
bool guard_mean_dim(const Call& c, Guards& g);
bool guard_amax(const Call& c, Guards& g);
bool guard_softmax(const Call& c, Guards& g);

bool guard_mm(const Call& c, Guards& g);
bool guard_bmm(const Call& c, Guards& g);
bool guard_matmul(const Call& c, Guards& g);
bool guard_addmm(const Call& c, Guards& g);
bool guard_baddbmm(const Call& c, Guards& g);
bool guard_linear(const Call& c, Guards& g);

bool guard_embedding(const Call& c, Guards& g);
bool guard_conv2d(const Call& c, Guards& g);
bool guard_convolution(const Call& c, Guards& g);
bool guard_batch_norm(const Call& c, Guards& g);
bool guard_adaptive_avg_pool2d(const Call& c, Guards& g);

bool guard_reshape(const Call& c, Guards& g);
bool guard_permute(const Call& c, Guards& g);
bool guard_transpose(const Call& c, Guards& g);
bool guard_expand(const Call& c, Guards& g);
bool guard_flatten(const Call& c, Guards& g);
bool guard_select(const Call& c, Guards& g);
bool guard_slice(const Call& c, Guards& g);
bool guard_cat(const Call& c, Guards& g);

// -max(rank, 1) <= d < max(rank, 1)
bool dim_in_range(std::int64_t d, std::int64_t rank);
// d counted from the front.
std::int64_t wrap_dim(std::int64_t d, std::int64_t rank);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GUARD_H_
