// Glob filters on case paths.
#ifndef ASSAY_SUITE_CASES_FILTER_H_
#define ASSAY_SUITE_CASES_FILTER_H_

#include <string>
#include <vector>

namespace assay::cases {

// Filters know `*` and `?`; one without '*' also matches any path below it
// ("bmm" matches "bmm/..."). No filter matches everything.
bool matches(const std::string& path, const std::vector<std::string>& filters);

// Whether filters may match a path that begins with this row's name: true
// unless none can.
bool may_match_row(const std::string& row,
                   const std::vector<std::string>& filters);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_FILTER_H_
