#include "suite/language/functions/shape_functions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "core/text.h"

namespace assay::language {
namespace {

std::int64_t length(const Shape& p) {
  return static_cast<std::int64_t>(p.size());
}

std::size_t index(std::int64_t d) { return static_cast<std::size_t>(d); }

// `d` counted from the front; `n` is how many dimensions there are.
Result<std::int64_t> wrapped(std::int64_t d, std::int64_t n) {
  const std::int64_t bound = std::max<std::int64_t>(n, 1);
  if (d < -bound || d >= bound) {
    return Error{"dimension " + std::to_string(d) + " is out of range for " +
                 std::to_string(n) + " dimensions"};
  }
  return d < 0 ? d + bound : d;
}

Result<std::set<std::int64_t>> wrapped_set(const Shape& dims, std::int64_t n) {
  std::set<std::int64_t> out;
  for (const std::int64_t d : dims) {
    const Result<std::int64_t> w = wrapped(d, n);
    if (!w) return w.error();
    out.insert(*w);
  }
  return out;
}

Result<Shape> order(const Shape& p, const Shape& dims) {
  if (dims.size() != p.size()) {
    return Error{"cannot permute " + shape_text(p) + " by " + shape_text(dims)};
  }
  Shape out;
  std::set<std::int64_t> seen;
  for (const std::int64_t d : dims) {
    const Result<std::int64_t> w = wrapped(d, length(p));
    if (!w) return w.error();
    if (!seen.insert(*w).second) {
      return Error{"dimension " + std::to_string(*w) + " stands twice in " +
                   shape_text(dims)};
    }
    out.push_back(*w);
  }
  return out;
}

}  // namespace

Result<std::int64_t> shape_product(const Shape& s) {
  std::int64_t out = 1;
  for (const std::int64_t v : s) {
    if (__builtin_mul_overflow(out, v, &out)) {
      return Error{"the product of " + shape_text(s) + " does not fit 64 bits"};
    }
  }
  return out;
}

bool shapes_broadcast(const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const std::int64_t m = a[a.size() - i];
    const std::int64_t n = b[b.size() - i];
    if (m != n && m != 1 && n != 1) return false;
  }
  return true;
}

Result<Shape> shape_broadcast(const Shape& a, const Shape& b) {
  if (!shapes_broadcast(a, b)) {
    return Error{shape_text(a) + " and " + shape_text(b) + " do not broadcast"};
  }
  Shape out = a.size() >= b.size() ? a : b;
  const Shape& other = a.size() >= b.size() ? b : a;
  for (std::size_t i = 1; i <= other.size(); ++i) {
    std::int64_t& n = out[out.size() - i];
    if (n == 1) n = other[other.size() - i];
  }
  return out;
}

Result<std::int64_t> shape_at(const Shape& p, std::int64_t d) {
  const Result<std::int64_t> w = wrapped(d, length(p));
  if (!w) return w.error();
  if (p.empty()) return Error{"the empty pack has no entry"};
  return p[index(*w)];
}

Result<Shape> shape_put(Shape p, std::int64_t d, std::int64_t v) {
  const Result<std::int64_t> w = wrapped(d, length(p));
  if (!w) return w.error();
  if (!p.empty()) p[index(*w)] = v;
  return p;
}

Result<Shape> shape_insert(Shape p, std::int64_t d, std::int64_t v) {
  const Result<std::int64_t> w = wrapped(d, length(p) + 1);
  if (!w) return w.error();
  p.insert(p.begin() + *w, v);
  return p;
}

Result<Shape> shape_drop(Shape p, std::int64_t d) {
  const Result<std::int64_t> w = wrapped(d, length(p));
  if (!w) return w.error();
  if (!p.empty()) p.erase(p.begin() + *w);
  return p;
}

Result<Shape> shape_swap(Shape p, std::int64_t d, std::int64_t e) {
  const Result<std::int64_t> v = wrapped(d, length(p));
  const Result<std::int64_t> w = wrapped(e, length(p));
  if (!v) return v.error();
  if (!w) return w.error();
  if (!p.empty()) std::swap(p[index(*v)], p[index(*w)]);
  return p;
}

Result<Shape> shape_permute(const Shape& p, const Shape& dims) {
  Result<Shape> w = order(p, dims);
  if (!w) return w.error();
  Shape out;
  for (const std::int64_t d : *w) out.push_back(p[index(d)]);
  return out;
}

Result<Shape> shape_unpermute(const Shape& p, const Shape& dims) {
  Result<Shape> w = order(p, dims);
  if (!w) return w.error();
  Shape out(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) out[index((*w)[i])] = p[i];
  return out;
}

Result<Shape> shape_pick(const Shape& p, const Shape& dims) {
  const Result<std::set<std::int64_t>> set = wrapped_set(dims, length(p));
  if (!set) return set.error();
  Shape out;
  if (p.empty()) return out;
  for (const std::int64_t d : *set) out.push_back(p[index(d)]);
  return out;
}

Result<Shape> shape_reduce(const Shape& p, const Shape& dims, bool keepdim) {
  const Result<std::set<std::int64_t>> set = wrapped_set(dims, length(p));
  if (!set) return set.error();
  Shape out;
  for (std::int64_t i = 0; i < length(p); ++i) {
    if (!set->contains(i)) {
      out.push_back(p[index(i)]);
    } else if (keepdim) {
      out.push_back(1);
    }
  }
  return out;
}

