// Changes of a valid call after which what it writes shares memory: with
// itself, or with another operand.
#ifndef ASSAY_SUITE_CASES_INVALID_SHARING_H_
#define ASSAY_SUITE_CASES_INVALID_SHARING_H_

#include <string>
#include <vector>

#include "suite/cases/invalid/mutate.h"
#include "suite/cases/valid/call.h"

namespace assay::cases {

// Where a requirement asks what overlaps; else none. The operand that is
// written to
// - repeats its elements along a dimension, as an input or as a view of one;
// - lies in one tensor with another operand of its type, which begins at the
//   same element or at a later one, or is the same matrix transposed.
// The control of a view is another view by the same steps, of a tensor that
// holds each element once.
std::vector<Mutation> sharings(const Call& base);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_INVALID_SHARING_H_
