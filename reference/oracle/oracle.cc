#include "reference/oracle/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/numbers/element_order.h"
#include "reference/oracle/explain.h"
#include "reference/oracle/planner.h"
#include "reference/oracle/session.h"

namespace assay::reference {
namespace {

GoldenOutput empty_output(const TensorType& type) {
  GoldenOutput out;
  out.type = TensorType::contiguous(type.dtype, type.sizes);
  const auto n = static_cast<std::size_t>(element_count(type.sizes));
  out.elements.resize(n);
  out.exact.resize(n);
  out.bound.resize(n);
  return out;
}

// An output that is an input or a constant: its own elements.
GoldenOutput given_output(const Tensor& t) {
  GoldenOutput out = empty_output(t.type);
  out.clauses = {"V1"};
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    ElementSet& e = out.elements[static_cast<std::size_t>(i)];
    e.lo = e.hi = t.bits(i);
    const double x = number_of_bits(t.dtype(), t.bits(i));
    out.exact[static_cast<std::size_t>(i)] = x;
    if (std::isnan(x)) {
      e.has_values = false;
      e.nan = true;
    }
  }
  return out;
}

double middle(double lo, double hi) {
  if (lo == hi) return lo;
  if (std::isinf(lo) || std::isinf(hi)) {
    if (std::isinf(lo) && std::isinf(hi)) return 0;
    return std::isinf(lo) ? hi : lo;
  }
  return lo / 2 + hi / 2;
}

double finite(DType t, double x) {
  if (!std::isinf(x)) return x;
  const double next =
      is_float(t) && t != DType::f64 ? beyond_largest(t) : kLargest;
  return std::copysign(next, x);
}

// An enclosure's width that no statistic notices, in units of `spread`.
constexpr double kLost = 0x1p-10;

// What the quality of a sum is judged by, where its exact value is known better
// than the sum can be, by a double's precision. Where terms may be any of
// several numbers, so may the sum: it may lie `apart` from the value that
// counts as exact, and then no scale is known.
void put_quality(const Tolerance& granted, double apart, std::size_t at,
                 GoldenOutput* out) {
  const DType t = out->type.dtype;
  const double exact = out->exact[at];
  if (t == DType::f64 || granted.spread == 0 || !std::isfinite(exact)) return;
  if (granted.positive_overflow || granted.negative_overflow) return;
  out->tree.resize(out->elements.size());
  out->spread.resize(out->elements.size());
  const FloatFormat f = float_format(t);
  const int e = exact == 0 ? f.emin : std::ilogb(exact);
  if (granted.tree > 0) out->tree[at] = granted.tree + apart + ulp_at(f, e) / 2;
  if (granted.measured == t && apart <= granted.spread * kLost) {
    out->spread[at] = granted.spread;
  }
}

template <class N>
void put(const Judgement<N>& j, std::size_t at, GoldenOutput* out) {
  ElementSet e = j.admitted.elements;
  e.clause = j.clause;
  out->elements[at] = e;
  out->exact[at] = out->bound[at] = 0;
  const Set<N>& s = j.exact_values;
  if (!s.has_values || e.unspecified || !e.has_values) return;
  const double exact = middle(below(s.lo.a), above(s.hi.b));
  out->exact[at] = exact;
  if (std::isinf(exact)) return;
  const DType t = out->type.dtype;
  out->bound[at] =
      std::max(std::fabs(finite(t, number_of_bits(t, e.hi)) - exact),
               std::fabs(exact - finite(t, number_of_bits(t, e.lo))));
  if (!j.tolerance) return;
  const double apart = std::max(above(s.hi.b) - exact, exact - below(s.lo.a));
  put_quality(*j.tolerance, apart, at, out);
}

// Values whose sets in flight are needed, and when each is needed last.
struct Liveness {
  std::vector<char> needed;
  std::vector<std::size_t> last_use;  // node
};

Liveness liveness(const Program& program, const PlannedProgram& planned,
                  const std::map<int, Tensor>& observed) {
  Liveness l;
  const auto total = static_cast<std::size_t>(program.value_count());
  l.needed.resize(total);
  l.last_use.resize(total, 0);
  std::vector<char> judged(total);
  for (const ValueRef o : program.outputs) {
    judged[static_cast<std::size_t>(o.id)] = 1;
  }
  for (std::size_t n = program.nodes.size(); n-- > 0;) {
    const auto id = static_cast<std::size_t>(program.first_node_id()) + n;
    const bool evaluated =
        judged[id] ||
        (l.needed[id] && !observed.contains(static_cast<int>(id)));
    if (!evaluated) continue;
    for (const Access& a : planned.plans[n]->accesses) {
      if (a.is_definition()) continue;
      const auto source = static_cast<std::size_t>(a.source);
      if (!l.needed[source]) l.last_use[source] = n;
      l.needed[source] = 1;
    }
  }
  return l;
}

// Enough for sums and products of 64-bit integers.
constexpr int kIntegerBits = 192;

// Makes the nests, and judges every element at the first precision.
template <class N>
Status first_pass(Session& session, Golden* golden) {
  Evaluator<N> evaluator = session.evaluator<N>(golden->precision);
  const Program& program = session.program;
  const ExactElements elements = [&](int id, const TensorType& type) {
    std::optional<Tensor> known = evaluator.exact_elements(id, type);
    if (known || is_float(type.dtype) || !std::is_same_v<N, double>) {
      return known;
    }
    // Not every integer of 64 bits is a double.
    const PrecisionScope precision(kIntegerBits);
    return session.evaluator<Mp>(kIntegerBits).exact_elements(id, type);
  };
  const Status planned =
      plan_program(program, session.inputs, session.specs,
                   session.options.observed, elements, &session.planned);
  if (!planned) return planned;
  if (!evaluator.error().empty()) return Error{evaluator.error()};
  if (session.planned.refused) {
    golden->error = session.planned.refused;
    return success();
  }
  std::map<int, GoldenOutput> judged;
  for (const ValueRef o : program.outputs) {
    if (judged.contains(o.id)) continue;
    if (program.is_node(o)) {
      GoldenOutput out =
          empty_output(session.planned.types[static_cast<std::size_t>(o.id)]);
      out.clauses = session.plan_of(o.id).clauses;
      judged[o.id] = std::move(out);
    } else {
      judged[o.id] = given_output(session.given(o));
    }
  }
  const Liveness live =
      liveness(program, session.planned, session.options.observed);
  for (std::size_t n = 0; n < program.nodes.size(); ++n) {
    const int id = program.first_node_id() + static_cast<int>(n);
    const auto it = judged.find(id);
    // MPFR computes what is asked for, not whole tensors.
    if (it != judged.end()) {
      const std::size_t count = it->second.elements.size();
      for (std::size_t i = 0; i < count && evaluator.error().empty(); ++i) {
        put(evaluator.judge_and_keep(id, static_cast<std::int64_t>(i)), i,
            &it->second);
      }
    } else if (std::is_same_v<N, double> &&
               live.needed[static_cast<std::size_t>(id)]) {
      evaluator.all_in_flight(id);
    }
    if (!evaluator.error().empty()) return Error{evaluator.error()};
    if (!std::is_same_v<N, double>) continue;
    for (std::size_t v = 0; v < live.needed.size(); ++v) {
      if (live.needed[v] && live.last_use[v] == n) {
        evaluator.release(static_cast<int>(v));
      }
    }
  }
  for (const ValueRef o : program.outputs) {
    golden->outputs.push_back(judged.at(o.id));
  }
  return success();
}

Status begin(Session& session, Golden* golden) {
  golden->precision = std::max(session.options.first_precision, 53);
  if (golden->precision == 53) return first_pass<double>(session, golden);
  const PrecisionScope precision(golden->precision);
  return first_pass<Mp>(session, golden);
}

bool undecided(const Golden& golden) {
  return std::any_of(
      golden.outputs.begin(), golden.outputs.end(), [](const GoldenOutput& o) {
        return std::any_of(o.elements.begin(), o.elements.end(),
                           [](const ElementSet& e) { return e.undecided; });
      });
}

Status escalate(Session& session, int bits, Golden* golden) {
  const PrecisionScope precision(bits);
  Evaluator<Mp> evaluator = session.evaluator<Mp>(bits);
  for (std::size_t o = 0; o < golden->outputs.size(); ++o) {
    GoldenOutput& out = golden->outputs[o];
    const int id = session.program.outputs[o].id;
    for (std::size_t i = 0; i < out.elements.size(); ++i) {
      if (!out.elements[i].undecided) continue;
      put(evaluator.judge_and_keep(id, static_cast<std::int64_t>(i)), i, &out);
      if (!evaluator.error().empty()) return Error{evaluator.error()};
    }
  }
  return success();
}

Error undecided_error(const Session& session, const Golden& golden) {
  for (std::size_t o = 0; o < golden.outputs.size(); ++o) {
    const GoldenOutput& out = golden.outputs[o];
    for (std::size_t i = 0; i < out.elements.size(); ++i) {
      if (!out.elements[i].undecided) continue;
      return Error{fmt::format(
          "element {} of output {} ({}, %{}) is undecided at {} bits: the "
          "exact value lies on a boundary that no precision tells from its "
          "neighbourhood, or a part of the expression leaves the exponents of "
          "the evaluator (2^-2^30 to 2^30); say under `special` what holds "
          "there, or write the value otherwise",
          i, o, out.clauses[out.elements[i].clause],
          session.program.outputs[o].id, golden.precision)};
    }
  }
  return Error{"undecided"};
}

}  // namespace

