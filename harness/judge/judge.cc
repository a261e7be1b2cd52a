#include "harness/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/float_bits.h"
#include "core/program_text.h"
#include "core/text.h"
#include "harness/judge/elementwise.h"
#include "harness/judge/error_contract.h"
#include "harness/judge/layout.h"
#include "harness/judge/quality.h"
#include "harness/judge/relations.h"
#include "harness/judge/sharing.h"
#include "harness/judge/show.h"
#include "reference/golden/admits.h"

namespace assay::harness {
namespace {

// Calls visit(output, element, admitted, error over bound, clause index).
template <class Visit>
void for_each_element(const reference::Golden& golden,
                      const std::vector<Tensor>& outputs, Visit visit) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const reference::GoldenOutput& want = golden.outputs[k];
    const DType t = want.type.dtype;
    const Tensor got = components(outputs[k]);
    const std::int64_t n = got.numel();
    for (std::int64_t i = 0; i < n; ++i) {
      const reference::ElementSet& set =
          want.elements[static_cast<std::size_t>(i)];
      const std::uint64_t bits = got.bits(i);
      const bool admitted = reference::admits(set, t, bits);
      // An undefined element has no error. One that is admitted although its
      // class is another (an overflow that the bound allows) is at the very
      // end of its set.
      double error =
          set.unspecified ? 0 : reference::error_over_bound(want, i, bits);
      if (admitted && !std::isfinite(error)) error = 1;
      visit(static_cast<int>(k), i, admitted, error, set.clause);
    }
  }
}

std::string clause_of(const reference::Golden& golden, int output,
                      std::uint16_t index) {
  const auto& clauses =
      golden.outputs[static_cast<std::size_t>(output)].clauses;
  return index < clauses.size() ? clauses[index] : std::string("V1");
}

// "exp/A1 10, exp/S1 2", the most frequent first.
std::string counts(const std::map<std::string, std::int64_t>& wrong) {
  std::vector<std::pair<std::string, std::int64_t>> order(wrong.begin(),
                                                          wrong.end());
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [clause, n] : order) {
    parts.push_back(fmt::format("{} {}", clause, n));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string metadata_fault(const reference::Golden& golden,
                           const std::vector<Tensor>& outputs) {
  if (outputs.size() != golden.outputs.size()) {
    return fmt::format("returned {} output{} where {} {} due", outputs.size(),
                       outputs.size() == 1 ? "" : "s", golden.outputs.size(),
                       golden.outputs.size() == 1 ? "was" : "were");
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const TensorType want = golden.outputs[k].returned();
    const TensorType& got = outputs[k].type;
    if (got.dtype != want.dtype || got.sizes != want.sizes) {
      return fmt::format("out{}: {} where {} was due", k,
                         type_text(got.dtype, got.sizes),
                         type_text(want.dtype, want.sizes));
    }
  }
  return {};
}

Witness make_witness(const reference::Golden& golden,
                     const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& outputs, bool elementwise,
                     int output, std::int64_t element) {
  const auto k = static_cast<std::size_t>(output);
  const auto i = static_cast<std::size_t>(element);
  const reference::GoldenOutput& want = golden.outputs[k];
  Witness w;
  w.output = output;
  w.element = element;
  w.got = show_bits(want.type.dtype, components(outputs[k]).bits(element));
  w.admissible = show_set(want.elements[i], want.type.dtype);
  if (i < want.exact.size()) w.exact = show_number(want.exact[i]);
  if (elementwise) {
    w.inputs = show_operands(components(inputs), want.type.sizes, element);
  }
  return w;
}

std::vector<WrongElement> worst_elements(const reference::Golden& golden,
                                         const std::vector<Tensor>& outputs,
                                         std::size_t limit) {
  std::vector<WrongElement> wrong;
  for_each_element(
      golden, outputs,
      [&](int k, std::int64_t i, bool admitted, double error, std::uint16_t) {
        if (!admitted) wrong.push_back({k, i, error});
      });
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const WrongElement& a, const WrongElement& b) {
                     return a.error > b.error;
                   });
  if (wrong.size() > limit) wrong.resize(limit);
  return wrong;
}

