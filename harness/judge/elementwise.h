// Where an output element comes from the input elements at the same place, a
// witness can name its operands.
#ifndef ASSAY_HARNESS_JUDGE_ELEMENTWISE_H_
#define ASSAY_HARNESS_JUDGE_ELEMENTWISE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/tensor.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// True if every operation of the program is elementwise: its spec's value is
// one definition, out[i...], that reads its operands at i... and nowhere else.
bool is_elementwise(const Program& program, const language::SpecSet& specs);

// "in0=0x3f800000 (0x1p+0), in1=0x40000000 (0x1p+1)": the inputs that
// broadcast to the element at `linear` of `sizes`. Empty where one does not.
std::string show_operands(const std::vector<Tensor>& inputs, const Shape& sizes,
                          std::int64_t linear);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_ELEMENTWISE_H_
