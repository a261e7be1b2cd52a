// Expressions of a plan: sets of numbers, and integers of indices.
// Part of evaluator.cc, where the engines are instantiated.
#ifndef ASSAY_REFERENCE_EVALUATE_VALUE_INL_H_
#define ASSAY_REFERENCE_EVALUATE_VALUE_INL_H_

#include <algorithm>

#include "reference/evaluator.h"
#include "reference/set_binary.h"

namespace assay::reference {

inline std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

template <class N>
std::int64_t Evaluator<N>::index(const NodePlan& plan, int node, Frame& frame,
                                 bool* unsure) {
  using Op = IndexNode::Op;
  const IndexNode& x = plan.indices[static_cast<std::size_t>(node)];
  if (x.op == Op::constant) return x.value;
  if (x.op == Op::slot) return frame.slots[x.value];
  if (x.op == Op::element) {
    const Access& a = plan.accesses[static_cast<std::size_t>(x.value)];
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
  if (x.op == Op::select) {
    const Set<N> c = value(plan, x.a, frame);
    const Truth t = truth_of(c);
    if (c.unsure) *unsure = true;
    const bool yes = t.can_be_true == Known::yes;
    if (yes && t.can_be_false == Known::yes) {
      fail(plan, "an index depends on a condition that may go either way");
    }
    return index(plan, yes ? x.b : x.c, frame, unsure);
  }
  const std::int64_t a = index(plan, x.a, frame, unsure);
  if (x.op == Op::neg) return -a;
  if (x.op == Op::abs) return a < 0 ? -a : a;
  const std::int64_t b = index(plan, x.b, frame, unsure);
  switch (x.op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::max:
      return std::max(a, b);
    case Op::min:
      return std::min(a, b);
    default:
      break;
  }
  if (b == 0) {
    fail(plan, "an index is divided by zero");
    return 0;
  }
  if (x.op == Op::ceil_div) return -floor_quotient(-a, b);
  const std::int64_t q = floor_quotient(a, b);
  return x.op == Op::mod ? a - q * b : q;
}

template <class N>
std::int64_t Evaluator<N>::place(const NodePlan& plan, const Access& a,
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
const Set<N>& Evaluator<N>::fetch(const NodePlan& plan, const Access& a,
                                  std::int64_t at) {
  return a.is_definition() ? definition_element(plan, a.definition(), at)
                           : in_flight(a.source, at);
}

template <class N>
const Set<N>& Evaluator<N>::definition_element(const NodePlan& plan,
                                               int definition,
                                               std::int64_t at) {
  const auto d = static_cast<std::size_t>(definition);
  const DefinitionPlan& p = plan.definitions[d];
  Store& store = work(plan).definitions[d];
  const auto i = static_cast<std::size_t>(at);
  if (store.known.empty()) {
    const auto n = static_cast<std::size_t>(element_count(p.extents));
    store.sets.resize(n);
    store.known.resize(n);
  }
  if (!store.known[i]) {
    Frame frame = frame_of(p.extents, at);
    Set<N> s = value(plan, p.body, frame);
    store.sets[i] = std::move(s);
    store.known[i] = 1;
  }
  return store.sets[i];
}

template <class N>
Set<N> Evaluator<N>::value(const NodePlan& plan, int node, Frame& frame) {
  const ValueNode& v = plan.values[static_cast<std::size_t>(node)];
  if (!v.invariant) return compute(plan, v, frame);
  auto& known = work(plan).invariants[static_cast<std::size_t>(node)];
  if (!known) known = compute(plan, v, frame);
  return *known;
}

template <class N>
Set<N> Evaluator<N>::compute(const NodePlan& plan, const ValueNode& v,
                             Frame& frame) {
  using Op = ValueNode::Op;
  const auto a = [&] { return value(plan, v.a, frame); };
  const auto b = [&] { return value(plan, v.b, frame); };
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
    case Op::inside: {
      const Access& access = plan.accesses[static_cast<std::size_t>(v.access)];
      bool unsure = false;
      const std::int64_t at = place(plan, access, frame, &unsure);
      if (unsure) {
        Set<N> s = Set<N>::anything();
        s.unsure = true;
        return s;
      }
      if (at >= 0) return fetch(plan, access, at);
      if (v.op == Op::inside) return a();
      fail(plan, "'" + access.text + "' is out of range");
      return Set<N>::only_nan();
    }
    case Op::neg:
      return negate(a());
    case Op::abs:
      return absolute(a());
    case Op::sign:
      return step_function(sign_steps<N>(), a());
    case Op::floor:
      return step_function(floor_steps<N>(), a());
    case Op::ceil:
      return step_function(ceil_steps<N>(), a());
    case Op::trunc:
      return step_function(trunc_steps<N>(), a());
    case Op::round_even:
      return step_function(round_even_steps<N>(), a());
    case Op::rsqrt:
      return reciprocal_root(a());
    case Op::square:
      return square(a());
    case Op::elementary:
      return apply(v.elementary, a());
    case Op::add:
      return add(a(), b());
    case Op::sub:
      return subtract(a(), b());
    case Op::mul:
      return multiply(a(), b());
    case Op::div:
      return divide(a(), b());
    case Op::max:
      return maximum(a(), b());
    case Op::min:
      return minimum(a(), b());
    case Op::binary:
      return apply(v.binary, a(), b());
    case Op::bitwise:
      return bitwise(v.bitwise, a(), b());
    case Op::after:
      return element_after(v.dtype, a(), b());
    case Op::compare:
      return compare_sets(v.comparison, a(), b());
    case Op::logical_and: {
      const Set<N> first = a();
      const Truth t = truth_of(first);
      // What a false side guards (an index in range) is not looked at.
      if (!first.unsure && t.can_be_true == Known::no)
        return as_condition(first);
      return logical_and(first, b());
    }
    case Op::logical_or: {
      const Set<N> first = a();
      const Truth t = truth_of(first);
      if (!first.unsure && t.can_be_false == Known::no) {
        return as_condition(first);
      }
      return logical_or(first, b());
    }
    case Op::logical_not:
      return logical_not(a());
    case Op::isnan:
      return is_nan_set(a());
    case Op::isinf:
      return is_inf_set(a());
    case Op::signbit:
      return sign_bit_set(a());
    case Op::where:
      return choice(plan, v, frame);
    case Op::round:
      return convert(v.dtype, a(), v.out_of_range);
    case Op::reduce:
      return reduce(plan, v.reduction, frame);
  }
  return Set<N>::only_nan();
}

// Only a branch that can be taken is evaluated.
template <class N>
Set<N> Evaluator<N>::choice(const NodePlan& plan, const ValueNode& v,
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

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_EVALUATE_VALUE_INL_H_
