// "did you mean": the nearest known name, where one is near enough.
#ifndef ASSAY_SUITE_LANGUAGE_SYNTAX_SUGGEST_H_
#define ASSAY_SUITE_LANGUAGE_SYNTAX_SUGGEST_H_

#include <string>
#include <string_view>
#include <vector>

namespace assay::language {

// The candidate within a third of the name's length in edits (insert, delete,
// replace, transpose; letter case is free), or empty.
std::string nearest(std::string_view name,
                    const std::vector<std::string>& candidates);

// " (did you mean 'x'?)", or " (known: a, b, c)" where nothing is near and the
// list is short, or nothing.
std::string did_you_mean(std::string_view name,
                         const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& names,
                 std::string_view separator = ", ");

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SYNTAX_SUGGEST_H_
