// Functions over shapes and index packs (docs/spec-language.md, section 3).
// A dimension may be negative; an empty pack stands for a rank-0 tensor, which
// accepts dimension 0 and -1 as PyTorch does. Errors say what is out of range.
#ifndef ASSAY_SUITE_LANGUAGE_FUNCTIONS_SHAPE_FUNCTIONS_H_
#define ASSAY_SUITE_LANGUAGE_FUNCTIONS_SHAPE_FUNCTIONS_H_

#include <cstdint>

#include "core/result.h"
#include "core/tensor.h"

namespace assay::language {

Result<std::int64_t> shape_product(const Shape& s);
bool shapes_broadcast(const Shape& a, const Shape& b);
Result<Shape> shape_broadcast(const Shape& a, const Shape& b);
Result<std::int64_t> shape_at(const Shape& p, std::int64_t d);
Result<Shape> shape_put(Shape p, std::int64_t d, std::int64_t v);
Result<Shape> shape_insert(Shape p, std::int64_t d, std::int64_t v);
Result<Shape> shape_drop(Shape p, std::int64_t d);
Result<Shape> shape_swap(Shape p, std::int64_t d, std::int64_t e);
Result<Shape> shape_permute(const Shape& p, const Shape& dims);
Result<Shape> shape_unpermute(const Shape& p, const Shape& dims);
Result<Shape> shape_pick(const Shape& p, const Shape& dims);
Result<Shape> shape_reduce(const Shape& p, const Shape& dims, bool keepdim);
Result<Shape> shape_weave(const Shape& p, const Shape& dims, const Shape& q,
                          bool keepdim);
Result<std::int64_t> shape_ravel(const Shape& p, const Shape& s);
Result<Shape> shape_unravel(std::int64_t n, const Shape& s);
Result<Shape> shape_collapse(const Shape& s, std::int64_t d, std::int64_t e);
Result<Shape> shape_infer(Shape s, std::int64_t n);
Result<Shape> shape_expanded(const Shape& s, const Shape& size);
Result<Shape> shape_concat(const std::vector<Shape>& shapes, std::int64_t d);

// Is there a view of sizes `to` over these sizes and strides (ATen's rule)?
bool viewable(const Shape& sizes, const Shape& strides, const Shape& to);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FUNCTIONS_SHAPE_FUNCTIONS_H_
