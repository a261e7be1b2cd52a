// Clause M2: results have the strides that the specs promise, and what lies in
// memory of its own begins there (docs/spec-language.md, Result).
#ifndef ASSAY_HARNESS_JUDGE_LAYOUT_H_
#define ASSAY_HARNESS_JUDGE_LAYOUT_H_

#include <optional>
#include <string>

#include "core/program.h"
#include "core/result.h"
#include "harness/subject/observation.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

struct LayoutFault {
  int output = 0;
  std::string got, promised;  // "strides [1, 2], offset 0"
};

// The first output that lies otherwise than promised, of an observation whose
// outputs have the right number, dtypes and sizes. Nothing for a subject that
// does not say how its results lay, and where the specs promise nothing. An
// error is a fault of the specs.
Result<std::optional<LayoutFault>> layout_fault(const language::SpecSet& specs,
                                                const Program& program,
                                                const Observation& observation);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_LAYOUT_H_
