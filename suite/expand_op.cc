#include "suite/expand_op.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suite/negative_cases.h"
#include "suite/op_cases.h"
#include "suite/quota.h"

namespace assay {
namespace {

void mark_quick(std::size_t limit, OpCases* cases,
                const std::function<bool(const BaseCase&)>& among) {
  std::vector<Candidate> candidates;
  for (const BaseCase& b : cases->bases()) {
    if (b.quick && among(b)) candidates.push_back(describe_base(b));
  }
  for (const std::size_t n : select_varied(candidates, limit, false)) {
    cases->find(candidates[n].key)->quick = true;
  }
}

// Cases that may be put into company, by their index.
struct Hosts {
  std::vector<Candidate> candidates;
  std::vector<std::size_t> index;

  void select(std::size_t limit, std::vector<std::size_t>* out) const {
    for (const std::size_t n : select_varied(candidates, limit, false)) {
      if (std::find(out->begin(), out->end(), index[n]) == out->end()) {
        out->push_back(index[n]);
      }
    }
  }
};

bool is_few_narrow(const CallPlan& plan) {
  const auto operands = plan.operands();
  const std::int64_t numel = plan.numel();
  return numel > 1 && numel <= kFewElements &&
         std::all_of(operands.begin(), operands.end(),
                     [](const OperandPlan* o) {
                       return is_integer(o->dtype) && size_bytes(o->dtype) < 4;
                     });
}

// The valid cases that are put into company: a few of each group and type.
std::vector<std::size_t> context_hosts(const OpCases& cases) {
  Hosts all, few;
  for (std::size_t n = 0; n < cases.bases().size(); ++n) {
    const BaseCase& b = cases.bases()[n];
    if (!b.all_contexts && b.contexts.empty()) continue;
    const std::int64_t numel = b.plan.numel();
    const bool empty = numel == 0 && !b.plan.operands().empty();
    if (empty || numel > kCompanyElements) continue;
    Candidate c{b.path, {}, input_bonus(b.plan)};
    c.features.emplace_back(b.clause + " " + dtype_segment(b.plan), 4);
    c.features.emplace_back(b.clause + " " + attr_segment(b.plan), 2);
    for (Hosts* hosts : {&all, is_few_narrow(b.plan) ? &few : nullptr}) {
      if (hosts == nullptr) continue;
      hosts->candidates.push_back(c);
      hosts->index.push_back(n);
    }
  }
  std::vector<std::size_t> hosts;
  all.select(kFullContextBases, &hosts);
  few.select(kFullFewContextBases, &hosts);
  return hosts;
}

bool wanted(const BaseCase& b, const ContextSpec& context) {
  return (b.all_contexts && !context.named) ||
         std::find(b.contexts.begin(), b.contexts.end(), context.name) !=
             b.contexts.end();
}

Candidate describe(const BaseCase& b, const ContextSpec& context,
                   const std::string& path) {
  Candidate c = describe_base(b);
  c.key = path;
  c.features.emplace_back("context " + context.name, 8);
  // What observers look for is among the special values.
  if (is_observer(context) && !has_regular_inputs(b.plan)) c.bonus += 3;
  return c;
}

void add_context_cases(OpCases* cases) {
  std::vector<Candidate> quick;
  for (const std::size_t n : context_hosts(*cases)) {
    const BaseCase& b = cases->bases()[n];
    const std::vector<DType> results = result_dtypes(b.plan);
    for (const ContextSpec& context : cases->specs().contexts) {
      if (!wanted(b, context)) continue;
      const auto output = cases->suits(context, b.plan, results);
      const auto in0 = choose_operand(context, b.plan);
      if (!output || !in0) continue;
      const Company c{n, &context, *in0, *output};
      if (!cases->add_company(c) || !b.quick) continue;
      quick.push_back(describe(b, context, cases->path_of(c)));
    }
  }
  for (const std::size_t n : select_varied(quick, kQuickContexts, false)) {
    cases->find(quick[n].key)->quick = true;
  }
}

}  // namespace

void expand_op(const SpecSet& specs, const OpSpec& spec, Expansion* out) {
  OpCases cases(specs, spec);
  cases.add_valid();
  mark_quick(kQuickAlone, &cases,
             [](const BaseCase& b) { return !b.boundary; });
  mark_quick(kQuickBoundaries, &cases,
             [](const BaseCase& b) { return b.boundary && !b.solved; });
  mark_quick(kQuickSolved, &cases, [](const BaseCase& b) { return b.solved; });
  add_context_cases(&cases);
  add_negative_cases(&cases, &out->uncovered);
  cases.finish(out);
}

}  // namespace assay
