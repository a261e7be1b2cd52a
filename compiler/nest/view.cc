#include "compiler/nest/view.h"

#include <algorithm>

namespace assay::compiler {
namespace {

// What a product widens as it reads it (loops/narrow.inc).
bool is_half(DType t) { return t == DType::f16 || t == DType::bf16; }

}  // namespace

IndexExpr offset_of(const Index& index, const Shape& strides) {
  IndexExpr at;
  for (std::size_t d = 0; d < index.size(); ++d) {
    at = at + index[d] * strides[d];
  }
  return at;
}

Index unravel(const IndexExpr& linear, const Shape& sizes,
              const Shape& extents) {
  Index out(sizes.size());
  // Each dimension divides what the one after it has left, so that quotient and
  // remainder are of the same expression and join again.
  IndexExpr left = linear;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    // The leading dimension needs no remainder: positions are in range.
    const std::int64_t size = d == 0 ? 1 : std::max<std::int64_t>(sizes[d], 1);
    out[d] = d == 0 ? left : modulo(left, size, extents);
    left = divide(left, size, extents);
  }
  return out;
}

Index operand_index(const Body& body, const GraphNode& n, const Index& index,
                    const Shape& extents) {
  const Shape& in = body.at(n.args[0]).type.sizes;
  Index out(in.size());
  switch (n.op) {
    case Op::reshape:
      return unravel(offset_of(index, contiguous_strides(n.type.sizes)), in,
                     extents);
    case Op::permute:
      for (std::size_t d = 0; d < index.size(); ++d) {
        out[static_cast<std::size_t>(n.attr[d])] = index[d];
      }
      return out;
    case Op::expand:
      for (std::size_t d = 0; d < index.size(); ++d) {
        if (in[d] != 1) out[d] = index[d];
      }
      return out;
    case Op::slice: {
      out = index;
      IndexExpr& at = out[static_cast<std::size_t>(n.attr[0])];
      at = at * n.attr[2] + IndexExpr::number(n.attr[1]);
      return out;
    }
    default:
      return index;
  }
}

NodeId view_base(const Body& body, const std::vector<bool>& root, NodeId id,
                 Op user) {
  const bool widens = user == Op::matmul || user == Op::convolve;
  for (;;) {
    const GraphNode& n = body.at(id);
    const bool through =
        is_view(n.op) ||
        (widens && n.op == Op::widen && n.type.dtype == DType::f32 &&
         is_half(body.at(n.args[0]).type.dtype));
    if (!through || root[static_cast<std::size_t>(id)]) return id;
    id = n.args[0];
  }
}

Shape buffer_strides(const Body& body, NodeId id) {
  const GraphNode& n = body.at(id);
  if (n.op == Op::input) {
    return body.inputs[static_cast<std::size_t>(n.attr[0])].strides;
  }
  return contiguous_strides(n.type.sizes);
}

std::optional<BufferView> strided_view(const Body& body,
                                       const std::vector<bool>& root, NodeId id,
                                       Op user) {
  const Shape& sizes = body.at(id).type.sizes;
  Index index;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    index.push_back(sizes[d] == 1 ? IndexExpr::number(0)
                                  : IndexExpr::variable(static_cast<int>(d)));
  }
  const NodeId base = view_base(body, root, id, user);
  for (NodeId at = id; at != base; at = body.at(at).args[0]) {
    index = operand_index(body, body.at(at), index, sizes);
  }
  const IndexExpr e = offset_of(index, buffer_strides(body, base));
  if (!e.is_affine()) return std::nullopt;
  BufferView view;
  view.offset = e.constant;
  view.strides.assign(sizes.size(), 0);
  for (const IndexTerm& t : e.terms) {
    view.strides[static_cast<std::size_t>(t.atom.variable)] = t.factor;
  }
  return view;
}

}  // namespace assay::compiler
