// What the families of element-wise operations share: parameters, guards, and
// the way through opmath.
#ifndef ASSAY_COMPILER_OPS_POINTWISE_H_
#define ASSAY_COMPILER_OPS_POINTWISE_H_

#include <initializer_list>
#include <optional>
#include <string>

#include "compiler/ops/operation.h"

namespace assay::compiler {

struct Unary : Arguments {
  Operand self = tensor("self");
};

// Two operands, each a tensor or a Python number.
struct Binary : Arguments {
  Operand self = tensor_or_number("self");
  Operand other = tensor_or_number("other");
};

struct TwoTensors : Arguments {
  Operand self = tensor("self");
  Operand other = tensor("other");
};

struct TensorAndNumber : Unary {
  Number other = number("other");
};

// Clause E1 of each: the shapes broadcast; self is not bool, refused as
// PyTorch's front end or as its kernels do; self is float.
bool can_broadcast(const Binary& a, Guards& g);
bool tensors_broadcast(const TwoTensors& a, Guards& g);
bool not_bool(const Unary& a, Guards& g);
bool kernel_not_bool(const Unary& a, Guards& g);
bool is_floating(const Unary& a, Guards& g);

// Clause `clause`: a tensor of that rank has dimension `d`.
bool dim_ok(Guards& g, const char* clause, std::int64_t d, std::int64_t rank);
// Clause `clause`: the two shapes broadcast.
bool broadcast(Guards& g, const char* clause, const Shape& a, const Shape& b);
// Clause `clause`: `t` is a float, which operation `name` requires.
bool floats_only(Guards& g, const char* clause, DType t, const char* name);
// Clause `clause`: `n` is a number of `t`, or of the type in which `t` is
// computed. It may round; an integer below zero wraps in u8.
bool converts(Guards& g, const char* clause, const Number& n, DType t);
// The same of bounds, each by its own clause. Integers need not reach one on
// its own side, and of floats a NaN makes all elements NaN, whatever the other
// is.
struct Bounds {
  const char* low_clause;
  std::optional<Number> low;
  const char* high_clause;
  std::optional<Number> high;
};
bool converts_bounds(Guards& g, const Bounds& bounds, DType t);

// The dtype of functions that give floats: f32 for integers and bool.
DType float_result(DType t);

// x converted to dtype `t`; and that converted to opmath(t).
NodeId converted(Builder& b, const Operand& x, DType t);
NodeId computed(Builder& b, const Operand& x, DType t);

// |size| with the sign of `sign`, both of one dtype.
NodeId with_sign(Builder& b, NodeId size, NodeId sign);

// `op` computed in opmath(t) on operands converted to `t`; the result in `t`,
// or in bool for a predicate.
NodeId pointwise(Builder& b, ScalarOp op, DType t,
                 std::initializer_list<Operand> operands);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_OPS_POINTWISE_H_