Result<Shape> shape_weave(const Shape& p, const Shape& dims, const Shape& q,
                          bool keepdim) {
  // The dimension of a rank-0 tensor has neither an entry nor a place.
  if (p.empty() && q.empty()) return Shape{};
  const std::int64_t rank = length(p) + (keepdim ? 0 : length(q));
  const Result<std::set<std::int64_t>> set = wrapped_set(dims, rank);
  if (!set) return set.error();
  if (set->size() != q.size()) {
    return Error{"weave: " + std::to_string(set->size()) + " dimensions but " +
                 std::to_string(q.size()) + " entries " + shape_text(q)};
  }
  Shape out;
  std::size_t from_p = 0;
  std::size_t from_q = 0;
  for (std::int64_t i = 0; i < rank; ++i) {
    const bool picked = set->contains(i);
    out.push_back(picked ? q[from_q++] : p[from_p]);
    if (keepdim || !picked) ++from_p;
  }
  return out;
}

Result<std::int64_t> shape_ravel(const Shape& p, const Shape& s) {
  if (p.size() != s.size()) {
    return Error{"ravel: " + shape_text(p) + " is no index of shape " +
                 shape_text(s)};
  }
  std::int64_t out = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (__builtin_mul_overflow(out, s[i], &out) ||
        __builtin_add_overflow(out, p[i], &out)) {
      return Error{"ravel: the position does not fit 64 bits"};
    }
  }
  return out;
}

Result<Shape> shape_unravel(std::int64_t n, const Shape& s) {
  Shape out(s.size());
  for (std::size_t i = s.size(); i-- > 0;) {
    if (s[i] <= 0) {
      return Error{"unravel: shape " + shape_text(s) + " has no elements"};
    }
    out[i] = n % s[i];
    n /= s[i];
  }
  return out;
}

Result<Shape> shape_collapse(const Shape& s, std::int64_t d, std::int64_t e) {
  const Result<std::int64_t> first = wrapped(d, length(s));
  const Result<std::int64_t> last = wrapped(e, length(s));
  if (!first) return first.error();
  if (!last) return last.error();
  if (s.empty()) return Shape{1};
  if (*first > *last) {
    return Error{"collapse: dimension " + std::to_string(d) +
                 " comes after dimension " + std::to_string(e)};
  }
  const Shape middle(s.begin() + *first, s.begin() + *last + 1);
  const Result<std::int64_t> product = shape_product(middle);
  if (!product) return product.error();
  Shape out(s.begin(), s.begin() + *first);
  out.push_back(*product);
  out.insert(out.end(), s.begin() + *last + 1, s.end());
  return out;
}

Result<Shape> shape_infer(Shape s, std::int64_t n) {
  const auto unknown = std::find(s.begin(), s.end(), -1);
  if (unknown == s.end()) return s;
  *unknown = 1;
  const Result<std::int64_t> others = shape_product(s);
  if (!others) return others.error();
  if (*others <= 0 || n % *others != 0) {
    return Error{"infer: " + std::to_string(n) +
                 " elements do not divide into the other sizes, of product " +
                 std::to_string(*others)};
  }
  *unknown = n / *others;
  return s;
}

Result<Shape> shape_expanded(const Shape& s, const Shape& size) {
  if (size.size() < s.size()) {
    return Error{"cannot expand " + shape_text(s) + " to " + shape_text(size)};
  }
  Shape out = size;
  const std::size_t added = size.size() - s.size();
  for (std::size_t i = 0; i < s.size(); ++i) {
    std::int64_t& n = out[added + i];
    if (n == -1) n = s[i];
  }
  return out;
}

Result<Shape> shape_concat(const std::vector<Shape>& shapes, std::int64_t d) {
  if (shapes.empty()) return Error{"concat_shape of an empty list"};
  Shape out = shapes.front();
  const Result<std::int64_t> w = wrapped(d, length(out));
  if (!w) return w.error();
  if (out.empty()) return Error{"concat_shape of a tensor of rank 0"};
  out[index(*w)] = 0;
  for (const Shape& s : shapes) {
    if (s.size() != out.size()) {
      return Error{"concat_shape: " + shape_text(s) +
                   " has another rank than " + shape_text(shapes.front())};
    }
    if (__builtin_add_overflow(out[index(*w)], s[index(*w)], &out[index(*w)])) {
      return Error{"concat_shape: the size does not fit 64 bits"};
    }
  }
  return out;
}

bool viewable(const Shape& sizes, const Shape& strides, const Shape& to) {
  const Result<std::int64_t> from_count = shape_product(sizes);
  const Result<std::int64_t> to_count = shape_product(to);
  if (!from_count || !to_count || *from_count != *to_count) return false;
  if (std::any_of(to.begin(), to.end(), [](auto n) { return n < 0; })) {
    return false;
  }
  if (*from_count == 0 || sizes.empty()) return true;
  // Runs of source dimensions whose elements lie evenly spaced; each must be
  // covered by whole target dimensions.
  std::size_t target = to.size();
  std::int64_t base = strides.back();
  std::int64_t run = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    run *= sizes[i];
    const bool ends =
        i == 0 || (sizes[i - 1] != 1 && strides[i - 1] != run * base);
    if (!ends) continue;
    std::int64_t covered = 1;
    while (target > 0 && (covered < run || to[target - 1] == 1)) {
      covered *= to[--target];
    }
    if (covered != run) return false;
    if (i > 0) base = strides[i - 1];
    run = 1;
  }
  return target == 0;
}

}  // namespace assay::language
