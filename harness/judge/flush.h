// Products that declare that they flush subnormal numbers to zero: what they
// may return then, and whether they do as they declare.
#ifndef ASSAY_HARNESS_JUDGE_FLUSH_H_
#define ASSAY_HARNESS_JUDGE_FLUSH_H_

#include <optional>
#include <vector>

#include "harness/judge/adjudicate.h"
#include "harness/records/result.h"
#include "harness/subject/observation.h"
#include "reference/golden/golden.h"

namespace assay::harness {

// What a case shows of it.
enum class Flushing {
  unseen,   // no subnormal number in it, or none that tells
  kept,     // right, and would be wrong if flushed
  flushed,  // right only if flushed
};

// The golden of a product that flushes every subnormal result: each element's
// subnormal values have become the zero of their sign, and none is left, so
// that who flushes some of them alone is right by neither golden.
reference::Golden flushed(const reference::Golden& golden);

// The inputs as a product reads them that takes subnormal operands for zero;
// nothing where there is none among them.
std::optional<std::vector<Tensor>> without_subnormals(
    const std::vector<Tensor>& inputs);

struct FlushJudgement {
  CaseResult result;
  Flushing seen = Flushing::unseen;
};

// Judges by what is declared: all subnormal numbers of the case are kept, or
// all results flushed, or all operands, or both. Values that the program
// computes and does not return are judged as kept.
FlushJudgement judge_flush(const PreparedCase& prepared,
                           const Observation& observation, const Flush& flush,
                           const Adjudicator& adjudicator,
                           const language::SpecSet& specs);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_FLUSH_H_
