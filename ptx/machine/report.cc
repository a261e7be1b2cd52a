#include "ptx/machine/report.h"

#include <array>
#include <cstddef>

namespace assay::ptx {
namespace {

std::string coordinates(const Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " +
         std::to_string(d.z) + ")";
}

}  // namespace

std::string_view fault_name(FaultKind kind) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "out of bounds", "misaligned", "read only",   "uninitialised", "race",
      "trap",          "assertion",  "bad barrier", "step limit",
  };
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string Fault::text() const {
  return std::string(fault_name(kind)) + ": " + message + " (" + entry +
         ", PTX line " + std::to_string(line) + ", " + instruction +
         ", block " + coordinates(block) + ", thread " + coordinates(thread) +
         ")";
}

}  // namespace assay::ptx
