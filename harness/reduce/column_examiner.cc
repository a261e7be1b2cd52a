#include "harness/reduce/column_examiner.h"

#include <chrono>
#include <cmath>

#include "core/float_bits.h"
#include "harness/judge/judge.h"
#include "reference/golden/admits.h"

namespace assay::harness {
namespace {

constexpr std::chrono::milliseconds kDeadline{180'000};
constexpr const char* kName = "reduced";

// An admissible element: the exact value rounded, if that is one.
std::uint64_t admissible(const reference::GoldenOutput& golden, std::size_t i) {
  const DType t = golden.type.dtype;
  const reference::ElementSet& set = golden.elements[i];
  const double exact = golden.exact[i];
  if (is_float(t)) {
    const std::uint64_t bits = encode_float(t, exact);
    if (reference::admits(set, t, bits)) return bits;
    return set.has_values ? set.lo : quiet_nan_bits(t);
  }
  return set.has_values ? set.lo : 0;
}

GivenTensor admissible_tensor(const reference::GoldenOutput& golden) {
  GivenTensor out;
  out.dtype = golden.type.dtype;
  out.sizes = golden.type.sizes;
  for (std::size_t i = 0; i < golden.elements.size(); ++i) {
    out.bits.push_back(admissible(golden, i));
  }
  return out;
}

// The place of an element in a tensor of these sizes.
Shape index_of(std::int64_t element, const Shape& sizes) {
  Shape index(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    index[d] = element % sizes[d];
    element /= sizes[d];
  }
  return index;
}

}  // namespace

Attempt attempt(const PreparedCase& p, Executor& executor,
                const Adjudicator& adjudicator) {
  Attempt out;
  out.observation = executor.run(p.source->program, p.inputs,
                                 expected_types(p.golden), kDeadline);
  out.result = adjudicator.result(p, out.observation);
  return out;
}

Examined ColumnExaminer::examine(const Candidate& c, bool must_tell) {
  Examined out;
  const cases::Case made = case_of(c, kName);
  const auto prepared = adjudicator_.prepare(made);
  if (!prepared->fault.empty()) return out;
  out.telling = prepared->vacuous.empty();
  if (must_tell && !out.telling) return out;
  const Attempt tried = attempt(*prepared, executor_, adjudicator_);
  out.fails = is_same(wanted_, failure_of(tried.result, tried.observation));
  if (out.fails && tried.result.witness) {
    const Witness& w = *tried.result.witness;
    out.sizes =
        prepared->golden.outputs[static_cast<std::size_t>(w.output)].type.sizes;
    out.index = index_of(w.element, out.sizes);
  }
  return out;
}

std::vector<GivenTensor> ColumnExaminer::values_of(const Candidate& c,
                                                   ValueRef v) {
  std::vector<GivenTensor> out;
  Candidate part = c;
  part.outputs = {v};
  part.must_raise.clear();
  const cases::Case made = case_of(pruned(part), kName);
  const auto prepared = adjudicator_.prepare(made);
  if (!prepared->fault.empty() || prepared->golden.error) return out;
  out.push_back(admissible_tensor(prepared->golden.outputs.front()));
  const Attempt tried = attempt(*prepared, executor_, adjudicator_);
  const Observation& o = tried.observation;
  if (o.kind == Observation::Kind::returned &&
      metadata_fault(prepared->golden, o.outputs).empty()) {
    out.push_back(given_of(o.outputs.front()));
  }
  return out;
}

}  // namespace assay::harness
