// YAML text in the usual layout, comments and all. What it says stays for text
// that is YAML by its standard; yaml-cpp reads more, so callers compare.
#ifndef ASSAY_SUITE_LANGUAGE_FORMAT_LAYOUT_H_
#define ASSAY_SUITE_LANGUAGE_FORMAT_LAYOUT_H_

#include <string>
#include <vector>

namespace assay::language {

// `order` is that of the fields of the whole; other fields stay behind the one
// before them.
std::string lay_out(const std::string& text,
                    const std::vector<std::string>& order);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FORMAT_LAYOUT_H_
