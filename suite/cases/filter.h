// Glob filters on case paths.
#ifndef ASSAY_SUITE_CASES_FILTER_H_
#define ASSAY_SUITE_CASES_FILTER_H_

#include <string>
#include <vector>

namespace assay::cases {

// Filters know `*` and `?`; one without '*' also matches any path below it
// ("bmm" matches "bmm/..."). No filter matches everything.
bool matches(const std::string& path, const std::vector<std::string>& filters);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_FILTER_H_
