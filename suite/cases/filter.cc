#include "suite/cases/filter.h"

#include <algorithm>

#include "core/glob.h"

namespace assay::cases {

bool matches(const std::string& path, const std::vector<std::string>& filters) {
  if (filters.empty()) return true;
  for (std::string filter : filters) {
    while (!filter.empty() && filter.back() == '/') filter.pop_back();
    if (glob(path, filter)) return true;
    if (filter.find('*') == std::string::npos && glob(path, filter + "/*")) {
      return true;
    }
  }
  return false;
}

bool may_match_row(const std::string& row,
                   const std::vector<std::string>& filters) {
  if (filters.empty()) return true;
  const std::string begin = row + "/";
  return std::any_of(
      filters.begin(), filters.end(), [&](const std::string& filter) {
        const std::string literal =
            filter.substr(0, filter.find_first_of("*?"));
        return begin.starts_with(literal) || literal.starts_with(begin);
      });
}

}  // namespace assay::cases
