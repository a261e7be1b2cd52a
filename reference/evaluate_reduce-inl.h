// Reductions: term by term, or in tight loops where they are contractions.
// Part of evaluator.cc, where the engines are instantiated.
#ifndef ASSAY_REFERENCE_EVALUATE_REDUCE_INL_H_
#define ASSAY_REFERENCE_EVALUATE_REDUCE_INL_H_

#include <algorithm>
#include <type_traits>

#include "reference/evaluator.h"

namespace assay::reference {

// Calls `visit` for every term, innermost index last, until it says false.
template <class N>
template <class Visit>
bool Evaluator<N>::each_term(const NodePlan& plan, const Reduction& r,
                             std::size_t depth, Frame& frame,
                             const Visit& visit) {
  if (depth == r.ranges.size()) return visit();
  const Reduction::Range& range = r.ranges[depth];
  bool unsure = false;
  const std::int64_t from =
      range.from < 0 ? 0 : index(plan, range.from, frame, &unsure);
  const std::int64_t to = index(plan, range.to, frame, &unsure);
  if (unsure) fail(plan, "the bounds of a reduction are not known");
  for (std::int64_t i = from; i < to; ++i) {
    frame.slots[range.slot] = i;
    if (!each_term(plan, r, depth + 1, frame, visit)) return false;
  }
  return true;
}

template <class N>
Admitted<N> Evaluator<N>::choose(const NodePlan& plan, int reduction,
                                 Frame& frame) {
  const Reduction& r = plan.reductions[static_cast<std::size_t>(reduction)];
  const int slot = r.ranges.front().slot;
  std::vector<std::uint64_t> members;
  bool unsure = false;
  each_term(plan, r, 0, frame, [&] {
    const Set<N> holds = value(plan, r.body, frame);
    const Truth t = truth_of(holds);
    unsure = unsure || holds.unsure || t.can_be_true == Known::maybe;
    if (t.can_be_true != Known::no) {
      members.push_back(static_cast<std::uint64_t>(frame.slots[slot]));
    }
    return error_.empty();
  });
  Admitted<N> out;
  out.elements.undecided = unsure;
  out.elements.has_values = !members.empty();
  if (members.empty()) {  // of a wrong value, seen: nothing fits it
    out.in_flight = Set<N>::anything();
    return out;
  }
  const auto number = [](std::uint64_t n) {
    return Real<N>::of_integer(static_cast<std::int64_t>(n));
  };
  out.in_flight =
      Set<N>::range(number(members.front()), number(members.back()));
  out.in_flight.unsure = unsure;
  out.elements.lo = members.front();
  out.elements.hi = members.back();
  if (members.size() <= members.back() - members.front()) {
    out.elements.members =
        std::make_shared<const std::vector<std::uint64_t>>(std::move(members));
  }
  return out;
}

template <class N>
Set<N> Evaluator<N>::reduce(const NodePlan& plan, int reduction, Frame& frame) {
  using Kind = Reduction::Kind;
  const Reduction& r = plan.reductions[static_cast<std::size_t>(reduction)];
  if (r.contraction >= 0) {
    if (std::optional<Set<N>> s = contract(plan, reduction, frame)) return *s;
  }
  if (r.kind == Kind::which) return choose(plan, reduction, frame).in_flight;
  std::optional<Set<N>> total;
  std::int64_t terms = 0;
  each_term(plan, r, 0, frame, [&] {
    Set<N> term = value(plan, r.body, frame);
    ++terms;
    const bool logic =
        r.kind == Kind::any || r.kind == Kind::all || r.kind == Kind::count;
    if (logic) term = as_condition(term);
    if (!total) {
      total = std::move(term);
    } else if (r.kind == Kind::prod) {
      total = multiply(*total, term);
    } else if (r.kind == Kind::max) {
      total = maximum(*total, term);
    } else if (r.kind == Kind::min) {
      total = minimum(*total, term);
    } else if (r.kind == Kind::any) {
      total = logical_or(*total, term);
    } else if (r.kind == Kind::all) {
      total = logical_and(*total, term);
    } else {
      total = add(*total, term);
    }
    return error_.empty();
  });
  if (total) {
    if (r.kind != Kind::mean) return *total;
    return divide(*total, Set<N>::of_integer(terms));
  }
  switch (r.kind) {
    case Kind::prod:
    case Kind::all:
      return Set<N>::of(1.0);
    case Kind::max:
      return Set<N>::of(-kInfinity);
    case Kind::min:
      return Set<N>::of(kInfinity);
    case Kind::mean:
      return Set<N>::only_nan();
    default:
      return Set<N>::of(0.0);
  }
}

template <class N>
const Packed& Evaluator<N>::packed(const NodePlan& plan, const Access& a) {
  static_assert(std::is_same_v<N, double> || std::is_same_v<N, Mp>);
  if constexpr (std::is_same_v<N, double>) {
    // Definitions are packed under a key of their own.
    const int key =
        a.is_definition() ? -1 - (plan.value * 64 + a.definition()) : a.source;
    const auto it = packed_.find(key);
    if (it != packed_.end()) return it->second;
    if (a.is_definition()) {
      const auto d = static_cast<std::size_t>(a.definition());
      const std::int64_t n = element_count(plan.definitions[d].extents);
      for (std::int64_t i = 0; i < n; ++i) {
        definition_element(plan, a.definition(), i);
      }
      return packed_[key] = pack(work(plan).definitions[d].sets);
    }
    fill(a.source);
    return packed_[key] =
               pack(flight_[static_cast<std::size_t>(a.source)].sets);
  } else {
    return packed_one();  // never asked for
  }
}

template <class N>
std::optional<Set<N>> Evaluator<N>::contract(const NodePlan& plan,
                                             int reduction, Frame& frame) {
  if constexpr (std::is_same_v<N, double>) {
    if (reads_ != nullptr) return std::nullopt;
    const Reduction& r = plan.reductions[static_cast<std::size_t>(reduction)];
    const Contraction& c =
        plan.contractions[static_cast<std::size_t>(r.contraction)];
    const std::size_t loops = r.ranges.size();
    std::vector<std::int64_t> from(loops), to(loops);
    double terms = 1;
    bool unsure = false;
    for (std::size_t n = 0; n < loops; ++n) {
      const Reduction::Range& range = r.ranges[n];
      from[n] = range.from < 0 ? 0 : index(plan, range.from, frame, &unsure);
      to[n] = std::max(from[n], index(plan, range.to, frame, &unsure));
      terms *= static_cast<double>(to[n] - from[n]);
      frame.slots[range.slot] = 0;
    }
    if (terms == 0) return std::nullopt;

    // Index of each factor and dimension where all loops stand at zero; a
    // guard then cuts the box of indices.
    std::vector<std::int64_t> bases;
    bool nothing = false;
    for (const Contraction::Factor& f : c.factors) {
      const Access& a = plan.accesses[static_cast<std::size_t>(f.access)];
      for (std::size_t d = 0; d < a.index.size(); ++d) {
        const std::int64_t base = index(plan, a.index[d], frame, &unsure);
        bases.push_back(base);
        if (!f.guarded) continue;
        const std::int64_t size = a.sizes[d];
        bool moves = false;
        for (std::size_t n = 0; n < loops; ++n) {
          const std::int64_t k = f.coefficients[d][n];
          if (k == 0) continue;
          moves = true;
          // 0 <= base + k * i < size
          const std::int64_t low = k > 0 ? -base : base - size + 1;
          const std::int64_t high = k > 0 ? size - 1 - base : base;
          const std::int64_t step = k > 0 ? k : -k;
          const auto ceil_of_quotient = [](std::int64_t p, std::int64_t q) {
            return p > 0 ? (p + q - 1) / q : -(-p / q);
          };
          from[n] = std::max(from[n], ceil_of_quotient(low, step));
          to[n] = std::min(to[n], high < 0 ? 0 : high / step + 1);
        }
        if (!moves && (base < 0 || base >= size)) nothing = true;
      }
    }
    std::vector<std::int64_t> extents(loops);
    for (std::size_t n = 0; n < loops; ++n) {
      extents[n] = to[n] - from[n];
      if (extents[n] <= 0) nothing = true;
    }
    if (nothing || unsure) return std::nullopt;

    std::vector<Walk> walks;
    std::size_t next_base = 0;
    for (const Contraction::Factor& f : c.factors) {
      const Access& a = plan.accesses[static_cast<std::size_t>(f.access)];
      Walk w;
      w.steps.assign(loops, 0);
      for (std::size_t d = 0; d < a.index.size(); ++d) {
        std::int64_t least = bases[next_base++];
        std::int64_t start = least;
        std::int64_t most = least;
        for (std::size_t n = 0; n < loops; ++n) {
          const std::int64_t k = f.coefficients[d][n];
          start += k * from[n];
          least += k * (k > 0 ? from[n] : to[n] - 1);
          most += k * (k > 0 ? to[n] - 1 : from[n]);
          w.steps[n] += k * a.strides[d];
        }
        if (least < 0 || most >= a.sizes[d]) return std::nullopt;
        w.start += start * a.strides[d];
      }
      w.data = &packed(plan, a);
      walks.push_back(std::move(w));
    }
    if (walks.size() == 1) {
      walks.push_back({&packed_one(), 0, std::vector<std::int64_t>(loops)});
    }
    const ContractionResult result =
        reference::contract(walks[0], walks[1], extents);
    if (result.by_terms) return std::nullopt;
    Magnitude m{result.magnitude, result.magnitude, terms};
    Set<double> s = result.value;
    if (r.kind == Reduction::Kind::mean) {
      s = divide(s, Set<double>::of(terms));
      m.size /= terms;
    }
    work(plan).contracted[static_cast<std::size_t>(reduction)] = m;
    return s;
  } else {
    (void)plan;
    (void)reduction;
    (void)frame;
    return std::nullopt;
  }
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_EVALUATE_REDUCE_INL_H_
