#include "harness/judge.h"

#include <fmt/format.h>

#include "core/program_text.h"
#include "harness/error_contract.h"
#include "harness/judge_values.h"
#include "harness/quality.h"
#include "harness/show.h"

namespace assay {
namespace {

void set(CaseResult* r, CellStatus status, std::string clause,
         std::string reason) {
  r->status = status;
  r->clause = std::move(clause);
  r->reason = one_line(reason);
}

// The promise that a case is about, for failures that no element has.
std::string main_clause(const Case& c, const Golden& golden) {
  if (golden.error) return golden.error->clause;
  for (const GoldenOutput& out : golden.outputs) {
    if (!out.elements.empty() && !out.clauses.empty()) {
      return out.clauses[out.elements.front().clause];
    }
    if (!out.clauses.empty()) return out.clauses.front();
  }
  return c.spec + "/" + c.clause;
}

std::string described(const std::vector<Tensor>& outputs) {
  std::vector<std::string> types;
  for (const Tensor& t : outputs) {
    types.push_back(show_type(t.dtype(), t.sizes()));
  }
  return fmt::format(
      "returned {}",
      types.empty() ? "nothing" : fmt::format("{}", fmt::join(types, ", ")));
}

void judge_raised(const Golden& golden, const RaisedError& raised,
                  CaseResult* r) {
  r->evidence = Evidence::ran;
  r->output_hash = fnv1a("raised " + raised.exception);
  if (!golden.error) {
    set(r, CellStatus::fail, r->clause,
        fmt::format("raised {} in phase {} where a value was due: {}",
                    raised.exception, raised.phase, raised.message));
    return;
  }
  const Result<ErrorMatch> match = match_error(*golden.error, raised);
  if (!match) {
    set(r, CellStatus::internal_error, golden.error->clause,
        match.error().message);
  } else if (!match->conforms) {
    set(r, CellStatus::fail, golden.error->clause, match->reason);
  } else {
    r->output_hash = fnv1a("refused");
    set(r, match->wrong_clause ? CellStatus::quality_warning : CellStatus::pass,
        golden.error->clause, match->reason);
  }
}

void judge_returned(const Golden& golden, const std::vector<Tensor>& inputs,
                    const Observation& o, bool elementwise, bool unbiased,
                    CaseResult* r) {
  r->evidence = Evidence::ran;
  r->output_hash = hash_outputs(o.outputs);
  if (golden.error) {
    set(r, CellStatus::fail, golden.error->clause,
        fmt::format("{} where {} was due", described(o.outputs),
                    fmt::join(golden.error->raises, " or ")));
    return;
  }
  if (const std::string wrong = metadata_fault(golden, o.outputs);
      !wrong.empty()) {
    set(r, CellStatus::fail, kMetadataClause, wrong);
    return;
  }
  judge_values(golden, inputs, o.outputs, elementwise, r);
  if (r->status != CellStatus::pass) return;
  if (const auto fault = quality_fault(golden, o.outputs, unbiased)) {
    set(r, CellStatus::quality_warning, fault->clause, fault->reason);
  }
}

// Breaches of the protocol ("P1: ...") make a good return a failure and are
// mentioned beside a bad one.
void add_breaches(const std::vector<std::string>& breaches, CaseResult* r) {
  if (breaches.empty()) return;
  const std::string all = fmt::format("{}", fmt::join(breaches, "; "));
  if (r->status == CellStatus::pass ||
      r->status == CellStatus::quality_warning) {
    const std::size_t colon = breaches.front().find(':');
    set(r, CellStatus::fail,
        colon == std::string::npos ? kProtocolClause
                                   : breaches.front().substr(0, colon),
        all);
  } else {
    r->reason = one_line(r->reason + "; also " + all);
  }
}

}  // namespace

CaseResult judge(const Case& c, const std::vector<Tensor>& inputs,
                 const Golden& golden, const Observation& o,
                 const SpecSet* specs) {
  CaseResult r;
  r.case_path = c.path;
  r.clause = main_clause(c, golden);
  r.seconds = o.seconds;
  switch (o.kind) {
    case Observation::Kind::returned: {
      const bool elementwise =
          specs != nullptr && is_elementwise(c.program, *specs);
      judge_returned(golden, inputs, o, elementwise, c.unbiased, &r);
      add_breaches(o.breaches, &r);
      break;
    }
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
      set(&r, CellStatus::crash, r.clause, "out of memory: " + o.detail);
      break;
    case Observation::Kind::malformed:
      set(&r, CellStatus::internal_error, kProtocolClause,
          "the subject broke the protocol: " + o.detail);
      break;
  }
  if (r.status != CellStatus::pass && r.reason.empty()) {
    r.reason = status_name(r.status);
  }
  return r;
}

CaseResult no_golden(const Case& c, const std::string& why) {
  CaseResult r;
  r.case_path = c.path;
  r.clause = c.spec + "/" + c.clause;
  set(&r, CellStatus::internal_error, r.clause, "no golden: " + why);
  return r;
}

std::vector<TensorType> expected_types(const Golden& golden) {
  std::vector<TensorType> types;
  if (golden.error) return types;
  for (const GoldenOutput& out : golden.outputs) types.push_back(out.type);
  return types;
}

}  // namespace assay
