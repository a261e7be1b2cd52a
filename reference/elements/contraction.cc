#include "reference/elements/contraction.h"

#include <algorithm>
#include <cmath>

namespace assay::reference {
namespace {

struct Sums {
  double lo = 0, hi = 0, magnitude = 0, width = 0;
};

// One innermost loop; the variants differ in what the factors carry.
void both_exact(const double* a, std::int64_t sa, const double* b,
                std::int64_t sb, std::int64_t n, Sums* sums) {
  double total[4] = {};
  double size[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int lane = 0; lane < 4; ++lane) {
      const double p = a[(i + lane) * sa] * b[(i + lane) * sb];
      total[lane] += p;
      size[lane] += std::fabs(p);
    }
  }
  for (; i < n; ++i) {
    const double p = a[i * sa] * b[i * sb];
    total[0] += p;
    size[0] += std::fabs(p);
  }
  const double sum = (total[0] + total[1]) + (total[2] + total[3]);
  sums->lo += sum;
  sums->hi += sum;
  sums->magnitude += (size[0] + size[1]) + (size[2] + size[3]);
}

// `w` exact, `x` a set.
void one_exact(const double* w, std::int64_t sw, const Packed& x,
               std::int64_t start, std::int64_t sx, std::int64_t n,
               Sums* sums) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double f = w[i * sw];
    const auto at = static_cast<std::size_t>(start + i * sx);
    const double p = f * x.lo[at];
    const double q = f * x.hi[at];
    const double size = std::fabs(f);
    sums->lo += f < 0 ? q : p;
    sums->hi += f < 0 ? p : q;
    sums->magnitude += size * x.magnitude[at];
    sums->width += size * x.width[at];
  }
}

void both_sets(const Packed& x, std::int64_t x_start, std::int64_t sx,
               const Packed& y, std::int64_t y_start, std::int64_t sy,
               std::int64_t n, Sums* sums) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto p = static_cast<std::size_t>(x_start + i * sx);
    const auto q = static_cast<std::size_t>(y_start + i * sy);
    const double c[4] = {x.lo[p] * y.lo[q], x.lo[p] * y.hi[q],
                         x.hi[p] * y.lo[q], x.hi[p] * y.hi[q]};
    sums->lo += std::min(std::min(c[0], c[1]), std::min(c[2], c[3]));
    sums->hi += std::max(std::max(c[0], c[1]), std::max(c[2], c[3]));
    sums->magnitude += x.magnitude[p] * y.magnitude[q];
    sums->width += x.magnitude[p] * y.width[q] + y.magnitude[q] * x.width[p];
  }
}

class Summation {
 public:
  Summation(const Walk& a, const Walk& b,
            const std::vector<std::int64_t>& extents)
      : a_(a), b_(b), extents_(extents), order_(extents.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    // Longest innermost; any order of summation is as good as another.
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t i, std::size_t j) {
                       return extents_[i] < extents_[j];
                     });
  }

  Sums run() {
    nest(0, a_.start, b_.start);
    return sums_;
  }

 private:
  void nest(std::size_t depth, std::int64_t at_a, std::int64_t at_b) {
    if (depth + 1 >= order_.size()) {
      const bool single = order_.empty();
      const std::size_t d = single ? 0 : order_[depth];
      innermost(at_a, single ? 0 : a_.steps[d], at_b, single ? 0 : b_.steps[d],
                single ? 1 : extents_[d]);
      return;
    }
    const std::size_t d = order_[depth];
    for (std::int64_t i = 0; i < extents_[d]; ++i) {
      nest(depth + 1, at_a + i * a_.steps[d], at_b + i * b_.steps[d]);
    }
  }

  void innermost(std::int64_t at_a, std::int64_t sa, std::int64_t at_b,
                 std::int64_t sb, std::int64_t n) {
    const Packed& x = *a_.data;
    const Packed& y = *b_.data;
    if (x.exact && y.exact) {
      both_exact(x.lo.data() + at_a, sa, y.lo.data() + at_b, sb, n, &sums_);
    } else if (x.exact) {
      one_exact(x.lo.data() + at_a, sa, y, at_b, sb, n, &sums_);
    } else if (y.exact) {
      one_exact(y.lo.data() + at_b, sb, x, at_a, sa, n, &sums_);
    } else {
      both_sets(x, at_a, sa, y, at_b, sb, n, &sums_);
    }
  }

  const Walk& a_;
  const Walk& b_;
  const std::vector<std::int64_t>& extents_;
  std::vector<std::size_t> order_;
  Sums sums_;
};

