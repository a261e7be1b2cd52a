#include "harness/shard/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/program_text.h"
#include "harness/run/pack.h"

namespace assay::harness {
namespace {

using Pack = std::vector<std::size_t>;

// What goes to one shard: packs of one row, in path order.
struct Piece {
  std::vector<Pack> packs;
  std::int64_t cost = 0;
};

// The packs by the row of their first case, rows and packs in path order.
std::vector<Piece> rows_of(std::vector<Pack> packs,
                           const std::vector<const cases::Case*>& cases,
                           const std::vector<std::int64_t>& costs) {
  std::sort(packs.begin(), packs.end(),
            [](const Pack& a, const Pack& b) { return a.front() < b.front(); });
  std::vector<Piece> rows;
  std::map<std::string, std::size_t> at;
  for (Pack& pack : packs) {
    const auto [row, fresh] =
        at.emplace(cases[pack.front()]->spec, rows.size());
    if (fresh) rows.emplace_back();
    Piece& piece = rows[row->second];
    for (const std::size_t i : pack) piece.cost += costs[i];
    piece.packs.push_back(std::move(pack));
  }
  return rows;
}

std::int64_t cost_of(const Pack& pack, const std::vector<std::int64_t>& costs) {
  return std::accumulate(
      pack.begin(), pack.end(), std::int64_t{0},
      [&](std::int64_t sum, std::size_t i) { return sum + costs[i]; });
}

// A row in pieces that cost at most `most` each, unless one pack does.
std::vector<Piece> split(Piece row, std::int64_t most,
                         const std::vector<std::int64_t>& costs) {
  std::vector<Piece> out(1);
  for (Pack& pack : row.packs) {
    const std::int64_t cost = cost_of(pack, costs);
    if (!out.back().packs.empty() && out.back().cost + cost > most) {
      out.emplace_back();
    }
    out.back().cost += cost;
    out.back().packs.push_back(std::move(pack));
  }
  return out;
}

}  // namespace

ShardPlan plan_shards(const std::vector<const cases::Case*>& cases,
                      const std::vector<std::int64_t>& costs, int shards) {
  const std::int64_t total =
      std::accumulate(costs.begin(), costs.end(), std::int64_t{0});
  const std::int64_t share = total / shards;
  ShardPlan plan;
  plan.packs = make_packs(cases, true);
  std::vector<Piece> pieces;
  for (Piece& row : rows_of(plan.packs, cases, costs)) {
    if (row.cost <= share / 2 || shards == 1) {
      pieces.push_back(std::move(row));
      continue;
    }
    for (Piece& p : split(std::move(row), share / 4, costs)) {
      pieces.push_back(std::move(p));
    }
  }
  // The dearest first, each to the shard that has least to do (Graham 1969).
  std::stable_sort(
      pieces.begin(), pieces.end(),
      [](const Piece& a, const Piece& b) { return a.cost > b.cost; });
  plan.cost.resize(static_cast<std::size_t>(shards));
  plan.owner.resize(cases.size());
  for (const Piece& piece : pieces) {
    const auto least = std::min_element(plan.cost.begin(), plan.cost.end());
    *least += piece.cost;
    for (const Pack& pack : piece.packs) {
      for (const std::size_t i : pack) {
        plan.owner[i] = static_cast<int>(least - plan.cost.begin()) + 1;
      }
    }
  }
  std::string text = fmt::format("{} shards\n", shards);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    text += fmt::format("{} {}\n", plan.owner[i], cases[i]->path);
  }
  plan.hash = fnv1a(text);
  return plan;
}

std::vector<std::size_t> ShardPlan::cases_of(const Shard& shard) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] == shard.index) out.push_back(i);
  }
  return out;
}

std::vector<std::vector<std::size_t>> packs_of(const ShardPlan& plan,
                                               const Shard& shard) {
  const std::vector<std::size_t> cases = plan.cases_of(shard);
  std::vector<Pack> out;
  for (Pack pack : plan.packs) {
    if (plan.owner[pack.front()] != shard.index) continue;
    for (std::size_t& i : pack) {
      i = static_cast<std::size_t>(
          std::lower_bound(cases.begin(), cases.end(), i) - cases.begin());
    }
    out.push_back(std::move(pack));
  }
  return out;
}

nlohmann::ordered_json shard_header(const ShardPlan& plan, const Shard& shard) {
  return {{"index", shard.index},
          {"of", shard.of},
          {"cases", plan.cases_of(shard).size()},
          {"plan", fmt::format("{:016x}", plan.hash)}};
}

}  // namespace assay::harness
