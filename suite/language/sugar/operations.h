// The operations of one file, each as if it stood alone and without short
// forms; only its lets are left to the reader.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_OPERATIONS_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_OPERATIONS_H_

#include <vector>

#include "suite/language/read/read_shared.h"

namespace assay::language {

// One operation, or those of a family (`ops`), in order. A fault without a
// message only marks a place of which nothing more needs to be said.
std::vector<YamlNode> write_out_operations(const YamlNode& root,
                                           const Shared& shared,
                                           Faults* faults);

// An operation that is written out, with the sections of `entry` in place of
// its own, as an entry of a family has them; `without` is taken away first.
YamlNode overlaid(YamlNode operation, YamlNode entry, const Shared& shared,
                  Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_OPERATIONS_H_
