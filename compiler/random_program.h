// Random valid programs and inputs, for differential tests.
#ifndef ASSAY_COMPILER_RANDOM_PROGRAM_H_
#define ASSAY_COMPILER_RANDOM_PROGRAM_H_

#include <random>
#include <vector>

#include "core/program.h"

namespace assay::compiler {

// About `nodes` calls of supported operations over small strided inputs; none
// is refused. Programs do not look at the sign of NaN, which IEEE 754 leaves
// open.
Program random_program(std::mt19937_64* random, int nodes);

// Zeros, infinities, NaN, subnormals and ordinary values.
std::vector<Tensor> random_inputs(std::mt19937_64* random,
                                  const Program& program);

// Bit for bit, with all NaNs of a float dtype as one.
bool same_elements(const Tensor& a, const Tensor& b);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_RANDOM_PROGRAM_H_
