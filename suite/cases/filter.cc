#include "suite/cases/filter.h"

#include <cstddef>

namespace assay::cases {
namespace {

// '*' is any text, '/' included; '?' is one character.
bool glob(const std::string& text, const std::string& pattern) {
  std::size_t t = 0, p = 0;
  std::size_t star = std::string::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      ++p;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

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
