#include "harness/subject/lowering.h"

#include <array>
#include <cstddef>

namespace assay::harness {
namespace {

// In the order of the enumerators.
constexpr std::array<const char*, 3> kNames = {"untold", "hand", "derived"};

}  // namespace

const char* lowering_name(Lowering l) {
  return kNames[static_cast<std::size_t>(l)];
}

std::optional<Lowering> parse_lowering(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<Lowering>(i);
  }
  return std::nullopt;
}

}  // namespace assay::harness