std::uint64_t hash_outputs(const std::vector<Tensor>& outputs) {
  std::string bytes;
  for (const Tensor& returned : outputs) {
    bytes += type_text(returned.dtype(), returned.sizes());
    const Tensor t = components(returned);
    const bool floats = is_float(t.dtype());
    const auto width = static_cast<std::size_t>(size_bytes(t.dtype()));
    const std::int64_t n = t.numel();
    for (std::int64_t i = 0; i < n; ++i) {
      std::uint64_t bits = t.bits(i);
      if (floats && is_nan_bits(t.dtype(), bits)) {
        bits = quiet_nan_bits(t.dtype());
      }
      for (std::size_t b = 0; b < width; ++b) {
        bytes += static_cast<char>((bits >> (8 * b)) & 0xff);
      }
    }
  }
  return fnv1a(bytes);
}

namespace {

// Requires metadata without fault. Sets status, clause (that of the worst
// element), counts, error_over_bound, reason and witness.
void judge_values(const reference::Golden& golden,
                  const std::vector<Tensor>& inputs,
                  const std::vector<Tensor>& outputs, bool elementwise,
                  CaseResult* r) {
  std::map<std::string, std::int64_t> wrong;
  WrongElement worst;  // of the wrong ones, if any
  bool any_wrong = false;
  double largest = -1;  // over all elements
  for_each_element(golden, outputs,
                   [&](int k, std::int64_t i, bool admitted, double error,
                       std::uint16_t clause) {
                     ++r->elements;
                     if (std::isnan(error)) error = INFINITY;
                     if (!admitted) {
                       ++wrong[clause_of(golden, k, clause)];
                       if (!any_wrong || error > worst.error) {
                         worst = {k, i, error};
                         r->clause = clause_of(golden, k, clause);
                       }
                       any_wrong = true;
                       ++r->wrong_elements;
                     } else if (error > largest && !any_wrong) {
                       r->clause = clause_of(golden, k, clause);
                     }
                     largest = std::max(largest, error);
                   });
  r->error_over_bound = std::max(0.0, largest);
  r->status = any_wrong ? CellStatus::fail : CellStatus::pass;
  if (!any_wrong) return;
  r->failure = FailureClass::wrong_value;
  r->error_over_bound = worst.error;
  const auto k = static_cast<std::size_t>(worst.output);
  const auto element = static_cast<std::size_t>(worst.element);
  const reference::ElementSet& set = golden.outputs[k].elements[element];
  const DType t = golden.outputs[k].type.dtype;
  r->witness = make_witness(golden, inputs, outputs, elementwise, worst.output,
                            worst.element);
  const Tensor got = components(outputs[k]);
  const std::string distance = show_distance(set, t, got.bits(worst.element));
  r->reason = one_line(
      fmt::format("out{}{}: got {}, admissible {}{}; {} of {} wrong: {}",
                  worst.output, index_text(got.sizes(), worst.element),
                  r->witness->got, r->witness->admissible,
                  distance.empty() ? "" : fmt::format(", {}", distance),
                  r->wrong_elements, r->elements, counts(wrong)));
}

// Requires values that are right by themselves.
void judge_relations(const reference::Golden& golden, CaseResult* r) {
  const auto broken = broken_relation(golden.relations);
  if (!broken) return;
  r->status = CellStatus::fail;
  r->failure = FailureClass::wrong_value;
  r->clause = broken->clause;
  r->error_over_bound = INFINITY;
  r->reason = one_line(fmt::format(
      "what was returned does not stand in the relation that is due, at {} and "
      "{} of its {} elements in all",
      broken->place, broken->broken, broken->elements));
}

void set(CaseResult* r, CellStatus status, std::string clause,
         std::string reason) {
  r->status = status;
  r->clause = std::move(clause);
  r->reason = one_line(reason);
}

void fail(CaseResult* r, FailureClass failure, std::string clause,
          const std::string& reason) {
  set(r, CellStatus::fail, std::move(clause), reason);
  r->failure = failure;
}

// The promise that a case is about, for failures that belong to no element.
std::string main_clause(const cases::Case& c, const reference::Golden& golden) {
  if (golden.error) return golden.error->clause;
  for (const reference::GoldenOutput& out : golden.outputs) {
    if (!out.elements.empty() && !out.clauses.empty()) {
      return out.clauses[out.elements.front().clause];
    }
    if (!out.clauses.empty()) return out.clauses.front();
  }
  return fmt::format("{}/{}", c.spec, c.clause);
}

// What a clause leaves undefined may be something else each time, and so may an
// output that is computed from nothing else; what relations decide about is the
// same.
bool has_undefined(const reference::Golden& golden) {
  for (std::size_t k = 0; k < golden.outputs.size(); ++k) {
    const auto& elements = golden.outputs[k].elements;
    if (golden.relations.empty() && !elements.empty() &&
        std::all_of(elements.begin(), elements.end(),
                    [](const auto& set) { return set.unspecified; })) {
      return true;
    }
    for (const reference::ElementSet& set : elements) {
      if (!set.unspecified) continue;
      const std::string id = clause_of(golden, static_cast<int>(k), set.clause);
      if (id.substr(id.rfind('/') + 1).starts_with("U")) return true;
    }
  }
  return false;
}
bool is_of_repetition(const std::string& breach) {
  return breach.starts_with("D1: ");
}

// A breach that says why outputs were not read: "M1: output 0 is ...".
bool is_of_an_unread_output(const std::string& breach) {
  return breach.starts_with("M1: output ");
}

// What was returned and could not be read; empty if all was.
std::string unread(const Observation& o) {
  if (!o.outputs.empty()) return {};
  const auto at = std::find_if(o.breaches.begin(), o.breaches.end(),
                               is_of_an_unread_output);
  return at == o.breaches.end() ? "" : at->substr(4);
}

std::string described(const Observation& o) {
  if (const std::string what = unread(o); !what.empty()) {
    return fmt::format("returned ({})", what);
  }
  std::vector<std::string> types;
  for (const Tensor& t : o.outputs) {
    types.push_back(type_text(t.dtype(), t.sizes()));
  }
  return fmt::format(
      "returned {}",
      types.empty() ? "nothing" : fmt::format("{}", fmt::join(types, ", ")));
}

void judge_raised(const reference::Golden& golden, const RaisedError& raised,
                  CaseResult* r) {
  r->output_hash = fnv1a("raised " + raised.exception);
  if (!golden.error) {
    fail(r, FailureClass::wrong_error, r->clause,
         fmt::format("raised {} in phase {} where a value was due: {}",
                     raised.exception, raised.phase, raised.message));
    return;
  }
  const Result<ErrorMatch> match = match_error(*golden.error, raised);
  if (!match) {
    set(r, CellStatus::internal_error, golden.error->clause,
        match.error().message);
  } else if (!match->conforms) {
    fail(r, FailureClass::wrong_error, golden.error->clause, match->reason);
  } else {
    r->output_hash = fnv1a("refused");
    set(r, match->wrong_clause ? CellStatus::quality_warning : CellStatus::pass,
        golden.error->clause, match->reason);
  }
}

// What compiled without a remark may still be wrong, as the evidence says.
void judge_linted(const reference::Golden& golden, const Observation& o,
                  CaseResult* r) {
  if (golden.error) {
    set(r, CellStatus::hardware, golden.error->clause,
        "its code was compiled; whether that refuses is seen when it runs");
  } else if (!o.remarks.empty()) {
    set(r, CellStatus::quality_warning, r->clause,
        fmt::format("lint: {}", fmt::join(o.remarks, "; ")));
  } else {
    set(r, CellStatus::pass, r->clause, "");
  }
}

void judge_returned(const reference::Golden& golden,
                    const std::vector<Tensor>& inputs, const Observation& o,
                    bool elementwise, CaseResult* r) {
  r->output_hash = hash_outputs(o.outputs);
  if (golden.error) {
    fail(r, FailureClass::lost_error, golden.error->clause,
         fmt::format("{} where {} was due", described(o),
                     fmt::join(golden.error->raises, " or ")));
    return;
  }
  std::string wrong = unread(o);
  if (wrong.empty()) wrong = metadata_fault(golden, o.outputs);
  if (!wrong.empty()) {
    fail(r, FailureClass::metadata, kMetadataClause, wrong);
    return;
  }
  judge_values(golden, inputs, o.outputs, elementwise, r);
  if (r->status == CellStatus::pass) judge_relations(golden, r);
}

// What is computed may be right and lie in the wrong places: judged last.
void judge_places(const cases::Case& c, const language::SpecSet& specs,
                  const Observation& o, CaseResult* r) {
  if (const auto fault = sharing_fault(c.program, o)) {
    fail(r, FailureClass::metadata, kSharingClause,
         fmt::format("out{}: {} where {} was due", fault->output, fault->got,
                     fault->promised));
    return;
  }
  const auto fault = layout_fault(specs, c.program, o);
  if (!fault) {
    set(r, CellStatus::internal_error, r->clause, fault.error().message);
    return;
  }
  if (!*fault) return;
  const LayoutFault& f = **fault;
  fail(r, FailureClass::metadata, kLayoutClause,
       fmt::format("out{}: {} where {} were due", f.output, f.got, f.promised));
  Witness w;
  w.output = f.output;
  w.got = f.got;
  w.admissible = f.promised;
  r->witness = w;
}

// The finer points of a result whose values are right.
void judge_manner(const cases::Case& c, const reference::Golden& golden,
                  const Observation& o, const language::SpecSet* specs,
                  CaseResult* r) {
  if (const auto fault = quality_fault(golden, o.outputs, c.unbiased)) {
    set(r, CellStatus::quality_warning, fault->clause, fault->reason);
  }
  if (specs != nullptr) judge_places(c, *specs, o, r);
}

// Breaches of the protocol ("P1: ...") make a good return a failure and are
// mentioned beside a bad one.
void add_breaches(const std::vector<std::string>& breaches, CaseResult* r) {
  if (breaches.empty()) return;
  const std::string all = fmt::format("{}", fmt::join(breaches, "; "));
  if (r->status == CellStatus::pass ||
      r->status == CellStatus::quality_warning) {
    const std::size_t colon = breaches.front().find(':');
    fail(r, FailureClass::protocol,
         colon == std::string::npos ? kProtocolClause
                                    : breaches.front().substr(0, colon),
         all);
  } else {
    r->reason = one_line(fmt::format("{}; also {}", r->reason, all));
  }
}

}  // namespace

