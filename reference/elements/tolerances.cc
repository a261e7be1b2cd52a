#include "reference/elements/tolerances.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/elements/accuracy.h"
#include "reference/sets/set_logic.h"

namespace assay::reference {
namespace {

constexpr double kUpward = 1 + 0x1p-30;

template <class N>
double upper_end(const Set<N>& s) {
  if (!s.has_values) return 0;
  return above(s.hi.b);
}

// The largest finite magnitude in a set. An infinity stands for the numbers
// of `t` that overflow to it, unless it is all there is.
template <class N>
double largest_magnitude(const Set<N>& s, DType t) {
  if (!s.has_values) return 0;
  const double lo = below(s.lo.a);
  const double hi = above(s.hi.b);
  if (std::isinf(lo) && lo == hi) return 0;
  const double limit =
      is_float(t) && t != DType::f64 ? beyond_largest(t) : kLargest;
  return std::min(std::max(std::fabs(lo), std::fabs(hi)), limit);
}

template <class N>
double least_magnitude(const Set<N>& s) {
  if (!s.has_values) return 0;
  const double lo = below(s.lo.a);
  const double hi = above(s.hi.b);
  if (lo > 0) return lo;
  return hi < 0 ? -hi : 0;
}

// Of one known number, else kNoGrain.
template <class N>
int grain_of_set(const Set<N>& s) {
  if (!s.has_values || s.may_nan || !s.is_exact_point()) return kNoGrain;
  const double x = below(s.lo.a);
  return compare(exact<N>(x), s.lo.a) == 0 ? grain_of(x) : kNoGrain;
}

int product_grain(int p, int q) {
  if (p == kNoGrain || q == kNoGrain) return kNoGrain;
  return std::min(p + q, kAllGrains);
}

// A bound is lost where it passes by numbers, or by differences of such, that
// the engine does not hold: its upper end may be infinite, and admit anything.
// Only doubles also lose some of it; MPFR is asked next.
template <class N>
bool is_lost(const Set<N>& s) {
  if (!s.has_values) return false;
  const double lo = below(s.hi.a);
  const double hi = above(s.hi.b);
  if (std::is_same_v<N, Mp>) return std::isinf(hi) && lo < kLargest;
  return s.unsure ||
         (hi > 0 && lo < hi && (std::isinf(hi) || hi - lo > kWider * hi));
}

double finite_or_zero(double x) { return std::isfinite(x) ? x : 0; }

}  // namespace

template <class N>
std::optional<Tolerance> Tolerances<N>::at(const Nest& plan, Frame& frame,
                                           const Set<N>& exact_values) {
  using Bound = language::Accuracy::Bound;
  const NestAccuracy& a = plan.accuracy;
  if (!exact_values.has_values || exact_values.unspecified) {
    return std::nullopt;
  }
  if (a.spec->bound == Bound::dot) {
    return of_sums(plan, frame, exact_values);
  }
  if (a.spec->bound != Bound::tolerance) return std::nullopt;
  Tolerance t;
  t.measured = a.measured;
  const auto budget = [&](int node) {
    const Set<N>& bound = expressions_.value(plan, node, frame);
    t.unsure = t.unsure || is_lost(bound);
    return std::max(0.0, upper_end(bound));
  };
  if (a.ulp >= 0) t.ulp = budget(a.ulp);
  if (a.subnormal_ulp >= 0) t.subnormal_ulp = budget(a.subnormal_ulp);
  if (a.absolute >= 0) t.absolute = budget(a.absolute);
  t.keeps_sign = t.absolute == 0;
  t.range = a.spec->range;
  return t;
}

template <class N>
Tolerance Tolerances<N>::of_sums(const Nest& plan, Frame& frame,
                                 const Set<N>& exact_values) {
  const NestAccuracy& a = plan.accuracy;
  const FloatFormat f = float_format(a.measured);
  const Magnitude m = magnitude(plan, plan.out().body, frame);
  double height = m.terms + a.operations;
  if (a.height >= 0)
    height = upper_end(expressions_.value(plan, a.height, frame));
  const double u = std::ldexp(1.0, -f.precision);
  const auto gamma_of = [u](double h) {
    return h * u < 1 ? h * u / (1 - h * u) : kInfinity;
  };
  const double gamma = gamma_of(height);
  Tolerance t;
  t.measured = a.measured;
  t.range = a.spec->range;
  // Integers times one power of two whose magnitudes together fit the
  // significand: every partial sum in every order is exact.
  if (fits(m.size, f.precision, m.grain) &&
      m.grain >= f.emin - f.precision + 1) {
    return t;
  }
  if (m.size > 0) {
    // Half of the least element for each rounding; of f64 that is no double.
    const double underflow =
        a.underflows ? std::ldexp(height, f.emin - f.precision) : 0;
    t.absolute = gamma * m.size * kUpward + underflow;
    if (a.tree >= 0) {
      const double tree = upper_end(expressions_.value(plan, a.tree, frame));
      t.tree = gamma_of(tree) * m.size * kUpward + underflow;
    }
    t.spread = u * m.size * std::sqrt(height) + underflow;
  }
  // Partial results overflow where all terms of one sign together would.
  const double threshold =
      std::ldexp(1.0, f.emax) * (2 - std::ldexp(1.0, -f.precision));
  const double peak = m.peak * (1 + std::min(gamma, 1.0));
  if (peak < threshold || m.size == 0) return t;
  if (exact_values.lo.is_infinite_point() && exact_values.point) {
    t.nan = true;
    return t;
  }
  const double lo = std::max(below(exact_values.lo.a), -m.size);
  const double hi = std::min(above(exact_values.hi.b), m.size);
  const double scale = peak / m.size;
  t.positive_overflow = scale * (m.size + hi) / 2 * kUpward >= threshold;
  t.negative_overflow = scale * (m.size - lo) / 2 * kUpward >= threshold;
  t.nan = t.positive_overflow && t.negative_overflow;
  return t;
}

template <class N>
Magnitude Tolerances<N>::magnitude(const Nest& plan, int node, Frame& frame) {
  using Op = ValueNode::Op;
  const ValueNode& v = plan.values[static_cast<std::size_t>(node)];
  const auto leaf = [](double size, int grain) {
    return Magnitude{size, size, 0, grain};
  };
  const auto own_value = [&](DType t, bool exact) {
    const Set<N>& s = expressions_.value(plan, node, frame);
    return leaf(largest_magnitude(s, t), exact ? grain_of_set(s) : kNoGrain);
  };
  const auto combined = [](const Magnitude& p, const Magnitude& q,
                           double size) {
    size = finite_or_zero(size);
    return Magnitude{size, std::max({p.peak, q.peak, size}), p.terms + q.terms,
                     std::min(p.grain, q.grain)};
  };
  const auto product = [&](const Magnitude& p, const Magnitude& q) {
    Magnitude m = combined(p, q, p.size * q.size);
    m.grain = product_grain(p.grain, q.grain);
    return m;
  };
  switch (v.op) {
    case Op::element:
    case Op::inside:
      return own_value(v.dtype, true);
    case Op::integer:
    case Op::real:
    case Op::index:
    case Op::round:
      return own_value(DType::f64, true);
    case Op::neg:
    case Op::abs:
      return magnitude(plan, v.a, frame);
    case Op::square: {
      const Magnitude p = magnitude(plan, v.a, frame);
      Magnitude m = product(p, p);
      m.terms = p.terms;
      return m;
    }
    case Op::add:
    case Op::sub: {
      const Magnitude p = magnitude(plan, v.a, frame);
      const Magnitude q = magnitude(plan, v.b, frame);
      return combined(p, q, p.size + q.size);
    }
    case Op::mul: {
      const Magnitude p = magnitude(plan, v.a, frame);
      const Magnitude q = magnitude(plan, v.b, frame);
      return product(p, q);
    }
    case Op::div: {
      const Magnitude p = magnitude(plan, v.a, frame);
      const double by = least_magnitude(expressions_.value(plan, v.b, frame));
      return combined(p, {}, p.size / by);
    }
    case Op::max:
    case Op::min: {
      const Magnitude p = magnitude(plan, v.a, frame);
      const Magnitude q = magnitude(plan, v.b, frame);
      return combined(p, q, std::max(p.size, q.size));
    }
    case Op::where: {
      const Truth t = truth_of(expressions_.value(plan, v.a, frame));
      Magnitude p, q;
      p.grain = q.grain = kAllGrains;
      if (t.can_be_true != Known::no) p = magnitude(plan, v.b, frame);
      if (t.can_be_false != Known::no) q = magnitude(plan, v.c, frame);
      Magnitude m = combined(p, q, std::max(p.size, q.size));
      m.terms = std::max(p.terms, q.terms);
      return m;
    }
    case Op::reduce:
      return magnitude_of_sum(plan, v.reduction, frame);
    default:
      return own_value(DType::f64, false);
  }
}

template <class N>
Magnitude Tolerances<N>::magnitude_of_sum(const Nest& plan, int reduction,
                                          Frame& frame) {
  using Kind = Reduction;
  if (const auto& known = expressions_.contracted(plan, reduction)) {
    return *known;
  }
  const ReductionNode& r = plan.reductions[static_cast<std::size_t>(reduction)];
  Magnitude m;
  m.grain = kAllGrains;
  if (r.kind == Kind::prod) m.size = 1;
  double inner_terms = 0;
  expressions_.each_term(plan, r, frame, [&] {
    const Magnitude t = magnitude(plan, r.body, frame);
    m.terms += 1;
    inner_terms = std::max(inner_terms, t.terms);
    if (r.kind == Kind::max || r.kind == Kind::min) {
      m.size = std::max(m.size, t.size);
    } else {
      m.size = r.kind == Kind::prod ? m.size * t.size : m.size + t.size;
    }
    m.size = finite_or_zero(m.size);
    m.peak = std::max({m.peak, t.peak, m.size});
    m.grain = std::min(m.grain, t.grain);
  });
  if (r.kind == Kind::mean && m.terms > 0) {
    m.size /= m.terms;
    m.grain = grain_of_mean(m.grain, m.terms);
  }
  // Partial products of integers are less than the whole, others may not be.
  if (r.kind == Kind::prod) m.grain = m.grain >= 0 ? 0 : kNoGrain;
  m.terms += inner_terms;
  return m;
}

template class Tolerances<double>;
template class Tolerances<Mp>;

}  // namespace assay::reference
