#include "reference/certify/check_solved.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <string>
#include <thread>

#include "reference/certify/boundaries.h"
#include "reference/certify/hardest.h"

namespace assay::reference {
namespace {

// Distances are stored with two decimals.
constexpr double kRounded = 0.00501;

std::string fault_of_hardest(const RealFunction& f, DType t,
                             const language::SolvedPattern& p) {
  const auto distance = midpoint_distance(f, t, p.bits);
  if (!distance) return "has no distance from a midpoint";
  if (*distance == 0) return "is a midpoint itself";
  const double found = std::log2(*distance);
  if (std::fabs(found - p.distance) > kRounded) {
    return fmt::format("is 2^{:.2f} ulp from a midpoint, not 2^{:.2f}", found,
                       p.distance);
  }
  if (is_expansion(f, t, p.bits)) return "is told by an expansion";
  return "";
}

std::string fault_of(const RealFunction& f, const language::SolvedLine& line,
                     const language::SolvedPattern& p) {
  if (line.kind == language::kHardest)
    return fault_of_hardest(f, line.dtype, p);
  if (is_boundary(f, line.dtype, p.bits, line.kind)) return "";
  return "is no boundary: its result and that of the next element are alike "
         "in this";
}

std::vector<language::Fault> faults_of(const language::SolvedLine& line) {
  std::vector<language::Fault> out;
  const auto f = RealFunction::find(line.function);
  for (const language::SolvedPattern& p : line.patterns) {
    const std::string wrong =
        f ? fault_of(*f, line, p) : "is of a function that is not solved";
    if (wrong.empty()) continue;
    out.push_back(
        {p.pos, fmt::format("0x{:0{}x} of {}/{}/{} {}", p.bits,
                            2 * size_bytes(line.dtype), line.function,
                            dtype_name(line.dtype), line.kind, wrong)});
  }
  return out;
}

}  // namespace

std::vector<language::Fault> check_solved(const language::SolvedSet& solved,
                                          int jobs) {
  std::vector<std::vector<language::Fault>> faults(solved.lines.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < faults.size(); i = next++) {
      faults[i] = faults_of(solved.lines[i]);
    }
  };
  std::vector<std::thread> pool;
  for (int i = 1; i < jobs; ++i) pool.emplace_back(work);
  work();
  for (std::thread& t : pool) t.join();
  std::vector<language::Fault> out;
  for (const auto& own : faults) out.insert(out.end(), own.begin(), own.end());
  return out;
}

}  // namespace assay::reference
