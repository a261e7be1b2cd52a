#include "suite/cases/select.h"

#include <cstdint>
#include <map>

#include "core/program_text.h"

namespace assay::cases {
namespace {

struct Indexed {
  std::uint64_t hash = 0;
  std::vector<std::pair<std::size_t, int>> features;  // id, weight
  bool taken = false;
};

std::vector<Indexed> index_features(const std::vector<Candidate>& all,
                                    std::size_t* count) {
  std::map<std::string, std::size_t> ids;
  std::vector<Indexed> out;
  for (const Candidate& c : all) {
    Indexed indexed;
    indexed.hash = fnv1a(c.key);
    for (const auto& [feature, weight] : c.features) {
      const auto it = ids.emplace(feature, ids.size()).first;
      indexed.features.emplace_back(it->second, weight);
    }
    out.push_back(std::move(indexed));
  }
  *count = ids.size();
  return out;
}

}  // namespace

std::vector<std::size_t> select_varied(const std::vector<Candidate>& all,
                                       std::size_t limit, bool fill) {
  std::size_t count = 0;
  std::vector<Indexed> rest = index_features(all, &count);
  std::vector<bool> seen(count, false);
  std::vector<std::size_t> chosen;
  while (chosen.size() < limit) {
    std::size_t best = rest.size();
    int best_gain = 0;
    for (std::size_t n = 0; n < rest.size(); ++n) {
      if (rest[n].taken) continue;
      int fresh = 0;
      for (const auto& [feature, weight] : rest[n].features) {
        if (!seen[feature]) fresh += weight;
      }
      if (fresh == 0 && !fill) continue;
      const int gain = fresh + all[n].bonus;
      const bool better = best == rest.size() || gain > best_gain ||
                          (gain == best_gain && rest[n].hash < rest[best].hash);
      if (!better) continue;
      best = n;
      best_gain = gain;
    }
    if (best == rest.size()) break;
    rest[best].taken = true;
    chosen.push_back(best);
    for (const auto& [feature, weight] : rest[best].features) {
      seen[feature] = true;
    }
  }
  return chosen;
}

}  // namespace assay::cases
