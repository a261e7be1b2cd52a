#include "suite/cases/filter.h"

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

}  // namespace assay::cases
