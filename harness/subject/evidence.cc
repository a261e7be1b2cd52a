#include "harness/subject/evidence.h"

#include <array>
#include <cstddef>

namespace assay::harness {
namespace {

// In the order of the enumerators.
constexpr std::array<const char*, 5> kNames = {
    "none", "compiled", "compiled_linted", "emulated", "ran"};

}  // namespace

const char* evidence_name(Evidence e) {
  return kNames[static_cast<std::size_t>(e)];
}

std::optional<Evidence> parse_evidence(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<Evidence>(i);
  }
  return std::nullopt;
}

}  // namespace assay::harness
