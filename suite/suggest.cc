#include "suite/suggest.h"

#include <algorithm>
#include <cctype>

namespace assay {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kShortList = 20;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
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

}  // namespace

std::string nearest(std::string_view name,
                    const std::vector<std::string>& candidates) {
  std::string best;
  if (name.empty() || name.size() > kLongestName) return best;
  std::size_t least = std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
  for (const std::string& c : candidates) {
    if (c.size() > kLongestName) continue;
    const std::size_t d = distance(name, c);
    if (d < least && d < std::max(name.size(), c.size())) {
      least = d;
      best = c;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name,
                         const std::vector<std::string>& candidates) {
  const std::string best = nearest(name, candidates);
  if (!best.empty()) return " (did you mean '" + best + "'?)";
  if (candidates.empty() || candidates.size() > kShortList) return "";
  return " (known: " + join(candidates) + ")";
}

std::string join(const std::vector<std::string>& names,
                 std::string_view separator) {
  std::string out;
  for (const std::string& n : names) {
    if (!out.empty()) out += separator;
    out += n;
  }
  return out;
}

}  // namespace assay
