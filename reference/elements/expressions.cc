#include "reference/elements/expressions.h"

#include <algorithm>
#include <cmath>

#include "reference/golden/element_ranges.h"
#include "reference/sets/set_binary.h"
#include "reference/sets/set_logic.h"
#include "reference/sets/set_special.h"
#include "suite/language/nest/index_arithmetic.h"

namespace assay::reference {
namespace {

// The value of a reduction of no terms.
template <class N>
Set<N> of_nothing(Reduction kind) {
  using Kind = Reduction;
  switch (kind) {
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
Set<N> join_intervals(Reduction kind, const Set<N>& total, const Set<N>& term) {
  using Kind = Reduction;
  switch (kind) {
    case Kind::prod:
      return multiply(total, term);
    case Kind::max:
      return maximum(total, term);
    case Kind::min:
      return minimum(total, term);
    case Kind::any:
      return logical_or(total, term);
    case Kind::all:
      return logical_and(total, term);
    default:
      return add(total, term);
  }
}

// A sum may start from +0 or from its first term; only a sum of nothing but -0
// tells which.
template <class N>
Set<N> from_either_zero(Set<N> sum) {
  const bool negative = sum.has_values && sum.hi.is_point() &&
                        is_zero(sum.hi.a) && sign_bit(sum.hi.a);
  if (!negative) return sum;
  return unite(sum, Set<N>::of(0.0));
}

template <class N>
Set<N> join(Reduction kind, const Set<N>& total, const Set<N>& term) {
  return over_pieces(total, term, [kind](const Set<N>& x, const Set<N>& y) {
    return join_intervals(kind, x, y);
  });
}

template <class N>
Set<N> apply_unary(const ValueNode& v, const Set<N>& x) {
  using Op = ValueNode::Op;
  switch (v.op) {
    case Op::neg:
      return negate(x);
    case Op::abs:
      return absolute(x);
    case Op::sign:
      return step_function(sign_steps<N>(), x);
    case Op::floor:
      return step_function(floor_steps<N>(), x);
    case Op::ceil:
      return step_function(ceil_steps<N>(), x);
    case Op::trunc:
      return step_function(trunc_steps<N>(), x);
    case Op::round_even:
      return step_function(round_even_steps<N>(), x);
    case Op::rsqrt:
      return reciprocal_root(x);
    case Op::square:
      return square(x);
    case Op::elementary:
      return apply(v.elementary, x);
    case Op::logical_not:
      return logical_not(x);
    case Op::isnan:
      return is_nan_set(x);
    case Op::isinf:
      return is_inf_set(x);
    case Op::signbit:
      return sign_bit_set(x);
    case Op::round:
      return convert(v.dtype, x, v.out_of_range);
    default:
      return Set<N>::only_nan();
  }
}

template <class N>
Set<N> apply_binary(const ValueNode& v, const Set<N>& x, const Set<N>& y) {
  using Op = ValueNode::Op;
  switch (v.op) {
    case Op::add:
      return add(x, y);
    case Op::sub:
      return subtract(x, y);
    case Op::mul:
      return multiply(x, y);
    case Op::div:
      return divide(x, y);
    case Op::max:
      return maximum(x, y);
    case Op::min:
      return minimum(x, y);
    case Op::binary:
      return apply(v.binary, x, y);
    case Op::special:
      return apply(v.special, x, y);
    case Op::bitwise:
      return bitwise(v.bitwise, x, y);
    case Op::after:
      return element_after(v.dtype, x, y);
    case Op::compare:
      return compare_sets(v.comparison, x, y);
    default:
      return Set<N>::only_nan();
  }
}

}  // namespace

int grain_of_mean(int grain, double n) {
  const int e = std::ilogb(n);
  const bool exact = grain > kNoGrain && n == std::ldexp(1.0, e);
  return exact ? grain - e : kNoGrain;
}

template <class N>
Expressions<N>::Expressions(int first, std::size_t nodes, Sources<N>* sources)
    : first_(first), sources_(*sources), work_(nodes) {}

template <class N>
void Expressions<N>::begin_element(const Nest& plan) {
  for (auto& c : work(plan).contracted) c.reset();
}

template <class N>
void Expressions<N>::release(int value) {
  packed_.erase(value);
  if (value >= first_) work_[static_cast<std::size_t>(value - first_)].reset();
}

template <class N>
const std::optional<Magnitude>& Expressions<N>::contracted(const Nest& plan,
                                                           int reduction) {
  return work(plan).contracted[static_cast<std::size_t>(reduction)];
}

template <class N>
typename Expressions<N>::Work& Expressions<N>::work(const Nest& plan) {
  auto& slot = work_[static_cast<std::size_t>(plan.value - first_)];
  if (!slot) {
    slot = std::make_unique<Work>();
    slot->definitions.resize(plan.definitions.size());
    slot->invariants.resize(plan.values.size());
    slot->contracted.resize(plan.reductions.size());
  }
  return *slot;
}

template <class N>
void Expressions<N>::fail(const Nest& plan, const std::string& what) {
  if (error_.empty()) error_ = plan.binding.spec->name + ": " + what;
}

template <class N>
Set<N> Expressions<N>::value(const Nest& plan, int node, Frame& frame) {
  const ValueNode& v = plan.values[static_cast<std::size_t>(node)];
  if (!v.invariant) return compute(plan, v, frame);
  auto& known = work(plan).invariants[static_cast<std::size_t>(node)];
  if (!known) known = compute(plan, v, frame);
  return *known;
}

template <class N>
Set<N> Expressions<N>::compute(const Nest& plan, const ValueNode& v,
                               Frame& frame) {
  using Op = ValueNode::Op;
  switch (v.op) {
    case Op::integer:
      return Set<N>::of_element(v.dtype, static_cast<std::uint64_t>(v.integer));
    case Op::real:
      return Set<N>::of(v.number);
    case Op::pi:
      return Set<N>::of(Real<N>::from(enclose_pi<N>()));
    case Op::index: {
      bool unsure = false;
      Set<N> s = Set<N>::of_integer(index(plan, v.a, frame, &unsure));
      s.unsure = unsure;
      return s;
    }
    case Op::element:
    case Op::inside:
      return element(plan, v, frame);
    case Op::logical_and: {
      const Set<N> first = value(plan, v.a, frame);
      const Truth t = truth_of(first);
      // What a false side guards (an index in range) is not looked at.
      if (!first.unsure && t.can_be_true == Known::no)
        return as_condition(first);
      return logical_and(first, value(plan, v.b, frame));
    }
    case Op::logical_or: {
      const Set<N> first = value(plan, v.a, frame);
      const Truth t = truth_of(first);
      if (!first.unsure && t.can_be_false == Known::no) {
        return as_condition(first);
      }
      return logical_or(first, value(plan, v.b, frame));
    }
    case Op::either:
      return unite(value(plan, v.a, frame), value(plan, v.b, frame));
    case Op::where:
      return choice(plan, v, frame);
    case Op::reduce:
      return reduce(plan, v.reduction, frame);
    default:
      break;
  }
  const auto unary = [&v](const Set<N>& x) { return apply_unary(v, x); };
  const auto binary = [&v](const Set<N>& x, const Set<N>& y) {
    return apply_binary(v, x, y);
  };
  if (v.b < 0) return over_pieces(value(plan, v.a, frame), unary);
  return over_pieces(value(plan, v.a, frame), value(plan, v.b, frame), binary);
}

template <class N>
Set<N> Expressions<N>::element(const Nest& plan, const ValueNode& v,
                               Frame& frame) {
  const Access& access = plan.accesses[static_cast<std::size_t>(v.access)];
  bool unsure = false;
  const std::int64_t at = place(plan, access, frame, &unsure);
  if (unsure) {
    Set<N> s = Set<N>::anything();
    s.unsure = true;
    return s;
  }
  if (at >= 0) return fetch(plan, access, at);
  if (v.op == ValueNode::Op::inside) return value(plan, v.a, frame);
  fail(plan, "'" + access.text + "' is out of range");
  return Set<N>::only_nan();
}

// Only a branch that can be taken is evaluated.
template <class N>
Set<N> Expressions<N>::choice(const Nest& plan, const ValueNode& v,
                              Frame& frame) {
  const Set<N> condition = value(plan, v.a, frame);
  const Truth t = truth_of(condition);
  const bool yes = t.can_be_true != Known::no;
  const bool no = t.can_be_false != Known::no;
  Set<N> r = !no    ? value(plan, v.b, frame)
             : !yes ? value(plan, v.c, frame)
                    : unite(value(plan, v.b, frame), value(plan, v.c, frame));
  r.unsure = r.unsure || condition.unsure || t.can_be_true == Known::maybe ||
             t.can_be_false == Known::maybe;
  r.unspecified = r.unspecified || condition.unspecified;
  return r;
}

template <class N>
std::int64_t Expressions<N>::index(const Nest& plan, int node, Frame& frame,
                                   bool* unsure) {
  using Op = IndexNode::Op;
  const IndexNode& x = plan.indices[static_cast<std::size_t>(node)];
  if (x.op == Op::constant) return x.value;
  if (x.op == Op::slot) return frame.slots[x.value];
  if (x.op == Op::element) {
    const Access& a = plan.accesses[static_cast<std::size_t>(x.value)];
    return index_element(plan, a, frame, unsure);
  }
  if (x.op == Op::select) return select(plan, x, frame, unsure);
  const std::int64_t a = index(plan, x.a, frame, unsure);
  const std::int64_t b = x.b < 0 ? 0 : index(plan, x.b, frame, unsure);
  const auto value = language::index_arithmetic(x.op, a, b);
  if (!value) fail(plan, "an index is divided by zero");
  return value.value_or(0);
}

template <class N>
std::int64_t Expressions<N>::index_element(const Nest& plan, const Access& a,
                                           Frame& frame, bool* unsure) {
  const std::int64_t at = place(plan, a, frame, unsure);
  if (at < 0) {
    if (!*unsure) fail(plan, "'" + a.text + "' is out of range");
    return 0;
  }
  const Set<N>& s = fetch(plan, a, at);
  if (s.is_exact_point() && s.has_values && !s.unspecified && !s.unsure) {
    return static_cast<std::int64_t>(low_64_bits(s.lo.a));
  }
  if (!s.unsure) {
    fail(plan, "the index '" + a.text + "' is not one known integer");
  }
  *unsure = true;
  return 0;
}

template <class N>
std::int64_t Expressions<N>::select(const Nest& plan, const IndexNode& x,
                                    Frame& frame, bool* unsure) {
  const Set<N> c = value(plan, x.a, frame);
  const Truth t = truth_of(c);
  if (c.unsure) *unsure = true;
  const bool yes = t.can_be_true == Known::yes;
  if (yes && t.can_be_false == Known::yes) {
    fail(plan, "an index depends on a condition that may go either way");
  }
  return index(plan, yes ? x.b : x.c, frame, unsure);
}

template <class N>
std::int64_t Expressions<N>::place(const Nest& plan, const Access& a,
                                   Frame& frame, bool* unsure) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < a.index.size(); ++d) {
    const std::int64_t i = index(plan, a.index[d], frame, unsure);
    if (i < 0 || i >= a.sizes[d]) return -1;
    at += i * a.strides[d];
  }
  return at;
}

template <class N>
const Set<N>& Expressions<N>::fetch(const Nest& plan, const Access& a,
                                    std::int64_t at) {
  return a.is_definition() ? definition_element(plan, a.definition(), at)
                           : sources_.in_flight(a.source, at);
}

template <class N>
const Set<N>& Expressions<N>::definition_element(const Nest& plan,
                                                 int definition,
                                                 std::int64_t at) {
  const auto d = static_cast<std::size_t>(definition);
  const NestDefinition& p = plan.definitions[d];
  Definition& known = work(plan).definitions[d];
  const auto i = static_cast<std::size_t>(at);
  if (known.known.empty()) {
    const auto n = static_cast<std::size_t>(element_count(p.extents));
    known.sets.resize(n);
    known.known.resize(n);
  }
  if (!known.known[i]) {
    Frame frame = frame_of(p.extents, at);
    Set<N> s = value(plan, p.body, frame);
    known.sets[i] = std::move(s);
    known.known[i] = 1;
  }
  return known.sets[i];
}

template <class N>
Admitted<N> Expressions<N>::choose(const Nest& plan, int reduction,
                                   Frame& frame) {
  const ReductionNode& r = plan.reductions[static_cast<std::size_t>(reduction)];
  const int slot = r.ranges.front().slot;
  std::vector<std::uint64_t> members;
  bool unsure = false;
  each_term(plan, r, frame, [&] {
    const Set<N> holds = value(plan, r.body, frame);
    const Truth t = truth_of(holds);
    unsure = unsure || holds.unsure || t.can_be_true == Known::maybe;
    if (t.can_be_true != Known::no) {
      members.push_back(static_cast<std::uint64_t>(frame.slots[slot]));
    }
  });
  Admitted<N> out;
  out.elements.undecided = unsure;
  out.elements.has_values = !members.empty();
  if (members.empty()) {  // of a wrong value, seen: nothing fits it
    out.in_flight = Set<N>::anything();
    return out;
  }
  std::vector<ElementRange> ranges;
  for (const std::uint64_t n : members) ranges.push_back({n, n});
  put_ranges(DType::i64, ranges, &out.elements);
  if (ranges.size() > kMaxPieces) ranges = ranges_of(out.elements);
  std::vector<Interval<N>> intervals;
  for (const ElementRange& range : ranges) {
    const auto number = [](std::uint64_t n) {
      return Real<N>::of_integer(static_cast<std::int64_t>(n));
    };
    intervals.push_back({number(range.lo), number(range.hi)});
  }
  put_intervals(std::move(intervals), &out.in_flight);
  out.in_flight.unsure = unsure;
  return out;
}

template <class N>
Set<N> Expressions<N>::reduce(const Nest& plan, int reduction, Frame& frame) {
  using Kind = Reduction;
  const ReductionNode& r = plan.reductions[static_cast<std::size_t>(reduction)];
  if constexpr (kContracts) {
    if (r.contraction >= 0) {
      if (std::optional<Set<N>> s = contract(plan, reduction, frame)) {
        return from_either_zero(*std::move(s));
      }
    }
  }
  if (r.kind == Kind::which) return choose(plan, reduction, frame).in_flight;
  const bool logic =
      r.kind == Kind::any || r.kind == Kind::all || r.kind == Kind::count;
  std::optional<Set<N>> total;
  std::int64_t terms = 0;
  each_term(plan, r, frame, [&] {
    Set<N> term = value(plan, r.body, frame);
    ++terms;
    if (logic) term = as_condition(term);
    total = total ? join(r.kind, *total, term) : std::move(term);
  });
  if (!total) return of_nothing<N>(r.kind);
  if (r.kind == Kind::sum || r.kind == Kind::mean) {
    total = from_either_zero(*std::move(total));
  }
  if (r.kind != Kind::mean) return *total;
  return over_pieces(*total, [terms](const Set<N>& sum) {
    return divide(sum, Set<N>::of_integer(terms));
  });
}

// How far the loops go at this element; leaves their slots at zero.
template <class N>
TermBox Expressions<N>::box_of(const Nest& plan, const ReductionNode& r,
                               Frame& frame, bool* unsure) {
  TermBox box;
  for (const ReductionNode::Range& range : r.ranges) {
    const std::int64_t from =
        range.from < 0 ? 0 : index(plan, range.from, frame, unsure);
    box.from.push_back(from);
    box.to.push_back(std::max(from, index(plan, range.to, frame, unsure)));
    frame.slots[range.slot] = 0;
  }
  return box;
}

template <class N>
std::vector<std::int64_t> Expressions<N>::base_of(const Nest& plan,
                                                  const Contraction& c,
                                                  Frame& frame, bool* unsure) {
  std::vector<std::int64_t> base;
  for (const Contraction::Factor& f : c.factors) {
    const Access& a = plan.accesses[static_cast<std::size_t>(f.access)];
    for (const int i : a.index) base.push_back(index(plan, i, frame, unsure));
  }
  return base;
}

template <class N>
std::optional<Set<N>> Expressions<N>::contract(const Nest& plan, int reduction,
                                               Frame& frame) {
  if constexpr (kContracts) {
    const ReductionNode& r =
        plan.reductions[static_cast<std::size_t>(reduction)];
    const Contraction& c =
        plan.contractions[static_cast<std::size_t>(r.contraction)];
    bool unsure = false;
    TermBox box = box_of(plan, r, frame, &unsure);
    const double terms = box.count();
    if (terms == 0) return std::nullopt;
    box.base = base_of(plan, c, frame, &unsure);
    if (!apply_guards(plan, c, &box) || unsure) return std::nullopt;
    std::optional<std::vector<Walk>> walks = walks_of(plan, c, box);
    if (!walks) return std::nullopt;
    const bool cut = box.count() != terms;
    for (std::size_t n = 0; n < c.factors.size(); ++n) {
      const auto access = static_cast<std::size_t>(c.factors[n].access);
      const Packed& data = packed(plan, plan.accesses[access]);
      if (cut && !data.finite) return std::nullopt;
      (*walks)[n].data = &data;
    }
    if (walks->size() == 1) {
      walks->push_back(
          {&packed_one(), 0, std::vector<std::int64_t>(box.from.size())});
    }
    const ContractionResult result =
        reference::contract((*walks)[0], (*walks)[1], box.extents());
    if (result.by_terms) return std::nullopt;
    Magnitude m{result.magnitude, result.magnitude, terms, result.grain};
    const Walk& a = (*walks)[0];
    const Walk& b = (*walks)[1];
    const bool exact = a.data->exact && b.data->exact;
    if (const DType t = plan.accuracy.measured; exact && is_float(t)) {
      const int precision = float_format(t).precision;
      if (!fits(m.size, precision, m.grain)) {
        m.grain = grain_of_terms(a, b, box.extents(), m.size, precision);
      }
    }
    Set<double> s = result.value;
    if (r.kind == Reduction::mean) {
      s = divide(s, Set<double>::of(terms));
      m.size /= terms;
      m.grain = grain_of_mean(m.grain, terms);
    }
    work(plan).contracted[static_cast<std::size_t>(reduction)] = m;
    return s;
  } else {
    return std::nullopt;
  }
}

template <class N>
const Packed& Expressions<N>::packed(const Nest& plan, const Access& a) {
  if constexpr (kContracts) {
    // Definitions are packed under a key of their own.
    const int key =
        a.is_definition() ? -1 - (plan.value * 64 + a.definition()) : a.source;
    const auto it = packed_.find(key);
    if (it != packed_.end()) return it->second;
    if (!a.is_definition()) {
      return packed_[key] = pack(sources_.all_in_flight(a.source));
    }
    const auto d = static_cast<std::size_t>(a.definition());
    const std::int64_t n = element_count(plan.definitions[d].extents);
    for (std::int64_t i = 0; i < n; ++i) {
      definition_element(plan, a.definition(), i);
    }
    return packed_[key] = pack(work(plan).definitions[d].sets);
  } else {
    return packed_one();
  }
}

template class Expressions<double>;
template class Expressions<Mp>;

}  // namespace assay::reference
