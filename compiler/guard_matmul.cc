// Guards of matrix products. bmm, matmul, baddbmm and linear look at element
// types only where there is something to multiply, as eager does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/guard.h"

namespace assay::compiler {
namespace {

bool same(const Call& c, std::size_t a, std::size_t b) {
  return c.dtype(a) == c.dtype(b);
}

bool any_empty(const Call& c, std::size_t a, std::size_t b) {
  return c.numel(a) == 0 || c.numel(b) == 0;
}

bool any_bool(const Call& c, std::size_t a, std::size_t b) {
  return c.dtype(a) == DType::boolean || c.dtype(b) == DType::boolean;
}

std::string types_differ(const Call& c, std::size_t a, std::size_t b) {
  return fmt::format("expected operands of one dtype, but got {} and {}",
                     dtype_name(c.dtype(a)), dtype_name(c.dtype(b)));
}

std::string shapes_differ(const Call& c, std::size_t a, std::size_t b) {
  return fmt::format("shapes cannot be multiplied ([{}] and [{}])",
                     fmt::join(c.sizes(a), ", "), fmt::join(c.sizes(b), ", "));
}

bool no_bool(const Call& c, Guards& g, const char* clause, std::size_t a,
             std::size_t b) {
  return g.shape(clause, !any_bool(c, a, b) || any_empty(c, a, b),
                 "not implemented for 'Bool'", "NotImplementedError");
}

// c broadcasts to `target` without widening it.
bool expandable(const Shape& from, const Shape& target) {
  Shape out;
  return from.size() <= target.size() && broadcast_shapes(from, target, &out) &&
         out == target;
}

Shape leading(const Shape& s) { return Shape(s.begin(), s.end() - 2); }

bool batches_fit(const Call& c) {
  if (c.rank(0) < 3 || c.rank(1) < 3) return true;
  Shape unused;
  return broadcast_shapes(leading(c.sizes(0)), leading(c.sizes(1)), &unused);
}

}  // namespace

bool guard_mm(const Call& c, Guards& g) {
  return g.shape("E1", c.rank(0) == 2, "self must be a matrix") &&
         g.shape("E2", c.rank(1) == 2, "mat2 must be a matrix") &&
         g.shape("E3", c.dim(0, 1) == c.dim(1, 0), shapes_differ(c, 0, 1)) &&
         g.types("E4", same(c, 0, 1), types_differ(c, 0, 1)) &&
         no_bool(c, g, "E5", 0, 1);
}

bool guard_bmm(const Call& c, Guards& g) {
  return g.shape("E1", c.rank(0) == 3, "batch1 must be a 3D tensor") &&
         g.shape("E2", c.rank(1) == 3, "batch2 must be a 3D tensor") &&
         g.shape("E3", c.dim(0, 0) == c.dim(1, 0) && c.dim(0, 2) == c.dim(1, 1),
                 shapes_differ(c, 0, 1)) &&
         g.types("E4", same(c, 0, 1) || any_empty(c, 0, 1),
                 types_differ(c, 0, 1)) &&
         no_bool(c, g, "E5", 0, 1);
}

bool guard_matmul(const Call& c, Guards& g) {
  return g.shape("E1", c.rank(0) >= 1 && c.rank(1) >= 1,
                 "both arguments to matmul need to be at least 1D") &&
         g.shape("E2", c.dim(0, -1) == c.dim(1, c.rank(1) == 1 ? 0 : -2),
                 shapes_differ(c, 0, 1)) &&
         g.shape("E3", batches_fit(c), shapes_differ(c, 0, 1)) &&
         g.types("E4", same(c, 0, 1) || any_empty(c, 0, 1),
                 types_differ(c, 0, 1)) &&
         no_bool(c, g, "E5", 0, 1);
}

bool guard_addmm(const Call& c, Guards& g) {
  return g.types("E1", same(c, 0, 2), types_differ(c, 0, 2)) &&
         g.types("E2", same(c, 1, 2), types_differ(c, 1, 2)) &&
         g.shape("E3", c.rank(1) == 2, "mat1 must be a matrix") &&
         g.shape("E4", c.rank(2) == 2, "mat2 must be a matrix") &&
         g.shape("E5", c.dim(1, 1) == c.dim(2, 0), shapes_differ(c, 1, 2)) &&
         g.shape("E6", expandable(c.sizes(0), {c.dim(1, 0), c.dim(2, 1)}),
                 "the added tensor must be expandable to the product") &&
         no_bool(c, g, "E7", 1, 2);
}

bool guard_baddbmm(const Call& c, Guards& g) {
  return g.shape("E1", c.rank(1) == 3, "batch1 must be a 3D tensor") &&
         g.shape("E2", c.rank(2) == 3, "batch2 must be a 3D tensor") &&
         g.shape(
             "E3",
             expandable(c.sizes(0), {c.dim(1, 0), c.dim(1, 1), c.dim(2, 2)}),
             "the added tensor must be expandable to the product") &&
         g.types("E4", same(c, 0, 1), types_differ(c, 0, 1)) &&
         g.shape("E5", c.dim(1, 0) == c.dim(2, 0) && c.dim(1, 2) == c.dim(2, 1),
                 shapes_differ(c, 1, 2)) &&
         g.types("E6", same(c, 1, 2) || any_empty(c, 1, 2),
                 types_differ(c, 1, 2)) &&
         no_bool(c, g, "E7", 1, 2);
}

bool guard_linear(const Call& c, Guards& g) {
  const bool bias = c.given(2);
  return g.shape("E1", c.rank(0) >= 1,
                 "both arguments to linear need to be at least 1D") &&
         g.shape("E2", c.rank(1) == 1 || c.rank(1) == 2,
                 "linear expects a matrix of weights") &&
         g.shape("E3", c.dim(0, -1) == c.dim(1, -1), shapes_differ(c, 0, 1)) &&
         g.types("E4", same(c, 0, 1) || any_empty(c, 0, 1),
                 types_differ(c, 0, 1)) &&
         g.types("E5", !bias || same(c, 2, 1),
                 bias ? types_differ(c, 2, 1) : "") &&
         g.shape("E6",
                 !bias || c.numel(2) == 1 ||
                     (c.rank(2) >= 1 && c.dim(2, -1) == c.dim(1, 0)),
                 "the bias must have one element per row of weights") &&
         no_bool(c, g, "E7", 0, 1);
}

}  // namespace assay::compiler
