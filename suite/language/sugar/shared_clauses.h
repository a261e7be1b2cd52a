// Clauses that specs share: `E1: dim_in_range(x, dim)`.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_SHARED_CLAUSES_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_SHARED_CLAUSES_H_

#include "suite/language/read/read_shared.h"

namespace assay::language {

// Writes out the uses of shared clauses in an operation: a clause that is a
// text, or has a field `use`, gets the fields of the shared one with the
// arguments in place of its parameters; its own fields replace those.
void write_out_clauses(YamlNode* op, const Shared& shared, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_SHARED_CLAUSES_H_
