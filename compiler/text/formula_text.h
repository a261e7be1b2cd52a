// The C++ text of a formula, which is CUDA's too: one expression.
#ifndef ASSAY_COMPILER_TEXT_FORMULA_TEXT_H_
#define ASSAY_COMPILER_TEXT_FORMULA_TEXT_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/formula.h"
#include "compiler/text/size.h"

namespace assay::compiler {

struct FormulaText {
  std::string expression;           // of the result's dtype
  std::set<std::string_view> math;  // files of compiler/math that it needs
  std::set<DType> types;            // that it computes with
  // Whether an element is read on one of two paths, and which one it is hangs
  // on a choice itself, or narrows_float of a cast (loops.inc,
  // A_LOOP_OF_SCALARS).
  bool is_scalar = false;
  // Whether it reduces, in lanes that are one array for all points (loops.inc,
  // A_LOOP_OF_SUMS).
  bool has_fold = false;
};

// Variable n is called vN, of type a_i64; operand n is a pointer xN to its
// first element, with these sizes and strides, which `size` writes, given what
// they are.
FormulaText render(const Formula& formula,
                   const std::vector<Shape>& operand_sizes,
                   const std::vector<Shape>& operand_strides,
                   const WriteSize& size);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_FORMULA_TEXT_H_
