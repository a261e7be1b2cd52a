#include "suite/cases/filter.h"

#include <algorithm>
#include <utility>

#include "core/glob.h"

namespace assay::cases {

Filters::Filters(const std::vector<std::string>& filters) {
  for (std::size_t n = 0; n < filters.size(); ++n) {
    std::string filter = filters[n];
    while (filter.ends_with('/')) filter.pop_back();
    if (filter.find_first_of("*?") == std::string::npos) {
      literal_.emplace(std::move(filter), n);
      continue;
    }
    if (filter.find('*') == std::string::npos) {
      globs_.emplace_back(filter + "/*", n);
    }
    globs_.emplace_back(std::move(filter), n);
  }
}

std::vector<std::size_t> Filters::matching(const std::string& path) const {
  std::vector<std::size_t> out;
  for (std::size_t end = 0; !literal_.empty() && end != std::string::npos;) {
    end = path.find('/', end + 1);
    const auto [first, last] = literal_.equal_range(path.substr(0, end));
    for (auto it = first; it != last; ++it) out.push_back(it->second);
  }
  for (const auto& [pattern, n] : globs_) {
    if (glob(path, pattern)) out.push_back(n);
  }
  return out;
}

bool matches(const std::string& path, const std::vector<std::string>& filters) {
  return filters.empty() || !Filters(filters).matching(path).empty();
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
