// The usual layout of a spec's YAML: what it says stays, and so do comments,
// single empty lines, quotes, anchors and block scalars; indentation, spaces,
// the breaks of long lines and the order of sections are set.
#ifndef ASSAY_SUITE_LANGUAGE_FORMAT_FORMAT_H_
#define ASSAY_SUITE_LANGUAGE_FORMAT_FORMAT_H_

#include <optional>
#include <string>
#include <vector>

#include "suite/language/syntax/located_text.h"

namespace assay::language {

// Empty after a fault: where `text` is no YAML that specs may be written in,
// or where the result would say something else.
std::optional<std::string> format_spec(const std::string& text,
                                       std::vector<Fault>* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FORMAT_FORMAT_H_
