// Patterns of names.
#ifndef ASSAY_CORE_GLOB_H_
#define ASSAY_CORE_GLOB_H_

#include <cstddef>
#include <string_view>

namespace assay {

// '*' is any text, '/' included; '?' is one character.
inline bool glob(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0;
  std::size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      ++p;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace assay

#endif  // ASSAY_CORE_GLOB_H_
