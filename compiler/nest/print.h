// A nest as text, for people.
#ifndef ASSAY_COMPILER_NEST_PRINT_H_
#define ASSAY_COMPILER_NEST_PRINT_H_

#include <string>

#include "compiler/nest/nest.h"

namespace assay::compiler {

// A line for each buffer, then the kernels in the order in which they run, each
// with its loops, the values that it computes, and the stages that reduce or
// store them. Each stage goes over the row before the next one begins:
//   b0 = input 0 f32[2, 9]
//   b1 = output 0 f32[2]
//   kernel 0: loop i0 < 2, row r < 9
//     v0 = load f32 b0[i0 * 9 + r]
//     s0 = reduce.sum v0 lanes 32 block 4096 -> b1[i0]
//   return b1
// Indices and strides count elements.
std::string to_text(const Nest& nest);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_PRINT_H_
