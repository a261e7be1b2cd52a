// Layout operations: elements are moved, never computed.
#include <algorithm>

#include "compiler/lowering.h"

namespace assay::compiler {
namespace {

std::size_t place(std::int64_t d) { return static_cast<std::size_t>(d); }

NodeId lower_reshape(const Call& c, Builder& b) {
  Shape size = c.ints(1);
  std::int64_t known = 1;
  for (const std::int64_t s : size) known *= s == -1 ? 1 : s;
  for (std::int64_t& s : size) {
    if (s == -1) s = c.numel(0) / known;
  }
  return b.reshape(c.node(0), size);
}

NodeId lower_permute(const Call& c, Builder& b) {
  Shape dims = c.ints(1);
  for (std::int64_t& d : dims) d = wrap_dim(d, c.rank(0));
  return b.permute(c.node(0), dims);
}

NodeId exchange(const Call& c, Builder& b, std::int64_t d0, std::int64_t d1) {
  Shape dims;
  for (std::int64_t d = 0; d < c.rank(0); ++d) dims.push_back(d);
  if (!dims.empty()) {
    std::swap(dims[place(wrap_dim(d0, c.rank(0)))],
              dims[place(wrap_dim(d1, c.rank(0)))]);
  }
  return b.permute(c.node(0), dims);
}

NodeId lower_transpose(const Call& c, Builder& b) {
  return exchange(c, b, c.integer(1), c.integer(2));
}

NodeId lower_t(const Call& c, Builder& b) {
  return c.rank(0) < 2 ? c.node(0) : exchange(c, b, 0, 1);
}

NodeId lower_expand(const Call& c, Builder& b) {
  Shape size = c.ints(1);
  const Shape have = c.sizes(0);
  const std::size_t added = size.size() - have.size();
  for (std::size_t d = 0; d < have.size(); ++d) {
    if (size[d + added] == -1) size[d + added] = have[d];
  }
  return b.expand(c.node(0), size);
}

NodeId lower_flatten(const Call& c, Builder& b) {
  const Shape in = c.sizes(0);
  if (in.empty()) return b.reshape(c.node(0), {1});
  const std::size_t from = place(wrap_dim(c.integer(1), c.rank(0)));
  const std::size_t to = place(wrap_dim(c.integer(2), c.rank(0)));
  Shape out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(from));
  out.push_back(1);
  for (std::size_t d = from; d <= to; ++d) out.back() *= in[d];
  out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(to) + 1,
             in.end());
  return b.reshape(c.node(0), out);
}

NodeId lower_select(const Call& c, Builder& b) {
  const std::int64_t d = wrap_dim(c.integer(1), c.rank(0));
  const std::int64_t size = c.dim(0, d);
  const std::int64_t index = c.integer(2);
  const NodeId x =
      b.slice(c.node(0), d, index < 0 ? index + size : index, 1, 1);
  Shape out = b.sizes(x);
  out.erase(out.begin() + d);
  return b.reshape(x, out);
}

NodeId lower_slice(const Call& c, Builder& b) {
  const std::int64_t d = wrap_dim(c.integer(1), c.rank(0));
  const std::int64_t size = c.dim(0, d);
  const auto bound = [&](std::size_t i, std::int64_t otherwise) {
    if (!c.given(i)) return otherwise;
    const std::int64_t v = c.integer(i);
    return std::clamp<std::int64_t>(v < 0 ? v + size : v, 0, size);
  };
  const std::int64_t start = bound(2, 0);
  const std::int64_t reach = std::max<std::int64_t>(bound(3, size) - start, 0);
  const std::int64_t step =
      std::min(c.integer(4), std::max<std::int64_t>(reach, 1));
  return b.slice(c.node(0), d, start, (reach + step - 1) / step, step);
}

NodeId lower_cat(const Call& c, Builder& b) {
  Promotion all;
  std::vector<NodeId> parts = c.nodes(0);
  for (const NodeId p : parts) all.add_tensor(b.dtype(p), true);
  for (NodeId& p : parts) p = b.convert(p, all.result());
  return b.cat(parts, wrap_dim(c.integer(1), b.rank(parts[0])));
}

NodeId lower_unsqueeze(const Call& c, Builder& b) {
  Shape out = c.sizes(0);
  const std::int64_t d = c.integer(1);
  out.insert(out.begin() + (d < 0 ? d + c.rank(0) + 1 : d), 1);
  return b.reshape(c.node(0), out);
}

bool guard_unsqueeze(const Call& c, Guards& g) {
  return g.shape("E1", dim_in_range(c.integer(1), c.rank(0) + 1),
                 "Dimension out of range", "IndexError");
}

bool guard_t(const Call& c, Guards& g) {
  return g.shape("E1", c.rank(0) <= 2,
                 "t() expects a tensor with <= 2 dimensions");
}

constexpr std::string_view kSized = "t self, I size";

constexpr LoweringRow kRows[] = {
    {"aten.view.default", "view", kSized, guard_reshape, lower_reshape},
    {"aten.reshape.default", "reshape", kSized, guard_reshape, lower_reshape},
    {"aten.permute.default", "permute", "t self, I dims", guard_permute,
     lower_permute},
    {"aten.transpose.int", "transpose", "t self, i dim0, i dim1",
     guard_transpose, lower_transpose},
    {"aten.t.default", "t", "t self", guard_t, lower_t},
    {"aten.expand.default", "expand", "t self, I size, b implicit=false",
     guard_expand, lower_expand},
    {"aten.flatten.using_ints", "flatten",
     "t self, i start_dim=0, i end_dim=-1", guard_flatten, lower_flatten},
    {"aten.select.int", "select", "t self, i dim, i index", guard_select,
     lower_select},
    {"aten.slice.Tensor", "slice",
     "t self, i dim=0, i? start=none, i? end=none, i step=1", guard_slice,
     lower_slice},
    {"aten.cat.default", "cat", "T tensors, i dim=0", guard_cat, lower_cat},
    {"aten.unsqueeze.default", "unsqueeze", "t self, i dim", guard_unsqueeze,
     lower_unsqueeze},
};

}  // namespace

std::span<const LoweringRow> layout_rows() { return kRows; }

}  // namespace assay::compiler
