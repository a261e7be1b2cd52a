// Layout operations: elements are moved, never computed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/ops/dims.h"
#include "compiler/ops/pointwise.h"
#include "kit/promotion.h"

namespace assay::compiler {
namespace {

std::size_t place(std::int64_t d) { return static_cast<std::size_t>(d); }

// view, reshape

struct View : Unary {
  Shape size = integers("size");
};

struct Reshape : Unary {
  Shape size = integers("shape");
};

// Whether `size`, with at most one -1, can hold n elements.
bool holds(const Shape& size, std::int64_t n) {
  std::int64_t rest = 1;
  bool infer = false;
  for (const std::int64_t s : size) {
    if (s == -1) {
      infer = true;
    } else if (__builtin_mul_overflow(rest, s, &rest)) {
      return false;
    }
  }
  return infer ? rest != 0 && n % rest == 0 : rest == n;
}

// `size` of n elements, with the one that is to be inferred.
Shape inferred(Shape size, std::int64_t n) {
  std::int64_t known = 1;
  for (const std::int64_t s : size) known *= s == -1 ? 1 : s;
  for (std::int64_t& s : size) {
    if (s == -1) s = n / known;
  }
  return size;
}

// Where in memory row-major element `linear` lies.
std::int64_t offset_of(std::int64_t linear, const Shape& sizes,
                       const Shape& strides) {
  std::int64_t offset = 0;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    offset += linear % sizes[d] * strides[d];
    linear /= sizes[d];
  }
  return offset;
}

// Are there strides with which these sizes show the operand's memory? They
// could only be the distances of neighbours along each dimension.
bool has_strides_for(const Operand& x, const Shape& to) {
  const Shape from = x.sizes(), strides = x.strides();
  const std::int64_t n = x.numel();
  if (n == 0 || strides == contiguous_strides(from)) return true;
  Shape wanted = contiguous_strides(to);
  for (std::size_t d = 0; d < to.size(); ++d) {
    wanted[d] = to[d] < 2 ? 0 : offset_of(wanted[d], from, strides);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (offset_of(i, to, wanted) != offset_of(i, from, strides)) return false;
  }
  return true;
}

template <class A>
bool guard_reshape(const A& a, Guards& g) {
  const Shape& size = a.size;
  const std::string invalid =
      fmt::format("shape '[{}]' is invalid for input of size {}",
                  fmt::join(size, ", "), a.self.numel());
  return g.shape("E1", std::count(size.begin(), size.end(), -1) <= 1,
                 "only one dimension can be inferred") &&
         g.shape("E2",
                 std::all_of(size.begin(), size.end(),
                             [](std::int64_t s) { return s >= -1; }),
                 invalid) &&
         g.shape("E3", holds(size, a.self.numel()), invalid);
}

bool guard_view(const View& a, Guards& g) {
  return guard_reshape(a, g) &&
         g.shape("E4",
                 has_strides_for(a.self, inferred(a.size, a.self.numel())),
                 "view size is not compatible with input tensor's size and "
                 "stride (at least one dimension spans across two contiguous "
                 "subspaces). Use .reshape(...) instead.");
}

template <class A>
NodeId lower_reshape(const A& a, Builder& b) {
  return b.reshape(a.self.node(), inferred(a.size, a.self.numel()));
}

// permute, transpose, t

struct Permute : Unary {
  Shape dims = integers("dims");
};

bool guard_permute(const Permute& a, Guards& g) {
  const std::int64_t rank = a.self.rank();
  if (!g.shape("E1", static_cast<std::int64_t>(a.dims.size()) == rank,
               fmt::format("permute: input.dim() = {} is not equal to "
                           "len(dims) = {}",
                           rank, a.dims.size()))) {
    return false;
  }
  std::set<std::int64_t> seen;
  for (const std::int64_t d : a.dims) {
    if (!dim_ok(g, "E2", d, rank)) return false;
    seen.insert(wrap_dim(d, rank));
  }
  return g.shape("E3", seen.size() == a.dims.size(),
                 "permute(): duplicate dims are not allowed.");
}

NodeId lower_permute(const Permute& a, Builder& b) {
  Shape dims = a.dims;
  for (std::int64_t& d : dims) d = wrap_dim(d, a.self.rank());
  return b.permute(a.self.node(), dims);
}

struct Transpose : Unary {
  std::int64_t dim0 = integer("dim0");
  std::int64_t dim1 = integer("dim1");
};

bool guard_transpose(const Transpose& a, Guards& g) {
  return dim_ok(g, "E1", a.dim0, a.self.rank()) &&
         dim_ok(g, "E2", a.dim1, a.self.rank());
}

NodeId exchange(Builder& b, const Operand& x, std::int64_t d0,
                std::int64_t d1) {
  Shape dims;
  for (std::int64_t d = 0; d < x.rank(); ++d) dims.push_back(d);
  if (!dims.empty()) {
    std::swap(dims[place(wrap_dim(d0, x.rank()))],
              dims[place(wrap_dim(d1, x.rank()))]);
  }
  return b.permute(x.node(), dims);
}

NodeId lower_transpose(const Transpose& a, Builder& b) {
  return exchange(b, a.self, a.dim0, a.dim1);
}

bool guard_t(const Unary& a, Guards& g) {
  return g.shape("E1", a.self.rank() <= 2,
                 "t() expects a tensor with <= 2 dimensions");
}

NodeId lower_t(const Unary& a, Builder& b) {
  return a.self.rank() < 2 ? a.self.node() : exchange(b, a.self, 0, 1);
}

// expand

struct Expand : Unary {
  Shape size = integers("size");
  bool implicit = boolean("implicit", false);
};

bool guard_expand(const Expand& a, Guards& g) {
  const Shape& size = a.size;
  const Shape have = a.self.sizes();
  if (!g.shape("E1", size.size() >= have.size(),
               fmt::format("expand: the number of sizes provided ({}) must be "
                           "greater or equal to the number of dimensions in "
                           "the tensor ({})",
                           size.size(), have.size()))) {
    return false;
  }
  const std::size_t added = size.size() - have.size();
  bool all_fit = true;
  for (std::size_t k = 0; k < have.size(); ++k) {
    const std::int64_t s = size[k + added];
    all_fit = all_fit && (s == -1 || s == have[k] || (s >= 0 && have[k] == 1));
  }
  return g.shape("E2",
                 std::all_of(size.begin(),
                             size.begin() + static_cast<std::ptrdiff_t>(added),
                             [](std::int64_t s) { return s >= 0; }),
                 "The expanded size of the tensor isn't allowed in a leading, "
                 "non-existing dimension") &&
         g.shape("E3", all_fit,
                 fmt::format("The expanded size of the tensor must match the "
                             "existing size at non-singleton dimensions. "
                             "Target sizes: [{}]. Tensor sizes: [{}]",
                             fmt::join(size, ", "), fmt::join(have, ", ")));
}

NodeId lower_expand(const Expand& a, Builder& b) {
  Shape size = a.size;
  const Shape have = a.self.sizes();
  const std::size_t added = size.size() - have.size();
  for (std::size_t d = 0; d < have.size(); ++d) {
    if (size[d + added] == -1) size[d + added] = have[d];
  }
  return b.expand(a.self.node(), size);
}

// flatten, unsqueeze

struct Flatten : Unary {
  std::int64_t start_dim = integer("start_dim", 0);
  std::int64_t end_dim = integer("end_dim", -1);
};

bool guard_flatten(const Flatten& a, Guards& g) {
  const std::int64_t rank = a.self.rank();
  return dim_ok(g, "E1", a.start_dim, rank) &&
         dim_ok(g, "E2", a.end_dim, rank) &&
         g.shape("E3", wrap_dim(a.start_dim, rank) <= wrap_dim(a.end_dim, rank),
                 "flatten() has invalid args: start_dim cannot come after "
                 "end_dim");
}

NodeId lower_flatten(const Flatten& a, Builder& b) {
  const Shape in = a.self.sizes();
  if (in.empty()) return b.reshape(a.self.node(), {1});
  const std::size_t from = place(wrap_dim(a.start_dim, a.self.rank()));
  const std::size_t to = place(wrap_dim(a.end_dim, a.self.rank()));
  Shape out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(from));
  out.push_back(1);
  for (std::size_t d = from; d <= to; ++d) out.back() *= in[d];
  out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(to) + 1,
             in.end());
  return b.reshape(a.self.node(), out);
}

