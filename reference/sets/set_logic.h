// Comparisons, tests and logic on sets: the truth values that are possible,
// as the sets {0}, {1} or {0, 1}.
#ifndef ASSAY_REFERENCE_SETS_SET_LOGIC_H_
#define ASSAY_REFERENCE_SETS_SET_LOGIC_H_

#include "reference/sets/pieces.h"
#include "suite/language/functions/comparison.h"
#include "suite/language/functions/functions.h"

namespace assay::reference {

using language::Bitwise;
using language::Comparison;

// What may come out: true, false, each known or not.
struct Truth {
  Known can_be_true = Known::no;
  Known can_be_false = Known::no;
};

template <class N>
Set<N> truth_set(Truth t, bool unsure = false, bool unspecified = false) {
  const bool no = t.can_be_false != Known::no;
  const bool yes = t.can_be_true != Known::no;
  const Set<N> zero = Set<N>::of(0.0);
  const Set<N> one = Set<N>::of(1.0);
  const bool either_way = unspecified || no == yes;
  Set<N> r = either_way ? unite(zero, one) : yes ? one : zero;
  r.unsure =
      unsure || t.can_be_true == Known::maybe || t.can_be_false == Known::maybe;
  r.unspecified = unspecified;
  return r;
}

// What a set of any intervals says as a condition: nonzero is true, and so is
// NaN.
template <class N>
Truth truth_of(const Set<N>& x) {
  Truth t;
  if (x.may_nan) t.can_be_true = Known::yes;
  const Real<N> zero = Real<N>::of(0.0);
  each_interval(x, [&](const Real<N>& lo, const Real<N>& hi) {
    t.can_be_false = either(t.can_be_false,
                            both(less_equal(lo, zero), less_equal(zero, hi)));
    t.can_be_true =
        either(t.can_be_true, either(less(lo, zero), less(zero, hi)));
  });
  return t;
}

template <class N>
Truth less_truth(const Set<N>& x, const Set<N>& y) {
  Truth t;
  if (x.may_nan || y.may_nan) t.can_be_false = Known::yes;
  if (!x.has_values || !y.has_values) return t;
  t.can_be_true = less(x.lo, y.hi);
  t.can_be_false = either(t.can_be_false, less_equal(y.lo, x.hi));
  return t;
}

template <class N>
Truth less_equal_truth(const Set<N>& x, const Set<N>& y) {
  Truth t;
  if (x.may_nan || y.may_nan) t.can_be_false = Known::yes;
  if (!x.has_values || !y.has_values) return t;
  t.can_be_true = less_equal(x.lo, y.hi);
  t.can_be_false = either(t.can_be_false, less(y.lo, x.hi));
  return t;
}

template <class N>
Truth equal_truth(const Set<N>& x, const Set<N>& y) {
  Truth t;
  if (x.may_nan || y.may_nan) t.can_be_false = Known::yes;
  if (!x.has_values || !y.has_values) return t;
  t.can_be_true = both(less_equal(x.lo, y.hi), less_equal(y.lo, x.hi));
  // Different members exist unless all four ends are equal.
  t.can_be_false =
      either(t.can_be_false, either(less(x.lo, y.hi), less(y.lo, x.hi)));
  return t;
}

template <class N>
Set<N> compare_sets(Comparison op, const Set<N>& x, const Set<N>& y) {
  Truth t;
  switch (op) {
    case Comparison::eq:
      t = equal_truth(x, y);
      break;
    case Comparison::ne:
      t = equal_truth(x, y);
      std::swap(t.can_be_true, t.can_be_false);
      break;
    case Comparison::lt:
      t = less_truth(x, y);
      break;
    case Comparison::le:
      t = less_equal_truth(x, y);
      break;
    case Comparison::gt:
      t = less_truth(y, x);
      break;
    case Comparison::ge:
      t = less_equal_truth(y, x);
      break;
  }
  return truth_set<N>(t, x.unsure || y.unsure, x.unspecified || y.unspecified);
}

template <class N>
Set<N> as_condition(const Set<N>& x) {
  return truth_set<N>(truth_of(x), x.unsure, x.unspecified);
}

template <class N>
Set<N> logical_not(const Set<N>& x) {
  Truth t = truth_of(x);
  std::swap(t.can_be_true, t.can_be_false);
  return truth_set<N>(t, x.unsure, x.unspecified);
}

template <class N>
Set<N> logical_and(const Set<N>& x, const Set<N>& y) {
  const Truth p = truth_of(x);
  const Truth q = truth_of(y);
  return truth_set<N>({both(p.can_be_true, q.can_be_true),
                       either(p.can_be_false, q.can_be_false)},
                      x.unsure || y.unsure, x.unspecified || y.unspecified);
}

template <class N>
Set<N> logical_or(const Set<N>& x, const Set<N>& y) {
  return logical_not(logical_and(logical_not(x), logical_not(y)));
}

// Operations on the bits of integers, in two's complement.
template <class N>
Set<N> bitwise(Bitwise op, const Set<N>& x, const Set<N>& y) {
  const auto is_known = [](const Set<N>& s) {
    return s.has_values && s.is_exact_point() && !s.may_nan && !s.unspecified;
  };
  if (!is_known(x) || !is_known(y)) {
    Set<N> any = Set<N>::anything();
    any.unsure = x.unsure || y.unsure || (x.point && y.point);
    return any;
  }
  const std::uint64_t p = low_64_bits(x.lo.a);
  const std::uint64_t q = low_64_bits(y.lo.a);
  const std::uint64_t bits = op == Bitwise::conjunction   ? p & q
                             : op == Bitwise::disjunction ? p | q
                                                          : p ^ q;
  // The sign is a bit like the others, repeated without end.
  const bool s = sign_bit(x.lo.a) && !is_zero(x.lo.a);
  const bool t = sign_bit(y.lo.a) && !is_zero(y.lo.a);
  const bool negative = op == Bitwise::conjunction   ? s && t
                        : op == Bitwise::disjunction ? s || t
                                                     : s != t;
  Set<N> r = Set<N>::of_element(negative ? DType::i64 : DType::u64, bits);
  r.take_flags(x);
  r.take_flags(y);
  return r;
}

template <class N>
Set<N> is_nan_set(const Set<N>& x) {
  return truth_set<N>({x.may_nan ? Known::yes : Known::no,
                       x.has_values ? Known::yes : Known::no},
                      x.unsure, x.unspecified);
}

template <class N>
Set<N> is_inf_set(const Set<N>& x) {
  Truth t;
  if (x.may_nan) t.can_be_false = Known::yes;
  if (x.has_values) {
    t.can_be_true = contains_infinity(x);
    // Only infinities: the set ends where it begins, at one of them.
    const bool above = is_inf(x.lo.b) && !sign_bit(x.lo.b);
    const bool below = is_inf(x.hi.a) && sign_bit(x.hi.a);
    const bool sure = (above && x.lo.is_point()) || (below && x.hi.is_point());
    t.can_be_false = either(t.can_be_false, sure             ? Known::no
                                            : above || below ? Known::maybe
                                                             : Known::yes);
  }
  return truth_set<N>(t, x.unsure, x.unspecified);
}

template <class N>
Set<N> sign_bit_set(const Set<N>& x) {
  Truth t;
  if (x.may_nan) t = {Known::yes, Known::yes};
  if (x.has_values) {
    const auto known = [](bool first, bool second) {
      return first == second ? (first ? Known::yes : Known::no) : Known::maybe;
    };
    t.can_be_true =
        either(t.can_be_true, known(sign_bit(x.lo.a), sign_bit(x.lo.b)));
    t.can_be_false =
        either(t.can_be_false, known(!sign_bit(x.hi.a), !sign_bit(x.hi.b)));
  }
  return truth_set<N>(t, x.unsure, x.unspecified);
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SETS_SET_LOGIC_H_
