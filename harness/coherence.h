// Coherence: a node has one value, whoever reads it. Where a program returns a
// node and also something computed from it, the second is judged from the
// first as the subject returned it.
#ifndef ASSAY_HARNESS_COHERENCE_H_
#define ASSAY_HARNESS_COHERENCE_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "harness/executor.h"
#include "reference/oracle.h"

namespace assay {

// Does an output feed another one?
bool needs_coherence(const Program& program);

// How the oracle is asked about output `k`: as it is `asked` about all, with
// those returned nodes as given that the output is computed from. None
// observed: `base` holds already. Outputs of the wrong dtype or size are left
// out of account: they are a fault of their own.
OracleOptions coherent_options(const Program& program, const Golden& base,
                               const std::vector<Tensor>& returned,
                               std::size_t k, OracleOptions asked);

// `base` with the sets of those outputs replaced that depend on a returned
// node.
Result<Golden> coherent_golden(const Program& program,
                               const std::vector<Tensor>& inputs,
                               const Golden& base,
                               const std::vector<Tensor>& returned,
                               const GoldenSource& oracle,
                               const OracleOptions& asked);

// A value that is returned twice must be the same twice; what differs, empty
// if nothing. Requires metadata without fault.
std::string double_return_fault(const Program& program,
                                const std::vector<Tensor>& returned);

}  // namespace assay

#endif  // ASSAY_HARNESS_COHERENCE_H_