// Enough below x to make up for a few roundings.
double lowered(double x, double by) { return next_down(x - by); }
double raised(double x, double by) { return next_up(x + by); }

std::int64_t ceil_quotient(std::int64_t p, std::int64_t q) {
  return p > 0 ? (p + q - 1) / q : -(-p / q);
}

// Cuts each loop to where 0 <= base + k * i < size. False where no loop moves
// the index and it is out of range.
bool keep_within(std::int64_t base, std::int64_t size,
                 const std::vector<std::int64_t>& coefficients, TermBox* box) {
  bool moves = false;
  for (std::size_t n = 0; n < coefficients.size(); ++n) {
    const std::int64_t k = coefficients[n];
    if (k == 0) continue;
    moves = true;
    const std::int64_t low = k > 0 ? -base : base - size + 1;
    const std::int64_t high = k > 0 ? size - 1 - base : base;
    const std::int64_t step = k > 0 ? k : -k;
    std::int64_t& from = box->from[n];
    std::int64_t& to = box->to[n];
    from = std::max(from, ceil_quotient(low, step));
    to = std::min(to, high < 0 ? 0 : high / step + 1);
  }
  return moves || (base >= 0 && base < size);
}

}  // namespace

std::vector<std::int64_t> TermBox::extents() const {
  std::vector<std::int64_t> extents;
  for (std::size_t n = 0; n < from.size(); ++n) {
    extents.push_back(to[n] - from[n]);
  }
  return extents;
}

double TermBox::count() const {
  double count = 1;
  for (const std::int64_t n : extents()) count *= static_cast<double>(n);
  return count;
}

bool apply_guards(const Nest& plan, const Contraction& c, TermBox* box) {
  bool any = true;
  std::size_t next = 0;
  for (const Contraction::Factor& f : c.factors) {
    const Access& a = plan.accesses[static_cast<std::size_t>(f.access)];
    for (std::size_t d = 0; d < a.index.size(); ++d) {
      const std::int64_t base = box->base[next++];
      if (f.guarded && !keep_within(base, a.sizes[d], f.coefficients[d], box))
        any = false;
    }
  }
  const std::vector<std::int64_t> extents = box->extents();
  return any && std::all_of(extents.begin(), extents.end(),
                            [](std::int64_t n) { return n > 0; });
}

std::optional<std::vector<Walk>> walks_of(const Nest& plan,
                                          const Contraction& c,
                                          const TermBox& box) {
  std::vector<Walk> walks;
  std::size_t next = 0;
  for (const Contraction::Factor& f : c.factors) {
    const Access& a = plan.accesses[static_cast<std::size_t>(f.access)];
    Walk w;
    w.steps.assign(box.from.size(), 0);
    for (std::size_t d = 0; d < a.index.size(); ++d) {
      std::int64_t least = box.base[next++];
      std::int64_t start = least;
      std::int64_t most = least;
      for (std::size_t n = 0; n < box.from.size(); ++n) {
        const std::int64_t k = f.coefficients[d][n];
        const std::int64_t first = box.from[n], last = box.to[n] - 1;
        start += k * first;
        least += k * (k > 0 ? first : last);
        most += k * (k > 0 ? last : first);
        w.steps[n] += k * a.strides[d];
      }
      if (least < 0 || most >= a.sizes[d]) return std::nullopt;
      w.start += start * a.strides[d];
    }
    walks.push_back(std::move(w));
  }
  return walks;
}

bool fits(double magnitude, int precision, int grain) {
  if (grain == kAllGrains) return true;
  return grain > -1000 && grain < 900 &&
         magnitude <= std::ldexp(1.0, precision + grain);
}

int grain_of(double x) {
  if (x == 0) return kAllGrains;
  if (!std::isfinite(x)) return kNoGrain;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t significand = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) significand |= std::uint64_t{1} << 52;
  const int unit = (biased == 0 ? 1 : biased) - 1075;
  return unit + std::countr_zero(significand);
}

