// The functions of static expressions, over operands rather than values.
#ifndef ASSAY_SUITE_STATIC_FUNCTIONS_H_
#define ASSAY_SUITE_STATIC_FUNCTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"
#include "suite/bind.h"

namespace assay {

// A static value, or a tensor (or list of tensors) of the call.
using Operand =
    std::variant<None, bool, std::int64_t, double, DType, std::string, Shape,
                 const TensorArg*, const std::vector<TensorArg>*>;

// Applies a function by name to evaluated arguments. `where`, `flat` and
// `given` are the evaluator's own.
Result<Operand> apply_static(std::string_view name,
                             const std::vector<Operand>& args);

// "the integer 3", "the shape [2, 3]": for messages.
std::string describe(const Operand& value);

}  // namespace assay

#endif  // ASSAY_SUITE_STATIC_FUNCTIONS_H_
