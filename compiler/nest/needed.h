// Which values of a kernel others are computed from.
#ifndef ASSAY_COMPILER_NEST_NEEDED_H_
#define ASSAY_COMPILER_NEST_NEEDED_H_

#include <vector>

#include "compiler/nest/nest.h"

namespace assay::compiler {

// Marks value `id` of `k`, its operands, theirs, and so on.
void mark_needed(const LoopKernel& k, int id, std::vector<bool>* needed);

// The values that a stage needs, marked.
std::vector<bool> needed_by(const LoopKernel& k, const Stage& s);

// The values that any stage needs, marked.
std::vector<bool> needed_by_any(const LoopKernel& k);

// Drops the values that no stage needs.
void drop_unneeded(LoopKernel* k);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_NEEDED_H_
