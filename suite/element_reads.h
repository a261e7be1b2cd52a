// Which tensors' elements the requirements of an operation read.
#ifndef ASSAY_SUITE_ELEMENT_READS_H_
#define ASSAY_SUITE_ELEMENT_READS_H_

#include <set>
#include <string>

#include "suite/spec.h"

namespace assay {

// Of parameter `param`, or of some tensor of that list.
bool reads_elements(const OpSpec& spec, const std::string& param);
// Of any parameter.
bool reads_elements(const OpSpec& spec);

// The finite numbers that stand in requirements which read elements of
// `param`: where what is allowed may end.
std::set<double> limits_of_elements(const OpSpec& spec,
                                    const std::string& param);

}  // namespace assay

#endif  // ASSAY_SUITE_ELEMENT_READS_H_
