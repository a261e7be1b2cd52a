#include "compiler/text/cuda/product_rounding.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "compiler/text/contraction_text.h"
#include "compiler/text/cuda/product_cut.h"

namespace assay::compiler {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Whether an index over `outer` names the elements of a row-major buffer in
// their order.
bool is_in_order(const IndexExpr& e, const Shape& outer) {
  if (!e.is_affine() || e.constant != 0) return false;
  const Shape strides = contiguous_strides(outer);
  Shape found(outer.size(), 0);
  for (const IndexTerm& t : e.terms) {
    const int d = t.atom.variable;
    if (d < 0 || at(d) >= outer.size()) return false;
    found[at(d)] = t.factor;
  }
  for (std::size_t d = 0; d < outer.size(); ++d) {
    if (outer[d] > 1 && found[d] != strides[d]) return false;
  }
  return true;
}

struct Rounding {
  int from = 0, to = 0;  // buffers
  int cast_id = 0;
};

// What a kernel rounds, if it does nothing else.
std::optional<Rounding> rounding_of(const Nest& nest, const Kernel& kernel) {
  const auto* k = std::get_if<LoopKernel>(&kernel);
  if (k == nullptr || k->has_row || k->stages.size() != 1) return std::nullopt;
  const Stage& stage = k->stages[0];
  if (stage.kind != Stage::Kind::point || stage.buffer < 0) return std::nullopt;
  const Value& v = k->values[at(stage.value)];
  if (v.kind != Value::Kind::cast || v.cast != Op::round || v.cast_id == 0 ||
      (v.dtype != DType::f16 && v.dtype != DType::bf16)) {
    return std::nullopt;
  }
  const Value& load = k->values[at(v.args[0])];
  if (load.kind != Value::Kind::load || load.dtype != DType::f32) {
    return std::nullopt;
  }
  const TensorType& from = nest.buffers[at(load.buffer)].type;
  const TensorType& to = nest.buffers[at(stage.buffer)].type;
  const std::int64_t count = element_count(k->outer);
  if (element_count(from.sizes) != count || element_count(to.sizes) != count ||
      to.dtype != v.dtype || !from.is_contiguous() || !to.is_contiguous() ||
      !is_in_order(load.at, k->outer) || !is_in_order(stage.at, k->outer)) {
    return std::nullopt;
  }
  return Rounding{load.buffer, stage.buffer, v.cast_id};
}

bool touches(const Kernel& kernel, int buffer) {
  if (const auto* k = std::get_if<LoopKernel>(&kernel)) {
    return std::any_of(k->values.begin(), k->values.end(),
                       [&](const Value& v) { return v.buffer == buffer; }) ||
           std::any_of(k->stages.begin(), k->stages.end(),
                       [&](const Stage& s) { return s.buffer == buffer; });
  }
  const auto& k = std::get<NodeKernel>(kernel);
  return k.result == buffer ||
         std::any_of(k.operands.begin(), k.operands.end(),
                     [&](const BufferView& v) { return v.buffer == buffer; });
}

// The kernel that computes what number `reader` rounds, if nobody else touches
// that, nor earlier what it is rounded to.
std::optional<std::size_t> product_of(const Nest& nest, std::size_t reader,
                                      const Rounding& r,
                                      const std::string& target) {
  const Buffer& from = nest.buffers[at(r.from)];
  if (from.kind != Buffer::Kind::temporary ||
      std::count(nest.outputs.begin(), nest.outputs.end(), r.from) != 0) {
    return std::nullopt;
  }
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < nest.kernels.size(); ++i) {
    if (i == reader) continue;
    if (i < reader && touches(nest.kernels[i], r.to)) return std::nullopt;
    if (!touches(nest.kernels[i], r.from)) continue;
    const auto* k = std::get_if<NodeKernel>(&nest.kernels[i]);
    if (found || i > reader || k == nullptr || k->result != r.from ||
        k->cast_id != 0 || !tensor_cut_of(nest, as_called(*k), target)) {
      return std::nullopt;
    }
    found = i;
  }
  return found;
}

}  // namespace

void round_in_products(Nest* nest, const std::string& target) {
  for (std::size_t i = nest->kernels.size(); i-- > 0;) {
    const auto rounding = rounding_of(*nest, nest->kernels[i]);
    if (!rounding) continue;
    const auto product = product_of(*nest, i, *rounding, target);
    if (!product) continue;
    auto& k = std::get<NodeKernel>(nest->kernels[*product]);
    k.result = rounding->to;
    k.cast_id = rounding->cast_id;
    TensorType& unused = nest->buffers[at(rounding->from)].type;
    unused.sizes = {0};
    unused.strides = {1};
    nest->kernels.erase(nest->kernels.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace assay::compiler
