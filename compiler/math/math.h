// The scalar math text, compiled for the host: what the interpreter calls.
// Kernels get the same files as text (math_text()).
#ifndef ASSAY_COMPILER_MATH_MATH_H_
#define ASSAY_COMPILER_MATH_MATH_H_

#include <string_view>

namespace assay::compiler {

namespace math {
#include "compiler/math/scalar_text.h"
}  // namespace math

// The text of NAME.inc of this folder, of f32/ or of compiler/loops/; nothing
// of another name.
std::string_view math_text(std::string_view name);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_MATH_MATH_H_
