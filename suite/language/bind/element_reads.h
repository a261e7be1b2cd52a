// What requirements of an operation read of its operands beside their types,
// and the sizes of its results: elements, and places in memory.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_ELEMENT_READS_H_
#define ASSAY_SUITE_LANGUAGE_BIND_ELEMENT_READS_H_

#include <set>

#include "suite/language/model/spec.h"

namespace assay::language {

// Sets Param::elements_read, Form::sizes_depend and OpSpec::places_read.
// Requirements that could not be read are null.
void mark_reads(OpSpec* spec);

// The finite numbers that stand in requirements which read elements of
// `param`: where what is allowed may end.
std::set<double> limits_of_elements(const OpSpec& spec, const Param& param);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_ELEMENT_READS_H_
