#include "harness/report/baseline_gate.h"

#include <fmt/format.h>

namespace assay::harness {
namespace {

constexpr std::size_t kShown = 20;

void list(const char* what, const std::vector<std::string>& all,
          std::vector<std::string>* out) {
  for (std::size_t i = 0; i < all.size() && i < kShown; ++i) {
    out->push_back(fmt::format("{}: {}", what, all[i]));
  }
  if (all.size() > kShown) {
    out->push_back(fmt::format("{}: {} more", what, all.size() - kShown));
  }
}

}  // namespace

GateDecision decide_by_baseline(const BaselineDiff& diff,
                                const std::string& file) {
  GateDecision d;
  if (!diff.facts.empty()) {
    list("other facts", diff.facts, &d.because);
    d.because.push_back(fmt::format(
        "{} says nothing of this machine: make one here with assay baseline",
        file));
    d.exit_code = kOurFault;
    d.meaning = "the baseline is of another machine";
    return d;
  }
  d.counts.push_back(fmt::format(
      "{}: {} as before, {} new failures, {} fixed, {} with other bits, {} not "
      "in it, {} without a result",
      file, diff.same, diff.failures.size(), diff.fixed.size(),
      diff.bits.size(), diff.fresh, diff.missing.size()));
  list("fixed", diff.fixed, &d.notes);
  list("other bits", diff.bits, &d.notes);
  list("new failure", diff.failures, &d.because);
  list("no result", diff.missing, &d.because);
  d.exit_code = d.because.empty() ? kConforms : kDoesNotConform;
  d.meaning =
      d.because.empty() ? "nothing fails that did not" : "more fails than did";
  return d;
}

}  // namespace assay::harness
