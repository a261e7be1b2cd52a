// Guards of layout operations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/guard.h"

namespace assay::compiler {
namespace {

bool dim_ok(const Call& c, Guards& g, const char* clause, std::int64_t d) {
  return g.shape(
      clause, dim_in_range(d, c.rank(0)),
      fmt::format("Dimension out of range (got {} for rank {})", d, c.rank(0)),
      "IndexError");
}

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

}  // namespace

bool guard_reshape(const Call& c, Guards& g) {
  const Shape size = c.ints(1);
  const std::string invalid =
      fmt::format("shape '[{}]' is invalid for input of size {}",
                  fmt::join(size, ", "), c.numel(0));
  return g.shape("E1", std::count(size.begin(), size.end(), -1) <= 1,
                 "only one dimension can be inferred") &&
         g.shape("E2",
                 std::all_of(size.begin(), size.end(),
                             [](std::int64_t s) { return s >= -1; }),
                 invalid) &&
         g.shape("E3", holds(size, c.numel(0)), invalid);
}

bool guard_permute(const Call& c, Guards& g) {
  const Shape dims = c.ints(1);
  if (!g.shape("E1", static_cast<std::int64_t>(dims.size()) == c.rank(0),
               fmt::format("permute: input.dim() = {} is not equal to "
                           "len(dims) = {}",
                           c.rank(0), dims.size()))) {
    return false;
  }
  std::set<std::int64_t> seen;
  for (const std::int64_t d : dims) {
    if (!dim_ok(c, g, "E2", d)) return false;
    seen.insert(wrap_dim(d, c.rank(0)));
  }
  return g.shape("E3", seen.size() == dims.size(),
                 "permute(): duplicate dims are not allowed.");
}

bool guard_transpose(const Call& c, Guards& g) {
  return dim_ok(c, g, "E1", c.integer(1)) && dim_ok(c, g, "E2", c.integer(2));
}

bool guard_expand(const Call& c, Guards& g) {
  const Shape size = c.ints(1);
  const auto rank = static_cast<std::size_t>(c.rank(0));
  if (!g.shape("E1", size.size() >= rank,
               fmt::format("expand: the number of sizes provided ({}) must be "
                           "greater or equal to the number of dimensions in "
                           "the tensor ({})",
                           size.size(), rank))) {
    return false;
  }
  const std::size_t added = size.size() - rank;
  const auto fits = [&](std::size_t k) {
    const std::int64_t s = size[k + added];
    const std::int64_t have = c.sizes(0)[k];
    return s == -1 || (s >= 0 && (s == have || have == 1));
  };
  bool all_fit = true;
  for (std::size_t k = 0; k < rank; ++k) all_fit = all_fit && fits(k);
  return g.shape("E2",
                 std::all_of(size.begin(),
                             size.begin() + static_cast<std::ptrdiff_t>(added),
                             [](std::int64_t s) { return s >= 0; }),
                 "The expanded size of the tensor isn't allowed in a leading, "
                 "non-existing dimension") &&
         g.shape(
             "E3", all_fit,
             fmt::format("The expanded size of the tensor must match the "
                         "existing size at non-singleton dimensions. "
                         "Target sizes: [{}]. Tensor sizes: [{}]",
                         fmt::join(size, ", "), fmt::join(c.sizes(0), ", ")));
}

bool guard_flatten(const Call& c, Guards& g) {
  return dim_ok(c, g, "E1", c.integer(1)) && dim_ok(c, g, "E2", c.integer(2)) &&
         g.shape("E3",
                 wrap_dim(c.integer(1), c.rank(0)) <=
                     wrap_dim(c.integer(2), c.rank(0)),
                 "flatten() has invalid args: start_dim cannot come after "
                 "end_dim");
}

bool guard_select(const Call& c, Guards& g) {
  if (!g.shape("E1", c.rank(0) > 0,
               "select() cannot be applied to a 0-dim tensor.", "IndexError") ||
      !dim_ok(c, g, "E2", c.integer(1))) {
    return false;
  }
  const std::int64_t size = c.dim(0, c.integer(1));
  const std::int64_t index = c.integer(2);
  return g.shape("E3", -size <= index && index < size,
                 fmt::format("select(): index {} out of range for tensor of "
                             "size [{}] at dimension {}",
                             index, fmt::join(c.sizes(0), ", "),
                             wrap_dim(c.integer(1), c.rank(0))),
                 "IndexError");
}

bool guard_slice(const Call& c, Guards& g) {
  return g.shape("E1", c.rank(0) > 0,
                 "slice() cannot be applied to a 0-dim tensor.",
                 "IndexError") &&
         dim_ok(c, g, "E2", c.integer(1)) &&
         g.shape("E3", c.integer(4) > 0, "slice step must be positive");
}

bool guard_cat(const Call& c, Guards& g) {
  const std::vector<Shape> parts = c.list_sizes(0);
  if (!g.shape("E1", !parts.empty(),
               "torch.cat(): expected a non-empty list of Tensors",
               "ValueError")) {
    return false;
  }
  for (const Shape& p : parts) {
    if (!g.shape("E2", !p.empty(),
                 "zero-dimensional tensor cannot be concatenated")) {
      return false;
    }
  }
  const Shape& first = parts[0];
  const auto rank = static_cast<std::int64_t>(first.size());
  if (!g.shape("E3", dim_in_range(c.integer(1), rank),
               fmt::format("Dimension out of range (got {} for rank {})",
                           c.integer(1), rank),
               "IndexError")) {
    return false;
  }
  const auto d = static_cast<std::size_t>(wrap_dim(c.integer(1), rank));
  for (const Shape& p : parts) {
    if (!g.shape("E4", p.size() == first.size(),
                 fmt::format("Tensors must have same number of dimensions: "
                             "got {} and {}",
                             first.size(), p.size()))) {
      return false;
    }
  }
  for (const Shape& p : parts) {
    Shape rest = p;
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

}  // namespace assay::compiler
