// Which scalar operation of the graph a function of the language is.
#ifndef ASSAY_COMPILER_DERIVED_SCALARS_H_
#define ASSAY_COMPILER_DERIVED_SCALARS_H_

#include <optional>

#include "compiler/graph/scalar_op.h"
#include "suite/language/functions/functions.h"
#include "suite/language/functions/operators.h"
#include "suite/language/nest/nest.h"

namespace assay::compiler {

// Of a ValueNode or an IndexNode; nothing for what is no sum, difference,
// product, maximum or minimum.
template <class Op>
std::optional<ScalarOp> arithmetic_of(Op op) {
  switch (op) {
    case Op::add:
      return ScalarOp::add;
    case Op::sub:
      return ScalarOp::sub;
    case Op::mul:
      return ScalarOp::mul;
    case Op::max:
      return ScalarOp::maximum;
    case Op::min:
      return ScalarOp::minimum;
    default:
      return std::nullopt;
  }
}
// Nothing for what has no text of ours yet.
std::optional<ScalarOp> scalar_of(language::Elementary f);
// Of elements of the type.
ScalarOp nextafter_of(DType t);
// Of reals.
ScalarOp scalar_of(language::Binary f);
// Of an order that is the same everywhere, if it is. Throws Unsupported for
// Bessel functions of orders above 1.
ScalarOp special_of(language::SpecialFunction f, std::optional<double> order);
// Of whole numbers.
ScalarOp scalar_of(language::Bitwise f);
ScalarOp scalar_of(language::Comparison c);
// floor, ceil, trunc or round_even.
ScalarOp scalar_of(language::ValueNode::Op rounding);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_SCALARS_H_
