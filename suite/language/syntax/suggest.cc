#include "suite/language/syntax/suggest.h"

#include <algorithm>

#include "core/text.h"

namespace assay::language {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kShortList = 20;

}  // namespace

std::string nearest(std::string_view name,
                    const std::vector<std::string>& candidates) {
  std::string best;
  if (name.empty() || name.size() > kLongestName) return best;
  std::size_t least = std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
  for (const std::string& c : candidates) {
    if (c.size() > kLongestName) continue;
    const std::size_t d = edit_distance(name, c);
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

}  // namespace assay::language