int grain_of_terms(const Walk& a, const Walk& b,
                   const std::vector<std::int64_t>& extents, double magnitude,
                   int precision) {
  int grain = kAllGrains;
  std::vector<std::int64_t> at(extents.size(), 0);
  std::int64_t i = a.start, j = b.start;
  while (true) {
    const double x = a.data->lo[static_cast<std::size_t>(i)];
    const double y = b.data->lo[static_cast<std::size_t>(j)];
    if (x != 0 && y != 0) grain = std::min(grain, grain_of(x) + grain_of(y));
    if (!fits(magnitude, precision, grain)) return kNoGrain;
    std::size_t d = extents.size();
    while (true) {
      if (d == 0) return grain;
      --d;
      i += a.steps[d];
      j += b.steps[d];
      if (++at[d] < extents[d]) break;
      i -= extents[d] * a.steps[d];
      j -= extents[d] * b.steps[d];
      at[d] = 0;
    }
  }
}

Packed pack(const std::vector<Set<double>>& elements) {
  Packed p;
  p.grain = kAllGrains;
  const std::size_t n = elements.size();
  for (const Set<double>& s : elements) {
    if (!s.is_exact_point()) p.exact = false;
    if (!s.point) p.points = false;
  }
  p.lo.resize(n);
  p.magnitude.resize(n);
  if (!p.exact) {
    p.hi.resize(n);
    p.width.resize(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Set<double>& s = elements[i];
    const bool usable = s.has_values && !s.may_nan && !s.unspecified &&
                        !s.unsure && std::isfinite(s.lo.a) &&
                        std::isfinite(s.hi.b);
    if (!usable) p.finite = false;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    p.lo[i] = usable ? s.lo.a : nan;
    p.magnitude[i] =
        usable ? std::max(std::fabs(s.lo.a), std::fabs(s.hi.b)) : nan;
    if (p.exact) {
      if (usable) p.grain = std::min(p.grain, grain_of(s.lo.a));
      continue;
    }
    p.hi[i] = usable ? s.hi.b : nan;
    p.width[i] =
        usable ? next_up(std::max(s.lo.b - s.lo.a, s.hi.b - s.hi.a)) : nan;
    if (s.lo.is_point() && s.hi.is_point()) p.width[i] = 0;
  }
  return p;
}

const Packed& packed_one() {
  static const Packed one = pack({Set<double>::of(1.0)});
  return one;
}

ContractionResult contract(const Walk& a, const Walk& b,
                           const std::vector<std::int64_t>& extents) {
  ContractionResult r;
  double n = 1;
  for (const std::int64_t e : extents) n *= static_cast<double>(e);
  const Sums s = n == 0 ? Sums{} : Summation(a, b, extents).run();
  if (!std::isfinite(s.magnitude) || !std::isfinite(s.width) ||
      s.magnitude == 0) {
    r.by_terms = true;
    return r;
  }
  // |computed - exact| <= gamma_(n+1) * sum |terms| and half a quantum per
  // product; the sum of magnitudes itself was rounded likewise.
  const double unit = 0x1p-53 * (n + 8);
  const double magnitude = s.magnitude * (1 + 2 * unit);
  r.magnitude = magnitude;
  const int grain = a.data->grain + b.data->grain;
  const bool exact = a.data->exact && b.data->exact;
  if (exact && grain > -1000 && grain < 900) r.grain = grain;
  if (r.grain != kNoGrain && magnitude < std::ldexp(1.0, 53 + grain)) {
    // Every partial sum is a multiple of 2^grain and fits 53 bits.
    r.by_terms = s.lo == 0;
    r.value = Set<double>::of(s.lo);
    return r;
  }
  const double error = magnitude * unit * 1.0000001 + n * kSmallest;
  const double width = s.width * (1 + 4 * unit);
  const double low = lowered(s.lo, error);
  const double high = raised(s.hi, error);
  if (a.data->points && b.data->points) {
    r.value = Set<double>::of(Real<double>{low, high});
    r.value.point = true;
    return r;
  }
  r.value =
      Set<double>::range({low, std::max(low, raised(s.lo + width, error))},
                         {std::min(high, lowered(s.hi - width, error)), high});
  return r;
}

}  // namespace assay::reference
