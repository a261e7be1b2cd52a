#include "reference/oracle/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <type_traits>

#include "reference/numbers/element_order.h"
#include "reference/oracle/explain.h"
#include "reference/oracle/session.h"
#include "reference/plan/planner.h"

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

// An element of an input or a constant is itself.
void put_given(const Tensor& t, std::int64_t element, std::uint16_t clause,
               std::size_t at, GoldenOutput* out) {
  ElementSet& e = out->elements[at];
  e.clause = clause;
  e.lo = e.hi = t.bits(element);
  const double x = number_of_bits(t.dtype(), t.bits(element));
  out->exact[at] = x;
  if (std::isnan(x)) {
    e.has_values = false;
    e.nan = true;
  }
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

// An output in the making.
struct Output {
  GoldenOutput golden;
  int id = 0;                            // of a value, or of a version
  std::map<int, std::uint16_t> clauses;  // by value: where its begin
};

Output begin_output(Session& session, ValueRef value) {
  Output out;
  const TensorType& type =
      session.planned.types[static_cast<std::size_t>(value.id)];
  out.golden = empty_output(type);
  out.golden.is_complex =
      session.planned.complex[static_cast<std::size_t>(value.id)];
  Versions& versions = *session.planned.versions;
  out.id = versions.seen(value.id, type.sizes);
  std::set<int> values;
  if (!versions.is_version(out.id)) {
    values.insert(out.id);
  } else {
    for (const auto& e : versions.elements(out.id)) values.insert(e.value);
  }
  std::vector<std::string>& names = out.golden.clauses;
  for (const int v : values) {
    out.clauses[v] = static_cast<std::uint16_t>(names.size());
    if (!session.program.is_node({v})) {
      names.emplace_back("V1");
      continue;
    }
    const auto& of = session.plan_of(v).clauses;
    names.insert(names.end(), of.begin(), of.end());
  }
  return out;
}

// Judges element `at` of an output.
template <class N>
void judge(const Session& session, Evaluator<N>& evaluator, std::size_t at,
           Output* out) {
  Versions::Element e = {out->id, static_cast<std::int64_t>(at)};
  const Versions& versions = *session.planned.versions;
  if (versions.is_version(out->id)) e = versions.elements(out->id)[at];
  const std::uint16_t clause = out->clauses.at(e.value);
  if (!session.program.is_node({e.value})) {
    put_given(session.given({e.value}), e.element, clause, at, &out->golden);
    return;
  }
  Judgement<N> j = evaluator.judge_and_keep(e.value, e.element);
  j.clause = static_cast<std::uint16_t>(j.clause + clause);
  put(j, at, &out->golden);
}

using Outputs = std::vector<Output>;

template <class N>
Status judge_all(const Session& session, Evaluator<N>& evaluator, Output* out) {
  const std::size_t count = out->golden.elements.size();
  for (std::size_t i = 0; i < count && evaluator.error().empty(); ++i) {
    judge(session, evaluator, i, out);
  }
  if (!evaluator.error().empty()) return Error{evaluator.error()};
  return success();
}

// Values whose sets in flight are needed, and when each is needed last.
struct Liveness {
  std::vector<char> needed;
  std::vector<std::size_t> last_use;  // node
};

Liveness liveness(const Program& program, const PlannedProgram& planned,
                  const std::map<int, Tensor>& observed) {
  const Versions& versions = *planned.versions;
  const auto is_observed = [&](std::size_t id) {
    const auto at_end = versions.at_end(static_cast<int>(id));
    return at_end && observed.contains(*at_end);
  };
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
    const bool evaluated = judged[id] || (l.needed[id] && !is_observed(id));
    if (!evaluated) continue;
    const auto need = [&](int value) {
      const auto source = static_cast<std::size_t>(value);
      if (!l.needed[source]) l.last_use[source] = n;
      l.needed[source] = 1;
    };
    for (const Access& a : planned.plans[n]->accesses) {
      if (a.is_definition()) continue;
      if (!versions.is_version(a.source)) {
        need(a.source);
        continue;
      }
      for (const auto& e : versions.elements(a.source)) need(e.value);
    }
  }
  return l;
}

// Enough for sums and products of 64-bit integers.
constexpr int kIntegerBits = 192;

