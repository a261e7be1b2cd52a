#include "harness/profile/choose.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::harness {
namespace {

// Seconds of a compiler that takes a C++ compiler's help, where none were
// recorded: of a case in a pack, of one by itself (Inductor 2.11.0 on two
// cores), and of each element that is read.
constexpr double kPacked = 0.2;
constexpr double kAlone = 0.6;
constexpr double kElement = 1e-5;

double guessed_cost(const cases::Case& c) {
  const double size = static_cast<double>(faults::size_of(c));
  return (c.packable ? kPacked : kAlone) + kElement * size;
}

std::string failure_of(const CaseResult& r) {
  return fmt::format("fails {} {} {} {}", r.column, r.clause,
                     status_name(r.status), failure_name(r.failure));
}

// "returns f32 f32": of the inputs.
std::string dtypes_of(const cases::Case& c) {
  std::string out = "returns";
  for (const TensorType& input : c.program.inputs) {
    out += fmt::format(" {}", dtype_name(input.dtype));
  }
  return out;
}

// Drops, dearest first, what shows nothing that the others do not show: what
// was taken early is often made needless by what had to follow.
void drop_needless(std::vector<const Worth*>* taken) {
  std::map<std::string, int> shown;
  for (const Worth* w : *taken) {
    for (const std::string& s : w->shows) ++shown[s];
  }
  std::vector<const Worth*> order = *taken;
  std::stable_sort(
      order.begin(), order.end(),
      [](const Worth* a, const Worth* b) { return a->cost > b->cost; });
  for (const Worth* w : order) {
    const bool needless =
        std::all_of(w->shows.begin(), w->shows.end(),
                    [&shown](const std::string& s) { return shown[s] > 1; });
    if (!needless) continue;
    for (const std::string& s : w->shows) --shown[s];
    std::erase(*taken, w);
  }
}

}  // namespace

std::vector<const cases::Case*> cover(const std::vector<Worth>& all) {
  std::set<std::string> seen;
  std::vector<const Worth*> taken;
  while (true) {
    const Worth* best = nullptr;
    double most = 0;
    for (const Worth& w : all) {
      const auto fresh = std::count_if(
          w.shows.begin(), w.shows.end(),
          [&seen](const std::string& s) { return !seen.contains(s); });
      const double gain = static_cast<double>(fresh) / w.cost;
      if (gain <= most) continue;
      best = &w;
      most = gain;
    }
    if (best == nullptr) break;
    seen.insert(best->shows.begin(), best->shows.end());
    taken.push_back(best);
  }
  drop_needless(&taken);
  std::vector<const cases::Case*> out;
  for (const Worth* w : taken) out.push_back(w->source);
  return out;
}

std::vector<Worth> worth_of(
    const std::vector<const cases::Case*>& cases, const faults::RowKills& kills,
    const std::map<std::string, std::vector<const CaseResult*>>& results) {
  std::map<const cases::Case*, std::set<std::string>> killed;
  for (const faults::Kill& k : kills.kills) {
    for (const cases::Case* c : k.killers) {
      killed[c].insert("kills " + k.fault->name);
    }
  }
  std::vector<Worth> out;
  for (const cases::Case* c : cases) {
    Worth w;
    w.source = c;
    w.shows = killed[c];
    w.cost = guessed_cost(*c);
    const bool returns = c->must_raise.empty();
    if (!returns) {
      w.shows.insert("refuses " + c->must_raise);
    } else {
      if (!c->context.empty()) w.shows.insert("company");
      w.shows.insert("returns");
      if (kills.kills.empty()) w.shows.insert(dtypes_of(*c));
    }
    if (const auto seen = results.find(c->path); seen != results.end()) {
      for (const CaseResult* r : seen->second) {
        if (r->status >= CellStatus::flaky) w.shows.insert(failure_of(*r));
      }
    }
    out.push_back(std::move(w));
  }
  std::stable_sort(out.begin(), out.end(), [](const Worth& a, const Worth& b) {
    return a.cost < b.cost;
  });
  return out;
}

}  // namespace assay::harness
