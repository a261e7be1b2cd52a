// Boundary clauses as cases: literal operands that meet the vector body of a
// loop and its tail.
#ifndef ASSAY_SUITE_CASES_VALID_BOUNDARY_CASES_H_
#define ASSAY_SUITE_CASES_VALID_BOUNDARY_CASES_H_

#include "suite/cases/valid/base_cases.h"

namespace assay::cases {

// A pointwise operation gets vectors of kBoundaryBody + kBoundaryTail
// elements, at most kBoundaryTail literals each ("part1", "part2" ...), so
// that every literal occurs in a full vector and in the tail at every vector
// width from 8 to 32. Solved values make one vector of each type: all of them
// in whole vectors, the first kBoundaryTail in the tail. An operation that is
// not pointwise gets the shape of its first case group, with one literal in
// each row.
void add_boundary_cases(const language::OpSpec& spec, BaseCases* out);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_VALID_BOUNDARY_CASES_H_
