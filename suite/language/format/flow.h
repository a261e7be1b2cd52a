// A flow collection of YAML, [..] or {..}, set in lines: one space after each
// comma and colon, none inside of the brackets, line breaks after commas.
#ifndef ASSAY_SUITE_LANGUAGE_FORMAT_FLOW_H_
#define ASSAY_SUITE_LANGUAGE_FORMAT_FLOW_H_

#include <cstddef>
#include <string>

namespace assay::language {

// Takes the collection that begins at *at of a text and moves *at past it. The
// first line begins at `column`, the others at `indent`. Lines stay broken
// where their author broke them, unless one is too long: then all are filled
// anew, and an item is broken only if it does not fit a line.
std::string set_flow(const std::string& text, std::size_t* at,
                     std::size_t column, std::size_t indent);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FORMAT_FLOW_H_