// Makes the nests, and judges every element at the first precision.
template <class N>
Status first_pass(Session& session, Golden* golden, Outputs* outputs) {
  Evaluator<N> evaluator = session.evaluator<N>(golden->precision);
  const Program& program = session.program;
  const ExactElements elements = [&](int id, const TensorType& type) {
    std::optional<Tensor> known = evaluator.exact_elements(id, type);
    if (known || is_float(type.dtype)) return known;
    if (std::is_same_v<N, double>) {
      // Not every integer of 64 bits is a double.
      const PrecisionScope precision(kIntegerBits);
      known = session.evaluator<Mp>(kIntegerBits).exact_elements(id, type);
    }
    return known ? known : session.elements_of_draws(&evaluator, id, type);
  };
  const Status planned =
      plan_program(program, session.inputs, session.specs,
                   session.options.observed, elements, &session.planned);
  if (!planned) return planned;
  if (!evaluator.error().empty()) return Error{evaluator.error()};
  if (session.planned.refused) {
    if (session.observed.size() > session.options.observed.size()) {
      return Error{fmt::format(
          "{} hangs on what the program draws; zeros in its place break it",
          session.planned.refused->clause)};
    }
    golden->error = session.planned.refused;
    return success();
  }
  outputs->clear();
  for (const ValueRef o : program.outputs) {
    outputs->push_back(begin_output(session, o));
  }
  const Liveness live = liveness(program, session.planned, session.observed);
  for (std::size_t n = 0; n < program.nodes.size(); ++n) {
    const int id = program.first_node_id() + static_cast<int>(n);
    bool is_judged = false;
    for (Output& out : *outputs) {
      if (out.id != id) continue;
      const Status s = judge_all(session, evaluator, &out);
      if (!s) return s;
      is_judged = true;
    }
    // MPFR computes what is asked for, not whole tensors.
    if (!std::is_same_v<N, double>) continue;
    if (!is_judged && live.needed[static_cast<std::size_t>(id)]) {
      evaluator.all_in_flight(id);
    }
    if (!evaluator.error().empty()) return Error{evaluator.error()};
    for (std::size_t v = 0; v < live.needed.size(); ++v) {
      if (live.needed[v] && live.last_use[v] == n) {
        evaluator.release(static_cast<int>(v));
      }
    }
  }
  for (Output& out : *outputs) {
    if (out.id >= program.first_node_id() && out.id < program.value_count()) {
      continue;
    }
    const Status s = judge_all(session, evaluator, &out);
    if (!s) return s;
  }
  return success();
}

Status begin(Session& session, Golden* golden, Outputs* outputs) {
  golden->precision = std::max(session.options.first_precision, 53);
  if (golden->precision == 53)
    return first_pass<double>(session, golden, outputs);
  const PrecisionScope precision(golden->precision);
  return first_pass<Mp>(session, golden, outputs);
}

bool undecided(const Outputs& outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [](const Output& o) {
    return std::any_of(o.golden.elements.begin(), o.golden.elements.end(),
                       [](const ElementSet& e) { return e.undecided; });
  });
}

Status escalate(Session& session, int bits, Outputs* outputs) {
  const PrecisionScope precision(bits);
  Evaluator<Mp> evaluator = session.evaluator<Mp>(bits);
  for (Output& out : *outputs) {
    for (std::size_t i = 0; i < out.golden.elements.size(); ++i) {
      if (!out.golden.elements[i].undecided) continue;
      judge(session, evaluator, i, &out);
      if (!evaluator.error().empty()) return Error{evaluator.error()};
    }
  }
  return success();
}

Error undecided_error(const Session& session, const Outputs& outputs,
                      int precision) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const GoldenOutput& out = outputs[o].golden;
    for (std::size_t i = 0; i < out.elements.size(); ++i) {
      if (!out.elements[i].undecided) continue;
      return Error{fmt::format(
          "element {} of output {} ({}, %{}) is undecided at {} bits: the "
          "exact value lies on a boundary that no precision tells from its "
          "neighbourhood, or a part of the expression leaves the exponents of "
          "the evaluator (2^-2^30 to 2^30); say under `special` what holds "
          "there, or write the value otherwise",
          i, o, out.clauses[out.elements[i].clause],
          session.program.outputs[o].id, precision)};
    }
  }
  return Error{"undecided"};
}

}  // namespace

TensorType GoldenOutput::returned() const {
  return is_complex ? joined(type) : type;
}

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
  Outputs outputs;
  const Status first = begin(session, &golden, &outputs);
  if (!first) return first.error();
  for (const int bits : precision_ladder(options)) {
    if (!undecided(outputs)) break;
    if (bits <= 53 || bits == options.first_precision) continue;
    const Status s = escalate(session, bits, &outputs);
    if (!s) return s.error();
    golden.precision = bits;
  }
  if (undecided(outputs)) {
    return undecided_error(session, outputs, golden.precision);
  }
  for (Output& o : outputs) golden.outputs.push_back(std::move(o.golden));
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
