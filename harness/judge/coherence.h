// Coherence: a node has one value, whoever reads it. Where a program returns a
// node and also something computed from it, the second is judged from the
// first as the subject returned it.
#ifndef ASSAY_HARNESS_JUDGE_COHERENCE_H_
#define ASSAY_HARNESS_JUDGE_COHERENCE_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "harness/judge/golden_source.h"
#include "harness/subject/observation.h"
#include "reference/oracle/oracle.h"

namespace assay::harness {

// The same element; all NaN of a type count as one.
bool same_element(DType t, std::uint64_t a, std::uint64_t b);

// Does an output feed another one?
bool needs_coherence(const Program& program);

// How the oracle is asked about output `k`: as it was `asked` about the whole
// program, but with the returned nodes that the output is computed from taken
// as given. If there are none, `base` holds already. Outputs of the wrong dtype
// or size are left out; they are judged wrong by themselves.
reference::OracleOptions coherent_options(const Program& program,
                                          const reference::Golden& base,
                                          const std::vector<Tensor>& returned,
                                          std::size_t k,
                                          reference::OracleOptions asked);

// `base`, but with new sets for the outputs that depend on a returned node,
// unless what came back of it would be refused.
Result<reference::Golden> coherent_golden(
    const Program& program, const std::vector<Tensor>& inputs,
    const reference::Golden& base, const std::vector<Tensor>& returned,
    const GoldenSource& oracle, const reference::OracleOptions& asked);

// A value that is returned twice must be the same both times. Says what
// differs, or nothing. Requires metadata without fault.
std::string double_return_fault(const Program& program,
                                const std::vector<Tensor>& returned);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_COHERENCE_H_
