#include "reference/elements/evaluator.h"

#include <cmath>
#include <utility>

#include "reference/golden/element_ranges.h"
#include "reference/sets/set_logic.h"

namespace assay::reference {
namespace {

template <class N>
Set<N> exact_element(const Tensor& t, std::int64_t element) {
  if (is_float(t.dtype())) return Set<N>::of(t.number(element));
  return Set<N>::of_element(t.dtype(), t.bits(element));
}

// All numbers within 2^-bits of the element, relative to it.
template <class N>
Set<N> rough_element(const Tensor& t, std::int64_t element, int bits) {
  Set<N> exact = exact_element<N>(t, element);
  if (bits == 0 || !is_float(t.dtype())) return exact;
  const double x = t.number(element);
  if (x == 0 || !std::isfinite(x)) return exact;
  const double part = std::ldexp(1.0, -bits);
  Real<N> smaller = exact.lo * Real<N>::of(1 - part);
  Real<N> larger = exact.lo * Real<N>::of(1 + part);
  if (x < 0) std::swap(smaller, larger);
  return Set<N>::range(std::move(smaller), std::move(larger));
}

template <class N>
void include(const Judgement<N>& other, DType t, Judgement<N>* all) {
  include(t, other.admitted.elements, &all->admitted.elements);
  all->admitted.in_flight =
      unite(all->admitted.in_flight, other.admitted.in_flight);
  all->exact_values = unite(all->exact_values, other.exact_values);
}

// The `which` that is the whole value, or null.
const ReductionNode* open_index(const Nest& plan) {
  const ValueNode& v = plan.values[static_cast<std::size_t>(plan.out().body)];
  if (v.op != ValueNode::Op::reduce) return nullptr;
  const ReductionNode& r =
      plan.reductions[static_cast<std::size_t>(v.reduction)];
  return r.kind == Reduction::which ? &r : nullptr;
}

}  // namespace

template <class N>
Evaluator<N>::Evaluator(const Program& program,
                        const std::vector<Tensor>& tensors,
                        const std::map<int, Tensor>& observed,
                        const PlannedProgram& planned, Settings settings)
    : program_(program),
      tensors_(tensors),
      observed_(observed),
      planned_(planned),
      settings_(settings),
      expressions_(program.first_node_id(), program.nodes.size(), this),
      tolerances_(&expressions_) {}

// The tensor that holds a value's elements: an input, a constant, or what a
// subject was seen to return.
template <class N>
const Tensor* Evaluator<N>::given(int value) const {
  const ValueRef ref{value};
  const auto n = static_cast<std::size_t>(value);
  if (!program_.is_node(ref)) return &tensors_[n];
  if (planned_.versions) {
    if (const Tensor* held = planned_.versions->held(value)) return held;
  }
  if (observed_.empty()) return nullptr;
  const std::optional<int> at_end =
      planned_.versions ? planned_.versions->at_end(value) : value;
  const auto it = at_end ? observed_.find(*at_end) : observed_.end();
  return it == observed_.end() ? nullptr : &it->second;
}

template <class N>
std::int64_t Evaluator<N>::count(int value) const {
  if (const Tensor* t = given(value)) return t->numel();
  if (is_version(value)) {
    return static_cast<std::int64_t>(planned_.versions->elements(value).size());
  }
  const int node = value - program_.first_node_id();
  return element_count(
      planned_.plans[static_cast<std::size_t>(node)]->type.sizes);
}

template <class N>
typename Evaluator<N>::Store& Evaluator<N>::store(int value) {
  const auto at = static_cast<std::size_t>(value);
  while (flight_.size() <= at) flight_.emplace_back();
  Store& s = flight_[at];
  if (s.known.empty()) {
    const auto n = static_cast<std::size_t>(count(value));
    s.sets.resize(n);
    s.known.resize(n);
  }
  return s;
}

template <class N>
const Set<N>& Evaluator<N>::in_flight(int value, std::int64_t element) {
  if (is_version(value) && given(value) == nullptr) {
    const Versions::Element of =
        planned_.versions->elements(value)[static_cast<std::size_t>(element)];
    return in_flight(of.value, of.element);
  }
  if (reads_ != nullptr) (*reads_)[value].insert(element);
  Store& s = store(value);
  const auto at = static_cast<std::size_t>(element);
  if (!s.known[at]) {
    const Tensor* tensor = given(value);
    s.sets[at] = tensor ? rough_element<N>(*tensor, element, settings_.rough)
                        : judge(value, element).admitted.in_flight;
    s.known[at] = 1;
  }
  return s.sets[at];
}

template <class N>
Judgement<N> Evaluator<N>::judge_and_keep(int value, std::int64_t element) {
  Judgement<N> j = judge(value, element);
  if (given(value) == nullptr) {
    Store& s = store(value);
    const auto at = static_cast<std::size_t>(element);
    s.sets[at] = j.admitted.in_flight;
    s.known[at] = 1;
  }
  return j;
}

template <class N>
const std::vector<Set<N>>& Evaluator<N>::all_in_flight(int value) {
  const std::int64_t n = count(value);
  Store& s = store(value);
  for (std::int64_t i = 0; i < n && error().empty(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (s.known[at]) continue;
    const Set<N>& set = in_flight(value, i);
    if (s.known[at]) continue;
    s.sets[at] = set;
    s.known[at] = 1;
  }
  return s.sets;
}

template <class N>
void Evaluator<N>::release(int value) {
  const auto at = static_cast<std::size_t>(value);
  if (at < flight_.size()) flight_[at] = Store{};
  expressions_.release(value);
}

template <class N>
Set<N> Evaluator<N>::evaluate(const Nest& plan, int node,
                              std::int64_t element) {
  Frame frame = frame_of(plan.type.sizes, element);
  return expressions_.value(plan, node, frame);
}

template <class N>
Rounding Evaluator<N>::rounding_of(const Nest& plan) const {
  const language::Accuracy& accuracy = *plan.accuracy.spec;
  Rounding rounding;
  rounding.dtype = plan.type.dtype;
  rounding.is_cast = accuracy.bound == language::Accuracy::Bound::cast &&
                     !settings_.elided_casts;
  rounding.out_of_range = plan.out_of_range;
  rounding.any_zero_sign = accuracy.any_zero_sign;
  rounding.overflow = accuracy.overflow;
  rounding.numerics = settings_.numerics;
  rounding.settle_zero_signs = settings_.settle_zero_signs;
  return rounding;
}

template <class N>
std::optional<Judgement<N>> Evaluator<N>::undefined(const Nest& plan,
                                                    Frame& frame,
                                                    bool* unsure) {
  std::size_t clause = 1 + plan.special.size();
  for (const NestClause& u : plan.undefined) {
    const Set<N> when = expressions_.value(plan, u.when, frame);
    const Truth t = truth_of(when);
    *unsure = *unsure || when.unsure || t.can_be_true == Known::maybe;
    if (t.can_be_true == Known::yes) {
      Judgement<N> j;
      j.exact_values = Set<N>::anything();
      j.exact_values.unsure = *unsure;
      j.admitted = admit(rounding_of(plan), j.exact_values, std::nullopt);
      j.clause = static_cast<std::uint16_t>(clause);
      return j;
    }
    ++clause;
  }
  return std::nullopt;
}

template <class N>
bool Evaluator<N>::special(const Nest& plan, Frame& frame,
                           std::optional<Judgement<N>>* all, bool* unsure) {
  for (std::size_t i = 0; i < plan.special.size(); ++i) {
    const NestClause& s = plan.special[i];
    const Set<N> when = expressions_.value(plan, s.when, frame);
    const Truth t = truth_of(when);
    *unsure = *unsure || when.unsure || t.can_be_true == Known::maybe ||
              t.can_be_false == Known::maybe;
    if (t.can_be_true == Known::no) continue;
    Judgement<N> j;
    j.exact_values = expressions_.value(plan, s.then, frame);
    j.admitted = admit(rounding_of(plan), j.exact_values, std::nullopt);
    j.clause = static_cast<std::uint16_t>(1 + i);
    if (*all) {
      include(j, plan.type.dtype, &**all);
    } else {
      *all = std::move(j);
    }
    if (t.can_be_false == Known::no) return true;
  }
  return false;
}

template <class N>
Judgement<N> Evaluator<N>::defined(const Nest& plan, Frame& frame) {
  Judgement<N> j;
  if (const ReductionNode* open = open_index(plan)) {
    const auto n = static_cast<int>(open - plan.reductions.data());
    j.admitted = expressions_.choose(plan, n, frame);
    j.exact_values = j.admitted.in_flight;
  } else {
    j.exact_values = expressions_.value(plan, plan.out().body, frame);
    j.tolerance = tolerances_.at(plan, frame, j.exact_values);
    j.admitted = admit(rounding_of(plan), j.exact_values, j.tolerance);
  }
  return j;
}

template <class N>
Judgement<N> Evaluator<N>::judge(int value, std::int64_t element) {
  const Nest& plan =
      *planned_
           .plans[static_cast<std::size_t>(value - program_.first_node_id())];
  Frame frame = frame_of(plan.type.sizes, element);
  expressions_.begin_element(plan);
  bool unsure = false;
  if (auto anything = undefined(plan, frame, &unsure)) return *anything;
  std::optional<Judgement<N>> all;
  if (!special(plan, frame, &all, &unsure)) {
    Judgement<N> j = defined(plan, frame);
    if (all) {
      include(*all, plan.type.dtype, &j);
      j.clause = all->clause;
    }
    all = std::move(j);
  }
  if (unsure) {
    all->admitted.elements.undecided = true;
    all->admitted.in_flight.unsure = true;
  }
  return *all;
}

template <class N>
std::optional<Tensor> Evaluator<N>::exact_elements(int value_id,
                                                   const TensorType& type) {
  if (const Tensor* t = given(value_id)) return *t;
  const DType t = type.dtype;
  Tensor result = Tensor::zeros(t, type.sizes);
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    const Set<N>& s = in_flight(value_id, i);
    const bool only_nan = s.may_nan && !s.has_values;
    const bool one = only_nan || (s.is_exact_point() && !s.may_nan);
    if (s.unspecified || s.unsure || !one) return std::nullopt;
    if (only_nan) {
      result.set_bits(i, quiet_nan_bits(t));
    } else if (is_float(t)) {
      result.set_bits(i, nearest_bits(t, s.lo.a));
    } else {
      result.set_integer(i, static_cast<std::int64_t>(low_64_bits(s.lo.a)));
    }
  }
  return result;
}

template class Evaluator<double>;
template class Evaluator<Mp>;

}  // namespace assay::reference
