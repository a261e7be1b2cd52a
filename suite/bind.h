// A call bound to the spec of its operation: which argument is which
// parameter, what every symbol stands for, which promise the call breaks.
#ifndef ASSAY_SUITE_BIND_H_
#define ASSAY_SUITE_BIND_H_

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "suite/spec.h"

namespace assay {

struct TensorArg {
  TensorType type;
  // Elements, where known: requirements may read them. Not owned.
  const Tensor* value = nullptr;
  ValueRef ref;  // which value of the program, for the caller's use
};

using Actual =
    std::variant<None, bool, std::int64_t, double, DType, std::string, Shape,
                 TensorArg, std::vector<TensorArg>>;

// What a static expression evaluates to. Shapes, index packs and integer
// lists are all Shape.
using StaticValue =
    std::variant<None, bool, std::int64_t, double, DType, std::string, Shape>;

struct Binding {
  const OpSpec* spec = nullptr;
  std::map<std::string, Actual> actuals;
  // Dtype symbols (DType), dimension symbols (int64), packs (Shape). Dimension
  // symbols appear once a form has been selected.
  std::map<std::string, StaticValue> symbols;
  const Form* form = nullptr;

  const TensorArg* tensor(const std::string& param) const;  // or null
};

// Matches arguments to parameters by position and name, as a Python call
// does. `types` gives type and (where known) elements of each program value.
// An error is a call that the schema itself refuses.
Result<Binding> bind_call(const OpSpec& spec, const Node& call,
                          const std::map<int, TensorArg>& values);

// Evaluates a static expression. `indices` holds index variables (int64) and
// index packs (Shape) in scope.
Result<StaticValue> evaluate_static(
    const Expr& e, const Binding& b,
    const std::map<std::string, StaticValue>& indices = {});

// The first requirement that does not hold, null if all hold. An error is a
// requirement that cannot be evaluated though all before it hold (spec bug, or
// elements that are not known).
Result<const Requirement*> first_violation(const Binding& b);

// Chooses the form and binds dimension symbols from the operands' shapes.
// Call only when no requirement is violated; an error is a spec whose
// requirements do not imply its shapes.
Status select_form(Binding* b);

// dtype and sizes of an output. Requires a selected form.
Result<TensorType> infer_result(const Binding& b, std::size_t output = 0);
// Of output `output` (from 1) of a call whose first output is `first`: `b` with
// that one in scope under its name, and the output's own type.
Result<TensorType> bind_further(std::size_t output, TensorArg first,
                                Binding* b);

// PyTorch's result type: of tensors with dimensions, 0-d tensors and Python
// numbers, the highest category decides, and within it that order. Nothing
// where PyTorch has none: between an 8-bit float and another dtype, and between
// u16, u32 or u64 and another dtype that is no float.
struct PromotionOperand {
  enum class Rank { dimensioned, zero_dim, number };
  DType dtype;  // of a number: boolean, i64 or f32 (its category's default)
  Rank rank;
};
std::optional<DType> promote_types(DType a, DType b);
std::optional<DType> promote(const std::vector<PromotionOperand>& operands);

}  // namespace assay

#endif  // ASSAY_SUITE_BIND_H_
