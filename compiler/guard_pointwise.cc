// Guards of element-wise operations (specs/ops of the same names).
#include <fmt/format.h>

#include "compiler/guard.h"

namespace assay::compiler {
namespace {

bool is_bool(const Call& c, std::size_t i) {
  return (c.is_tensor(i) ? c.dtype(i) : c.number_kind(i)) == DType::boolean;
}

Shape shape_of(const Call& c, std::size_t i) {
  return c.is_tensor(i) ? c.sizes(i) : Shape{};
}

std::string sizes_differ(const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const std::int64_t x = a[a.size() - i];
    const std::int64_t y = b[b.size() - i];
    if (x == y || x == 1 || y == 1) continue;
    return fmt::format(
        "The size of tensor a ({}) must match the size of tensor b ({}) at "
        "non-singleton dimension {}",
        x, y, std::max(a.size(), b.size()) - i);
  }
  return "";
}

bool broadcastable(const Shape& a, const Shape& b) {
  Shape unused;
  return broadcast_shapes(a, b, &unused);
}

bool broadcast(const Call& c, Guards& g, const char* clause) {
  const Shape a = shape_of(c, 0);
  const Shape b = shape_of(c, 1);
  return g.shape(clause, broadcastable(a, b), sizes_differ(a, b));
}

bool alpha_fits(const Call& c, Guards& g, const char* number,
                const char* boolean) {
  const DType result = c.promoted({0, 1});
  return g.types(number, c.number_kind(2) != DType::f32 || is_float(result),
                 "For integral input tensors, argument alpha must not be a "
                 "floating point number.") &&
         g.types(boolean,
                 c.number_kind(2) != DType::boolean || result == DType::boolean,
                 "Boolean alpha only supported for Boolean results.");
}

}  // namespace

bool guard_none(const Call&, Guards&) { return true; }

bool guard_broadcast(const Call& c, Guards& g) { return broadcast(c, g, "E1"); }

bool guard_add(const Call& c, Guards& g) {
  return alpha_fits(c, g, "E1", "E2") && broadcast(c, g, "E3");
}

bool guard_sub(const Call& c, Guards& g) {
  return g.types("E1", !is_bool(c, 0) && !is_bool(c, 1),
                 "Subtraction, the `-` operator, with a bool tensor is not "
                 "supported. If you are trying to invert a mask, use the `~` "
                 "or `logical_not()` operator instead.") &&
         alpha_fits(c, g, "E2", "E3") && broadcast(c, g, "E4");
}

bool guard_no_bool(const Call& c, Guards& g) {
  return g.types("E1", !is_bool(c, 0),
                 "Boolean inputs are not supported by this operation");
}

bool guard_no_bool_kernel(const Call& c, Guards& g) {
  return g.types("E1", !is_bool(c, 0), "not implemented for 'Bool'",
                 "NotImplementedError");
}

bool guard_float(const Call& c, Guards& g) {
  return g.types("E1", is_float(c.dtype(0)),
                 "implemented for floating-point types only",
                 "NotImplementedError");
}

bool guard_gelu(const Call& c, Guards& g) {
  const std::string& how = c.text(1);
  return g.shape("E1", how == "none" || how == "tanh",
                 "approximate argument must be either none or tanh.") &&
         g.types("E2", is_float(c.dtype(0)),
                 "gelu is implemented for floating-point types only",
                 "NotImplementedError");
}

bool guard_celu(const Call& c, Guards& g) {
  return g.shape("E1", c.number(1) != 0, "alpha cannot be 0 for CELU") &&
         g.types("E2", is_float(c.dtype(0)),
                 "celu is implemented for floating-point types only",
                 "NotImplementedError");
}

bool guard_clamp(const Call& c, Guards& g) {
  return g.shape("E1", c.given(1) || c.given(2),
                 "torch.clamp: At least one of 'min' or 'max' must not be "
                 "None") &&
         g.types("E2", c.promoted({0, 1, 2}) != DType::boolean,
                 "clamp is not implemented for 'Bool'", "NotImplementedError");
}

bool guard_where(const Call& c, Guards& g) {
  const DType condition = c.dtype(0);
  const Shape a = c.sizes(1);
  const Shape b = c.sizes(2);
  Shape both;
  return g.types("E1", condition == DType::boolean || condition == DType::u8,
                 "where expected condition to be a boolean tensor, but got a "
                 "tensor with dtype " +
                     std::string(dtype_name(condition))) &&
         g.shape("E2", broadcast_shapes(a, b, &both), sizes_differ(a, b)) &&
         g.shape("E3", broadcastable(c.sizes(0), both),
                 sizes_differ(c.sizes(0), both));
}

}  // namespace assay::compiler
