// Can a golden tell right from wrong? It cannot where a lazy answer (zero,
// infinity, the input itself) would be admitted although it is not the exact
// one, in more than the share of elements that the case's clause declares, or
// where every element of every output is the same.
#ifndef ASSAY_REFERENCE_GOLDEN_VACUITY_H_
#define ASSAY_REFERENCE_GOLDEN_VACUITY_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "reference/golden/golden.h"

namespace assay::reference {

// Why a golden is vacuous, empty if it is not. A lazy answer may be admitted
// for `share` of an output's elements, and for one of three or more.
std::string vacuity(const Golden& golden, const Program& program,
                    const std::vector<Tensor>& inputs, double share);

// The least share with which the golden is not vacuous for a lazy answer:
// what a clause's `vacuous` has to be for this case.
double lazy_share(const Golden& golden, const Program& program,
                  const std::vector<Tensor>& inputs);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_GOLDEN_VACUITY_H_
