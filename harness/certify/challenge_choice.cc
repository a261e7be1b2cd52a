// Which cases a challenge asks for.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include "core/in_parallel.h"
#include "harness/certify/challenge.h"
#include "harness/certify/digest.h"

namespace assay::harness {
namespace {

// So many times more cases than are wanted are tried, to find slow ones.
constexpr std::size_t kSample = 4;
constexpr std::size_t kFewest = 4;

struct Tried {
  const Duty* duty = nullptr;
  bool usable = false;
  double seconds = 0;
};

// That this thread has had of a processor: what else the machine did meanwhile
// is no measure of a case.
double thread_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The next of each row in turn, rows and cases in the order of their hashes.
std::vector<const Duty*> spread(const std::vector<Duty>& duties,
                                const std::string& nonce, std::size_t count) {
  std::map<std::string, std::map<std::string, const Duty*>> rows;
  for (const Duty& d : duties) {
    const cases::Case& c = *d.source;
    if (!c.draw_inputs || !c.must_raise.empty()) continue;
    rows[sha256(nonce + " " + c.spec)].emplace(sha256(nonce + " " + c.path),
                                               &d);
  }
  std::vector<const Duty*> out;
  while (!rows.empty() && out.size() < count) {
    for (auto row = rows.begin(); row != rows.end();) {
      if (out.size() == count) break;
      out.push_back(row->second.begin()->second);
      row->second.erase(row->second.begin());
      row = row->second.empty() ? rows.erase(row) : std::next(row);
    }
  }
  return out;
}

}  // namespace

Status choose_cases(const std::vector<Duty>& duties,
                    const Adjudicator& adjudicator, std::size_t count, int jobs,
                    Challenge* out) {
  std::vector<Tried> tried;
  for (const Duty* d : spread(duties, out->nonce, kSample * count)) {
    tried.push_back({d, false, 0});
  }
  in_parallel(tried.size(), jobs, [&](std::size_t i) {
    const cases::Case c = challenged(*tried[i].duty->source, out->nonce);
    const double begin = thread_seconds();
    const auto prepared = adjudicator.prepare(c);
    tried[i].seconds = thread_seconds() - begin;
    tried[i].usable = prepared->fault.empty() && prepared->vacuous.empty();
  });
  std::erase_if(tried, [](const Tried& t) { return !t.usable; });
  const std::size_t wide = std::min(tried.size(), (count + 1) / 2);
  std::stable_sort(
      tried.begin() + static_cast<std::ptrdiff_t>(wide), tried.end(),
      [](const Tried& a, const Tried& b) { return a.seconds > b.seconds; });
  if (tried.size() > count) tried.resize(count);
  if (tried.size() < std::min(count, kFewest)) {
    return Error{
        fmt::format("level {} has only {} cases with random inputs; a "
                    "challenge needs {}",
                    out->level, tried.size(), std::min(count, kFewest))};
  }
  out->cases.clear();
  out->oracle_seconds = 0;
  for (const Tried& t : tried) {
    out->cases.push_back(t.duty->source->path);
    out->oracle_seconds += t.seconds;
  }
  std::sort(out->cases.begin(), out->cases.end());
  return success();
}

}  // namespace assay::harness