struct Unsqueeze : Unary {
  std::int64_t dim = integer("dim");
};

bool guard_unsqueeze(const Unsqueeze& a, Guards& g) {
  return g.shape("E1", dim_in_range(a.dim, a.self.rank() + 1),
                 "Dimension out of range", "IndexError");
}

NodeId lower_unsqueeze(const Unsqueeze& a, Builder& b) {
  Shape out = a.self.sizes();
  out.insert(out.begin() + wrap_dim(a.dim, a.self.rank() + 1), 1);
  return b.reshape(a.self.node(), out);
}

// select, slice

struct Select : Unary {
  std::int64_t dim = integer("dim");
  std::int64_t index = integer("index");
};

bool guard_select(const Select& a, Guards& g) {
  if (!g.shape("E1", a.self.rank() > 0,
               "select() cannot be applied to a 0-dim tensor.", "IndexError") ||
      !dim_ok(g, "E2", a.dim, a.self.rank())) {
    return false;
  }
  const std::int64_t size = a.self.size(a.dim);
  return g.shape("E3", -size <= a.index && a.index < size,
                 fmt::format("select(): index {} out of range for tensor of "
                             "size [{}] at dimension {}",
                             a.index, fmt::join(a.self.sizes(), ", "),
                             wrap_dim(a.dim, a.self.rank())),
                 "IndexError");
}

