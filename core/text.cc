#include "core/text.h"

#include <algorithm>
#include <vector>

namespace assay {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string shape_text(const Shape& sizes) {
  std::string text = "[";
  const char* separator = "";
  for (const std::int64_t size : sizes) {
    text += separator + std::to_string(size);
    separator = ", ";
  }
  return text + "]";
}

std::string type_text(DType t, const Shape& sizes) {
  return std::string(dtype_name(t)) + shape_text(sizes);
}

std::string index_text(const Shape& sizes, std::int64_t linear) {
  Shape index(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) return "[]";
    index[d] = linear % sizes[d];
    linear /= sizes[d];
  }
  return shape_text(index);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(
      a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (same ? 0u : 1u)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace assay
