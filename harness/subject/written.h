// Promise M3: what a call writes into an operand is what it returns.
#ifndef ASSAY_HARNESS_SUBJECT_WRITTEN_H_
#define ASSAY_HARNESS_SUBJECT_WRITTEN_H_

#include <string>
#include <vector>

#include "core/tensor.h"
#include "core/writes.h"

namespace assay::harness {

// "M3: ..." for each input that a call wrote to, that the program returns or
// whose result it does, and that does not hold it afterwards. `after` are the
// inputs behind the run; results of other types are another clause's.
std::vector<std::string> write_breaches(const Program& program,
                                        const InputWrites& due,
                                        const std::vector<Tensor>& after,
                                        const std::vector<Tensor>& outputs);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_WRITTEN_H_
