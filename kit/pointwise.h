// The usual kinds of element-wise operations, as one line each:
//
//   {"aten.mul.Tensor", in_common_type<2>([](auto a, auto b) { return a * b;
//   })}
//
// The function is that of elementwise().
#ifndef ASSAY_KIT_POINTWISE_H_
#define ASSAY_KIT_POINTWISE_H_

#include "kit/elementwise.h"

namespace assay::kit {

// The type in which PyTorch divides and takes roots: integers and bool as f32.
inline DType float_type(DType t) { return is_float(t) ? t : DType::f32; }

// f of the first N operands in their common type, which is the result's.
template <std::size_t N, class F>
Operation in_common_type(F f) {
  return [f](const Call& call) {
    const auto operands = call.operands<N>();
    const DType type = promote(operands);
    return elementwise(operands, type, type, f);
  };
}

// The same where bool has no answer, which PyTorch refuses.
template <std::size_t N, class F>
Operation of_numbers(F f) {
  return [f](const Call& call) {
    const auto operands = call.operands<N>();
    const DType type = promote(operands);
    if (type == DType::boolean) {
      throw Raised{"RuntimeError", call.op() + " is not for bool"};
    }
    return elementwise(operands, type, type, f);
  };
}

// f in the float type of the operands.
template <std::size_t N, class F>
Operation in_float_type(F f) {
  return [f](const Call& call) {
    const auto operands = call.operands<N>();
    const DType type = float_type(promote(operands));
    return elementwise(operands, type, type, f);
  };
}

// A question to the operands in their common type: bool.
template <std::size_t N, class F>
Operation comparison(F f) {
  return [f](const Call& call) {
    const auto operands = call.operands<N>();
    return elementwise(operands, promote(operands), DType::boolean, f);
  };
}

// A question to a number as it is in f64: bool.
template <class F>
Operation predicate(F f) {
  return [f](const Call& call) {
    return elementwise(call.operands<1>(), DType::f64, DType::boolean, f);
  };
}

}  // namespace assay::kit

#endif  // ASSAY_KIT_POINTWISE_H_
