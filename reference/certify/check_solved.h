// specs/boundaries.yaml against the oracle.
#ifndef ASSAY_REFERENCE_CERTIFY_CHECK_SOLVED_H_
#define ASSAY_REFERENCE_CERTIFY_CHECK_SOLVED_H_

#include <vector>

#include "suite/language/model/solved.h"
#include "suite/language/syntax/located_text.h"

namespace assay::reference {

// A fault for each stored pattern that is not what its line says: a boundary
// of that kind, or an input at that distance from a midpoint. Uses `jobs`
// threads.
std::vector<language::Fault> check_solved(const language::SolvedSet& solved,
                                          int jobs);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_CERTIFY_CHECK_SOLVED_H_
