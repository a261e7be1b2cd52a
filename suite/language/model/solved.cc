#include "suite/language/model/solved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "suite/language/model/literal.h"

namespace assay::language {

const std::vector<std::string>& solved_kinds() {
  static const std::vector<std::string> kinds = {
      "domain",     "hardest", "identity",  "overflow",
      "saturation", "sign",    "subnormal", "underflow"};
  return kinds;
}

bool SolvedSet::knows(std::string_view function) const {
  return std::any_of(lines.begin(), lines.end(), [&](const SolvedLine& l) {
    return l.function == function;
  });
}

std::vector<std::string> SolvedSet::functions() const {
  std::vector<std::string> names;
  for (const SolvedLine& l : lines) {
    if (names.empty() || names.back() != l.function) {
      names.push_back(l.function);
    }
  }
  return names;
}

std::vector<std::uint64_t> SolvedSet::values(std::string_view function,
                                             DType t) const {
  std::vector<std::uint64_t> out;
  const auto add = [&](std::uint64_t bits, std::int64_t steps) {
    const std::uint64_t there = neighbour(t, bits, steps);
    if (std::find(out.begin(), out.end(), there) == out.end()) {
      out.push_back(there);
    }
  };
  for (const bool hardest : {true, false}) {
    for (const SolvedLine& l : lines) {
      if (l.function != function || l.dtype != t) continue;
      if ((l.kind == kHardest) != hardest) continue;
      for (const SolvedPattern& p : l.patterns) {
        add(p.bits, 0);
        add(p.bits, 1);
        add(p.bits, -1);
        if (!hardest) add(p.bits, 2);
      }
    }
  }
  return out;
}

std::string solved_text(const SolvedSet& solved) {
  std::string out;
  for (const SolvedLine& l : solved.lines) {
    std::vector<std::string> patterns;
    for (const SolvedPattern& p : l.patterns) {
      std::string text =
          fmt::format("0x{:0{}x}", p.bits, 2 * size_bytes(l.dtype));
      if (l.kind == kHardest) text += fmt::format(": {:.2f}", p.distance);
      patterns.push_back(std::move(text));
    }
    const std::string list = fmt::format("{}", fmt::join(patterns, ", "));
    out +=
        fmt::format("{}/{}/{}: {}\n", l.function, dtype_name(l.dtype), l.kind,
                    l.kind == kHardest ? "{" + list + "}" : "[" + list + "]");
  }
  return out;
}

}  // namespace assay::language
