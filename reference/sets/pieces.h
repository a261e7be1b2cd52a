// Sets of several intervals: what is discrete (a rounding to integers, a sign,
// either branch of a choice) has gaps between its members, and a wrong answer
// may lie in one.
#ifndef ASSAY_REFERENCE_SETS_PIECES_H_
#define ASSAY_REFERENCE_SETS_PIECES_H_

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reference/sets/set.h"

namespace assay::reference {

// More intervals than this are joined across the narrowest gaps: then a set
// has members that it need not have, and never lacks one.
inline constexpr std::size_t kMaxPieces = 32;

// Calls visit(lo, hi) of each interval.
template <class N, class Visit>
void each_interval(const Set<N>& x, const Visit& visit) {
  if (!x.has_values) return;
  if (!x.pieces) return visit(x.lo, x.hi);
  for (const Interval<N>& i : *x.pieces) visit(i.lo, i.hi);
}

// Makes the intervals, at least one and in any order, the values of the set.
template <class N>
void put_intervals(std::vector<Interval<N>> parts, Set<N>* s) {
  std::sort(parts.begin(), parts.end(),
            [](const Interval<N>& x, const Interval<N>& y) {
              return precedes(x.lo.a, y.lo.a);
            });
  std::vector<Interval<N>> apart;
  for (Interval<N>& part : parts) {
    if (!apart.empty() && less(apart.back().hi, part.lo) != Known::yes) {
      apart.back().lo = least(apart.back().lo, part.lo);
      apart.back().hi = greatest(apart.back().hi, part.hi);
    } else {
      apart.push_back(std::move(part));
    }
  }
  while (apart.size() > kMaxPieces) {
    const auto gap = [&](std::size_t i) {
      return below(apart[i + 1].lo.a) - above(apart[i].hi.b);
    };
    std::size_t narrowest = 0;
    for (std::size_t i = 1; i + 1 < apart.size(); ++i) {
      if (gap(i) < gap(narrowest)) narrowest = i;
    }
    apart[narrowest].hi = apart[narrowest + 1].hi;
    apart.erase(apart.begin() + static_cast<std::ptrdiff_t>(narrowest) + 1);
  }
  s->lo = apart.front().lo;
  s->hi = apart.back().hi;
  s->has_values = true;
  s->pieces = nullptr;
  s->settle();
  if (apart.size() == 1) return;
  s->pieces =
      std::make_shared<const std::vector<Interval<N>>>(std::move(apart));
}

// Everything that either may be.
template <class N>
Set<N> unite(const Set<N>& x, const Set<N>& y) {
  Set<N> r = x.has_values ? x : y;
  if (x.has_values && y.has_values) {
    std::vector<Interval<N>> parts;
    for (const Set<N>* s : {&x, &y}) {
      each_interval(*s, [&parts](const Real<N>& lo, const Real<N>& hi) {
        parts.push_back({lo, hi});
      });
    }
    put_intervals(std::move(parts), &r);
  }
  r.take_flags(x);
  r.take_flags(y);
  return r;
}

// One set per interval. The first has the flags too, so that what a NaN does
// is done once.
template <class N>
std::vector<Set<N>> taken_apart(const Set<N>& x) {
  if (!x.pieces) return {x};
  std::vector<Set<N>> parts;
  for (const Interval<N>& i : *x.pieces) {
    parts.push_back(Set<N>::range(i.lo, i.hi));
  }
  parts.front().take_flags(x);
  return parts;
}

// What an operation on sets of one interval makes of any.
template <class N, class Operation>
Set<N> over_pieces(const Set<N>& x, const Operation& op) {
  if (!x.pieces) return op(x);
  std::optional<Set<N>> all;
  for (const Set<N>& part : taken_apart(x)) {
    all = all ? unite(*all, op(part)) : op(part);
  }
  return *all;
}
template <class N, class Operation>
Set<N> over_pieces(const Set<N>& x, const Set<N>& y, const Operation& op) {
  if (!x.pieces && !y.pieces) return op(x, y);
  return over_pieces(x, [&](const Set<N>& p) {
    return over_pieces(y, [&](const Set<N>& q) { return op(p, q); });
  });
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SETS_PIECES_H_