CaseResult judge(const cases::Case& c, const std::vector<Tensor>& inputs,
                 const reference::Golden& golden, const Observation& o,
                 const language::SpecSet* specs) {
  CaseResult r;
  r.case_path = c.path;
  r.clause = main_clause(c, golden);
  r.seconds = o.seconds;
  if (o.kind == Observation::Kind::returned ||
      o.kind == Observation::Kind::linted ||
      o.kind == Observation::Kind::raised) {
    r.evidence = o.evidence;
    r.lowering = o.lowering;
  }
  switch (o.kind) {
    case Observation::Kind::returned: {
      const bool elementwise =
          specs != nullptr && is_elementwise(c.program, *specs);
      judge_returned(golden, inputs, o, elementwise, &r);
      if (r.status == CellStatus::pass) judge_manner(c, golden, o, specs, &r);
      std::vector<std::string> breaches = o.breaches;
      if (has_undefined(golden)) std::erase_if(breaches, is_of_repetition);
      if (!unread(o).empty()) {
        std::erase_if(breaches, is_of_an_unread_output);  // said already
      }
      add_breaches(breaches, &r);
      break;
    }
    case Observation::Kind::linted:
      judge_linted(golden, o, &r);
      add_breaches(o.breaches, &r);
      break;
    case Observation::Kind::raised:
      judge_raised(golden, o.error, &r);
      add_breaches(o.breaches, &r);
      break;
    case Observation::Kind::unsupported:
      set(&r, CellStatus::unsupported, r.clause,
          o.detail.empty() ? "declared unsupported" : o.detail);
      break;
    case Observation::Kind::crashed:
      set(&r, CellStatus::crash, r.clause, o.detail);
      break;
    case Observation::Kind::timed_out:
      set(&r, CellStatus::timeout, r.clause, o.detail);
      break;
    case Observation::Kind::out_of_memory:
      set(&r, CellStatus::crash, r.clause,
          fmt::format("out of memory: {}", o.detail));
      break;
    case Observation::Kind::malformed:
      set(&r, CellStatus::internal_error, kProtocolClause,
          "the subject broke the protocol: " + o.detail);
      break;
    case Observation::Kind::not_run:
      set(&r, CellStatus::not_run, r.clause, o.detail);
      break;
    case Observation::Kind::device_lost:
      set(&r, CellStatus::device_lost, r.clause, o.detail);
      break;
  }
  if (r.status != CellStatus::pass && r.reason.empty()) {
    r.reason = status_name(r.status);
  }
  return r;
}

CaseResult no_golden(const cases::Case& c, const std::string& why) {
  CaseResult r;
  r.case_path = c.path;
  r.clause = fmt::format("{}/{}", c.spec, c.clause);
  set(&r, CellStatus::internal_error, r.clause,
      fmt::format("no golden: {}", why));
  return r;
}

std::vector<TensorType> expected_types(const reference::Golden& golden) {
  std::vector<TensorType> types;
  if (golden.error) return types;
  for (const reference::GoldenOutput& out : golden.outputs)
    types.push_back(out.returned());
  return types;
}

}  // namespace assay::harness
