// The changes that a reduction tries, by kind. A pass offers each candidate
// that differs from the one at hand in one respect; the search discards those
// that are no programs or not smaller.
#ifndef ASSAY_HARNESS_REDUCE_PASSES_H_
#define ASSAY_HARNESS_REDUCE_PASSES_H_

#include <functional>
#include <optional>
#include <vector>

#include "harness/reduce/candidate.h"
#include "harness/reduce/search.h"

namespace assay::harness {

struct PassInput {
  const Candidate& from;
  const std::vector<TensorType>& types;  // of its values
  const Examined& examined;              // what is known of it
  Examiner& examiner;
};

// Made only where it is wanted.
using Make = std::function<std::optional<Candidate>()>;
// True: offer no more.
using Offer = std::function<bool(const Make&)>;
using Pass = void (*)(const PassInput&, const Offer&);

// Fewer outputs, or those of an earlier step.
void offer_outputs(const PassInput& in, const Offer& offer);
// A step left out, or replaced by an input.
void offer_steps(const PassInput& in, const Offer& offer);
// Fewer inputs and constants, and members of lists.
void offer_operands(const PassInput& in, const Offer& offer);
// Slices of dimensions, of all tensors together that must agree.
void offer_sizes(const PassInput& in, const Offer& offer);
// Fewer dimensions.
void offer_ranks(const PassInput& in, const Offer& offer);
// Simpler dtypes and layouts.
void offer_types(const PassInput& in, const Offer& offer);
// Arguments left out, or simpler.
void offer_arguments(const PassInput& in, const Offer& offer);
// Simpler elements.
void offer_elements(const PassInput& in, const Offer& offer);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REDUCE_PASSES_H_