Oracle::Oracle(const language::SpecSet& specs) : specs_(&specs) {}
Oracle::~Oracle() = default;

Result<Golden> Oracle::golden(const Program& program,
                              const std::vector<Tensor>& inputs,
                              const OracleOptions& options) const {
  Session session{program, inputs, *specs_, options, {}};
  session.planned.torch = options.torch;
  const Status askable = check(session);
  if (!askable) return askable.error();
  Golden golden;
  const Status first = begin(session, &golden);
  if (!first) return first.error();
  for (const int bits : precision_ladder(options)) {
    if (!undecided(golden)) return golden;
    if (bits <= 53 || bits == options.first_precision) continue;
    const Status s = escalate(session, bits, &golden);
    if (!s) return s.error();
    golden.precision = bits;
  }
  if (undecided(golden)) return undecided_error(session, golden);
  return golden;
}

Result<std::string> Oracle::explain(const Program& program,
                                    const std::vector<Tensor>& inputs,
                                    const OracleOptions& options, int output,
                                    std::int64_t element) const {
  Session session{program, inputs, *specs_, options, {}};
  session.planned.torch = options.torch;
  const Status askable = check(session);
  if (!askable) return askable.error();
  if (output < 0 || output >= static_cast<int>(program.outputs.size())) {
    return Error{fmt::format("the program has {} outputs, there is no {}",
                             program.outputs.size(), output)};
  }
  const int id = program.outputs[static_cast<std::size_t>(output)].id;
  return explain_element(&session, id, element);
}

}  // namespace assay::reference
