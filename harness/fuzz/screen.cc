#include "harness/fuzz/screen.h"

#include <algorithm>
#include <utility>

namespace assay::harness {
namespace {

// Of more NaN than this an output shows little but that.
constexpr double kMostNan = 0.75;

bool is_mostly_nan(const reference::GoldenOutput& out) {
  const auto nan = std::count_if(out.elements.begin(), out.elements.end(),
                                 [](const reference::ElementSet& e) {
                                   return !e.has_values && !e.unspecified;
                                 });
  return static_cast<double>(nan) >
         kMostNan * static_cast<double>(out.elements.size());
}

// Why output `k` by itself tells nothing; empty if it does.
std::string fault_of(const PreparedCase& p, std::size_t k,
                     const Adjudicator& adjudicator) {
  reference::Golden golden;
  golden.outputs = {p.golden.outputs[k]};
  if (is_mostly_nan(golden.outputs[0])) return "it is NaN";
  Program program = p.source->program;
  program.outputs = {program.outputs[k]};
  return adjudicator.oracle().vacuity(golden, program, p.inputs,
                                      p.source->vacuous);
}

}  // namespace

Screened screen(const Candidate& drawn, const Adjudicator& adjudicator) {
  Screened out;
  out.candidate = drawn;
  const cases::Case c = case_of(drawn, "fuzz");
  const auto prepared = adjudicator.prepare(c);
  if (!prepared->fault.empty()) {
    const bool any =
        prepared->golden.error || !prepared->golden.outputs.empty();
    out.kind = any ? Screened::Kind::at_odds : Screened::Kind::undecided;
    out.why = prepared->fault;
    return out;
  }
  if (prepared->golden.error) return out;
  out.candidate.outputs.clear();
  for (std::size_t k = 0; k < drawn.outputs.size(); ++k) {
    std::string fault = fault_of(*prepared, k, adjudicator);
    if (fault.empty()) {
      out.candidate.outputs.push_back(drawn.outputs[k]);
    } else {
      out.why = std::move(fault);
    }
  }
  if (out.candidate.outputs.empty()) {
    out.kind = Screened::Kind::vacuous;
  } else {
    out.candidate = pruned(out.candidate);
  }
  return out;
}

}  // namespace assay::harness
