// Results that lie in another order than the one that is promised.
#ifndef ASSAY_HARNESS_FAULTS_STRIDES_H_
#define ASSAY_HARNESS_FAULTS_STRIDES_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "core/tensor.h"
#include "harness/subject/observation.h"
#include "suite/language/model/fault_spec.h"
#include "suite/language/model/spec.h"

namespace assay::harness::faults {

// Changes how the results of calls of `aten` lie, of those that a program
// returns, `sizes` being theirs and `layouts` the right ones. The operand whose
// order is kept is the first that the program is given and that has as many
// dimensions as the result.
void spoil_strides(const Program& program, const std::string& aten,
                   language::WrongStrides wrong,
                   const std::vector<Shape>& sizes,
                   std::vector<ReturnedLayout>* layouts);

// Would a result lie otherwise than the specs promise? Said without asking what
// its elements are.
bool shows_strides(const language::SpecSet& specs, const Program& program,
                   const std::string& aten, language::WrongStrides wrong);

}  // namespace assay::harness::faults

#endif  // ASSAY_HARNESS_FAULTS_STRIDES_H_
