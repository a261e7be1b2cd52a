// Static walk of a program: the type of every value, and the first promise
// that refuses it.
#ifndef ASSAY_SUITE_PROGRAM_TYPES_H_
#define ASSAY_SUITE_PROGRAM_TYPES_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "suite/spec.h"

namespace assay {

struct ProgramTypes {
  std::vector<TensorType> types;  // per value, up to a refused node
  std::string refused;            // "bmm/E4", empty if nothing refuses it
  // Some requirement could not be decided, because it reads elements that
  // the program computes; it was taken to hold.
  bool undecided = false;
};

// `inputs` gives elements where requirements may read them; may be empty.
// An error is an operation without a spec, a call that its schema refuses, or
// a result type that cannot be worked out.
Result<ProgramTypes> type_program(const SpecSet& specs, const Program& program,
                                  const std::vector<Tensor>& inputs = {});

}  // namespace assay

#endif  // ASSAY_SUITE_PROGRAM_TYPES_H_
