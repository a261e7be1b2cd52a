// Clause M4: results lie in one storage where views and writes make them, and
// in storages of their own elsewhere (docs/spec-language.md, Operations that
// write).
#ifndef ASSAY_HARNESS_JUDGE_SHARING_H_
#define ASSAY_HARNESS_JUDGE_SHARING_H_

#include <optional>
#include <string>

#include "core/program.h"
#include "harness/subject/observation.h"

namespace assay::harness {

struct SharingFault {
  int output = 0;
  // "in the storage of out0", "apart from out0"; input 0 is "input 0".
  std::string got, promised;
};

// The first output that shares storage with an input or with an output before
// it and should not, or should and does not, of an observation whose outputs
// have the right number and sizes. What has no elements shares nothing that
// could be seen, and what a reshape returns may be a copy: neither is asked.
// Nothing for a subject that does not say where its results lie.
std::optional<SharingFault> sharing_fault(const Program& program,
                                          const Observation& observation);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_SHARING_H_
