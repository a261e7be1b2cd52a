#include "harness/judge/adjudicate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/judge/coherence.h"
#include "harness/judge/flush.h"
#include "harness/judge/judge.h"
#include "harness/judge/relations.h"
#include "harness/judge/show.h"
#include "suite/language/bind/relations.h"

namespace assay::harness {
namespace {

// The suite asks the requirements when it makes a case, of what it knows then;
// the oracle asks the same ones again, of all elements that the program
// computes. Where they differ a case is not what it was made to be, and nobody
// is judged.
std::string disagreement(const cases::Case& c,
                         const reference::Golden& golden) {
  const std::string due = golden.error ? golden.error->clause : "";
  if (c.must_raise == due) return {};
  return fmt::format(
      "the suite says that {}, the oracle that {}",
      c.must_raise.empty() ? "it must return"
                           : fmt::format("{} must refuse it", c.must_raise),
      due.empty() ? "it must return" : fmt::format("{} must refuse it", due));
}

std::string shape_fault(const cases::Case& c, const reference::Golden& golden) {
  if (golden.error) return {};
  if (golden.outputs.size() != c.program.outputs.size()) {
    return fmt::format("the golden has {} outputs, the program {}",
                       golden.outputs.size(), c.program.outputs.size());
  }
  for (std::size_t k = 0; k < golden.outputs.size(); ++k) {
    const reference::GoldenOutput& out = golden.outputs[k];
    const auto n = static_cast<std::size_t>(element_count(out.type.sizes));
    if (out.elements.size() != n || out.exact.size() != n ||
        out.bound.size() != n) {
      return fmt::format("the golden of out{} has {} sets for {} elements", k,
                         out.elements.size(), n);
    }
  }
  return {};
}

bool does_well(const CaseResult& r) {
  return r.status == CellStatus::pass ||
         r.status == CellStatus::quality_warning;
}

// The first release with which the program has the promises that it has with
// `torch`.
TorchVersion first_alike(const Program& program, const language::SpecSet& specs,
                         TorchVersion torch) {
  TorchVersion first;
  for (const Node& node : program.nodes) {
    const language::OpSpec* op = specs.find_aten(node.op);
    if (op == nullptr) continue;
    for (const TorchVersion v : language::editions(*op)) {
      if (!(torch < v)) first = std::max(first, v);
    }
  }
  return first;
}

}  // namespace

std::unique_ptr<PreparedCase> Adjudicator::prepare(const cases::Case& c,
                                                   TorchVersion torch) const {
  auto p = std::make_unique<PreparedCase>();
  p->source = &c;
  p->inputs = c.make_inputs();
  p->asked.numerics = numerics_;
  p->asked.torch = torch;
  Result<reference::Golden> golden =
      oracle_.golden(c.program, p->inputs, p->asked);
  if (!golden) {
    p->fault = golden.error().message;
    return p;
  }
  p->golden = std::move(golden.value());
  p->fault = disagreement(c, p->golden);
  if (p->fault.empty()) p->fault = shape_fault(c, p->golden);
  if (!p->fault.empty()) return p;
  if (p->golden.error) return p;
  if (specs_ != nullptr) {
    p->related = language::related_program(*specs_, c.program);
  }
  p->vacuous =
      p->related ? relation_vacuity(c.program, *p->related, p->inputs,
                                    p->golden, oracle_, p->asked, c.vacuous)
                 : oracle_.vacuity(p->golden, c.program, p->inputs, c.vacuous);
  p->coherent = p->related || needs_coherence(c.program);
  return p;
}

Result<std::shared_ptr<const reference::Golden>> Adjudicator::coherent(
    const PreparedCase& p, const Observation& o) const {
  const std::lock_guard<std::mutex> lock(p.mutex);
  std::shared_ptr<const reference::Golden>& slot =
      p.seen[hash_outputs(o.outputs)];
  if (slot == nullptr) {
    Result<reference::Golden> made = coherent_golden(
        p.source->program, p.inputs, p.golden, o.outputs, oracle_, p.asked);
    if (!made) return made.error();
    if (p.related) {
      auto relations = judged_relations(p.source->program, *p.related, p.inputs,
                                        p.golden, o.outputs, oracle_, p.asked);
      if (!relations) return relations.error();
      made.value().relations = std::move(*relations);
    }
    slot = std::make_shared<const reference::Golden>(std::move(made.value()));
  }
  return slot;
}

const PreparedCase& Adjudicator::edition(const PreparedCase& p,
                                         const Observation& o) const {
  if (specs_ == nullptr || o.torch == p.asked.torch) return p;
  const Program& program = p.source->program;
  const TorchVersion due = first_alike(program, *specs_, o.torch);
  if (due == first_alike(program, *specs_, p.asked.torch)) return p;
  const std::lock_guard<std::mutex> lock(p.mutex);
  std::unique_ptr<const PreparedCase>& slot = p.editions[due];
  if (slot == nullptr) slot = prepare(*p.source, due);
  return *slot;
}

Result<reference::Golden> Adjudicator::golden_for(const PreparedCase& prepared,
                                                  const Observation& o) const {
  const PreparedCase& p = edition(prepared, o);
  if (!p.fault.empty()) return Error{p.fault};
  if (!p.coherent || o.kind != Observation::Kind::returned) return p.golden;
  Result<std::shared_ptr<const reference::Golden>> made = coherent(p, o);
  if (!made) return made.error();
  return **made;
}

bool Adjudicator::right_by(const PreparedCase& p,
                           const reference::Golden& golden,
                           const Observation& o) const {
  return does_well(judge(*p.source, p.inputs, golden, o, specs_));
}

FailureClass Adjudicator::class_of(const PreparedCase& p,
                                   const Observation& o) const {
  if (p.coherent && right_by(p, p.golden, o)) return FailureClass::incoherent;
  // One call elides nothing.
  if (p.source->program.nodes.size() < 2) return FailureClass::wrong_value;
  reference::OracleOptions less = p.asked;
  less.numerics = reference::Numerics::fused;
  less.elided_casts = true;
  const Result<reference::Golden> golden =
      oracle_.golden(p.source->program, p.inputs, less);
  const bool elided = golden && !golden->error && right_by(p, *golden, o);
  return elided ? FailureClass::elided : FailureClass::wrong_value;
}

CaseResult Adjudicator::result(const PreparedCase& prepared,
                               const Observation& o) const {
  CaseResult r = undeclared_result(prepared, o);
  if (r.status != CellStatus::fail || !o.flush.any() || specs_ == nullptr) {
    return r;
  }
  Observation plain = o;
  plain.flush = {};
  FlushJudgement by = judge_flush(prepared, plain, o.flush, *this, *specs_);
  if (by.seen != Flushing::flushed) return r;
  by.result.reason = "subnormal numbers are flushed, as its column declares";
  return by.result;
}

// The verdict holds where it is the same for all that the program may give;
// otherwise only the hardware can tell.
CaseResult Adjudicator::undeclared_result(const PreparedCase& prepared,
                                          const Observation& o) const {
  CaseResult r = result_of_one(prepared, o);
  for (const std::vector<Tensor>& outputs : o.alternatives) {
    Observation other = o;
    other.outputs = outputs;
    const CaseResult s = result_of_one(prepared, other);
    r.error_over_bound = std::max(r.error_over_bound, s.error_over_bound);
    if (does_well(s) == does_well(r)) continue;
    const CaseResult& bad = does_well(r) ? s : r;
    r.witness = bad.witness;
    r.clause = bad.clause;
    r.reason = one_line(fmt::format("depends on what {} gives: {}",
                                    fmt::join(o.depends_on, ", "), bad.reason));
    r.status = CellStatus::hardware;
    r.failure = FailureClass::none;
    return r;
  }
  return r;
}

CaseResult Adjudicator::result_of_one(const PreparedCase& prepared,
                                      const Observation& o) const {
  const PreparedCase& p = edition(prepared, o);
  const cases::Case& c = *p.source;
  if (!p.fault.empty()) return no_golden(c, p.fault);
  const reference::Golden* golden = &p.golden;
  std::shared_ptr<const reference::Golden> made;
  if (p.coherent && o.kind == Observation::Kind::returned) {
    Result<std::shared_ptr<const reference::Golden>> seen = coherent(p, o);
    if (!seen) return no_golden(c, seen.error().message);
    made = *seen;
    golden = made.get();
  }
  CaseResult r = judge(c, p.inputs, *golden, o, specs_);
  if (r.failure == FailureClass::wrong_value &&
      !broken_relation(golden->relations)) {
    r.failure = class_of(p, o);
  }
  if (r.status != CellStatus::pass) return r;
  if (o.kind == Observation::Kind::returned) {
    r.reason = double_return_fault(c.program, o.outputs);
    if (!r.reason.empty()) {
      r.status = CellStatus::fail;
      r.failure = FailureClass::incoherent;
      return r;
    }
  }
  if (!p.vacuous.empty()) {
    r.status = CellStatus::mistrusted;
    r.reason = p.vacuous;
  }
  return r;
}

}  // namespace assay::harness