NodeId lower_select(const Select& a, Builder& b) {
  const std::int64_t d = wrap_dim(a.dim, a.self.rank());
  const std::int64_t index = a.index < 0 ? a.index + a.self.size(d) : a.index;
  const NodeId x = b.slice(a.self.node(), d, index, 1, 1);
  Shape out = b.sizes(x);
  out.erase(out.begin() + d);
  return b.reshape(x, out);
}

struct Slice : Unary {
  std::int64_t dim = integer("dim", 0);
  std::optional<std::int64_t> start = maybe_integer("start");
  std::optional<std::int64_t> end = maybe_integer("end");
  std::int64_t step = integer("step", 1);
};

bool guard_slice(const Slice& a, Guards& g) {
  return g.shape("E1", a.self.rank() > 0,
                 "slice() cannot be applied to a 0-dim tensor.",
                 "IndexError") &&
         dim_ok(g, "E2", a.dim, a.self.rank()) &&
         g.shape("E3", a.step > 0, "slice step must be positive");
}

NodeId lower_slice(const Slice& a, Builder& b) {
  const std::int64_t d = wrap_dim(a.dim, a.self.rank());
  const std::int64_t size = a.self.size(d);
  const auto clamped = [size](std::int64_t v) {
    return std::clamp<std::int64_t>(v < 0 ? v + size : v, 0, size);
  };
  const std::int64_t start = clamped(a.start.value_or(0));
  const std::int64_t end = clamped(a.end.value_or(size));
  const std::int64_t reach = std::max<std::int64_t>(end - start, 0);
  const std::int64_t step = std::min(a.step, std::max<std::int64_t>(reach, 1));
  return b.slice(a.self.node(), d, start, (reach + step - 1) / step, step);
}

// cat

struct Cat : Arguments {
  std::vector<Operand> parts = tensors("tensors");
  std::int64_t dim = integer("dim", 0);

  // A vector of no elements is skipped, beside tensors of any rank.
  std::vector<Operand> kept() const {
    std::vector<Operand> out;
    for (const Operand& p : parts) {
      if (p.sizes() != Shape{0}) out.push_back(p);
    }
    return out;
  }
};

bool guard_cat(const Cat& a, Guards& g) {
  if (!g.shape("E1", !a.parts.empty(),
               "torch.cat(): expected a non-empty list of Tensors",
               "ValueError")) {
    return false;
  }
  for (const Operand& p : a.parts) {
    if (!g.shape("E2", p.rank() > 0,
                 "zero-dimensional tensor cannot be concatenated")) {
      return false;
    }
  }
  const std::vector<Operand> kept = a.kept();
  if (kept.empty()) return true;
  const Shape first = kept[0].sizes();
  const std::int64_t rank = kept[0].rank();
  if (!dim_ok(g, "E3", a.dim, rank)) return false;
  for (const Operand& p : kept) {
    if (!g.shape("E4", p.rank() == rank,
                 fmt::format("Tensors must have same number of dimensions: "
                             "got {} and {}",
                             rank, p.rank()))) {
      return false;
    }
  }
  const std::size_t d = place(wrap_dim(a.dim, rank));
  for (const Operand& p : kept) {
    Shape rest = p.sizes();
    rest[d] = first[d];
    if (!g.shape("E5", rest == first,
                 fmt::format("Sizes of tensors must match except in dimension "
                             "{}.",
                             d))) {
      return false;
    }
  }
  return true;
}

NodeId lower_cat(const Cat& a, Builder& b) {
  kit::Promotion all;
  for (const Operand& p : a.parts) all.add_tensor(p.dtype(), true);
  const std::vector<Operand> kept = a.kept();
  if (kept.empty()) return b.convert(a.parts[0].node(), all.result());
  std::vector<NodeId> parts;
  for (const Operand& p : kept) {
    parts.push_back(b.convert(p.node(), all.result()));
  }
  return b.cat(parts, wrap_dim(a.dim, kept[0].rank()));
}

constexpr Operation kOperations[] = {
    operation<View, lower_reshape<View>, guard_view>("aten.view.default",
                                                     "view"),
    operation<Reshape, lower_reshape<Reshape>, guard_reshape<Reshape>>(
        "aten.reshape.default", "reshape"),
    operation<Permute, lower_permute, guard_permute>("aten.permute.default",
                                                     "permute"),
    operation<Transpose, lower_transpose, guard_transpose>("aten.transpose.int",
                                                           "transpose"),
    operation<Unary, lower_t, guard_t>("aten.t.default", "t"),
    operation<Expand, lower_expand, guard_expand>("aten.expand.default",
                                                  "expand"),
    operation<Flatten, lower_flatten, guard_flatten>("aten.flatten.using_ints",
                                                     "flatten"),
    operation<Unsqueeze, lower_unsqueeze, guard_unsqueeze>(
        "aten.unsqueeze.default", "unsqueeze"),
    operation<Select, lower_select, guard_select>("aten.select.int", "select"),
    operation<Slice, lower_slice, guard_slice>("aten.slice.Tensor", "slice"),
    operation<Cat, lower_cat, guard_cat>("aten.cat.default", "cat"),
};

}  // namespace

Family layout() { return kOperations; }

}  // namespace assay::compiler
