// What goldens cost to work out and to read back from the cache
// (harness/goldens), by how long they take to work out.
//
//   golden_cache FOLDER PROFILE [FILTER...]
//
// FOLDER is filled, with all goldens. One thread; seconds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/goldens/cached_source.h"
#include "harness/goldens/golden_bytes.h"
#include "harness/run/session.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Of goldens that take from 10^(k-6) s to ten times that.
struct Decade {
  std::size_t cases = 0;
  double inputs = 0, made = 0, vacuity = 0, key = 0, missed = 0, read = 0;
  std::uint64_t bytes = 0;
};

void add(const cases::Case& c, const GoldenSource& oracle,
         const CachedGoldens& cache, Store* store,
         std::array<Decade, 9>* decades) {
  auto begin = Clock::now();
  const std::vector<Tensor> inputs = c.make_inputs();
  const double took_inputs = since(begin);
  begin = Clock::now();
  const StoreKey key = cache.key(c.program, inputs, {});
  const double took_key = since(begin);
  begin = Clock::now();
  (void)store->get(key);
  const double took_missed = since(begin);
  begin = Clock::now();
  const Result<reference::Golden> golden = oracle.golden(c.program, inputs, {});
  const double took_made = since(begin);
  if (!golden) return;
  begin = Clock::now();
  (void)oracle.vacuity(*golden, c.program, inputs, c.vacuous);
  const double took_vacuity = since(begin);
  const std::string bytes = golden_to_bytes(*golden);
  if (!store->put(key, bytes)) std::fputs("cannot write\n", stderr);
  begin = Clock::now();
  const auto back = golden_from_bytes(store->get(key).value_or(""));
  const double took_read = since(begin);
  if (!back || golden_to_bytes(*back) != bytes) {
    fmt::print(stderr, "{} came back otherwise\n", c.path);
  }
  const auto at = static_cast<std::size_t>(
      std::clamp(std::floor(std::log10(took_made)) + 6, 0.0, 8.0));
  Decade& d = (*decades)[at];
  ++d.cases;
  d.inputs += took_inputs;
  d.made += took_made;
  d.vacuity += took_vacuity;
  d.key += took_key;
  d.missed += took_missed;
  d.read += took_read;
  d.bytes += bytes.size();
}

int measure(int argc, char** argv) {
  if (argc < 3 || !cases::parse_profile(argv[2])) {
    std::fputs("usage: golden_cache FOLDER PROFILE [FILTER...]\n", stderr);
    return 2;
  }
  const auto session = open_session(home() / "specs");
  if (!session) return 2;
  const auto chosen = select_cases(**session, {argv + 3, argv + argc},
                                   *cases::parse_profile(argv[2]));
  if (!chosen) return 2;
  const auto oracle = live_oracle((*session)->specs);
  constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 50;
  const CachedGoldens cache(*oracle, (*session)->specs, "bench", argv[1],
                            kNoLimit);
  Store store(argv[1], kNoLimit);
  std::array<Decade, 9> decades;
  for (const cases::Case* c : *chosen) {
    add(*c, *oracle, cache, &store, &decades);
  }
  fmt::print("{:>8} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "from",
             "cases", "inputs", "made", "vacuity", "key", "missed", "read",
             "MiB");
  for (std::size_t k = 0; k < decades.size(); ++k) {
    const Decade& d = decades[k];
    fmt::print(
        "{:8.0e} {:7} {:9.3f} {:9.3f} {:9.3f} {:9.3f} {:9.3f} {:9.3f} "
        "{:8.1f}\n",
        std::pow(10, static_cast<double>(k) - 6), d.cases, d.inputs, d.made,
        d.vacuity, d.key, d.missed, d.read,
        static_cast<double>(d.bytes) / (1 << 20));
  }
  return 0;
}

}  // namespace
}  // namespace assay::harness

int main(int argc, char** argv) { return assay::harness::measure(argc, argv); }
