// Glob filters on case paths.
#ifndef ASSAY_SUITE_CASES_FILTER_H_
#define ASSAY_SUITE_CASES_FILTER_H_

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay::cases {

// Filters know `*` and `?`; one without '*' also matches any path below it
// ("bmm" matches "bmm/..."). Those without either are looked up by what a path
// begins with, so that a run may be given thousands of whole paths.
class Filters {
 public:
  explicit Filters(const std::vector<std::string>& filters);

  // The numbers of those that match, in no order.
  std::vector<std::size_t> matching(const std::string& path) const;

 private:
  std::unordered_multimap<std::string, std::size_t> literal_;
  std::vector<std::pair<std::string, std::size_t>> globs_;
};

// Whether one of them matches. No filter matches everything.
bool matches(const std::string& path, const std::vector<std::string>& filters);

// Whether filters may match a path that begins with this row's name: true
// unless none can.
bool may_match_row(const std::string& row,
                   const std::vector<std::string>& filters);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_FILTER_H_
