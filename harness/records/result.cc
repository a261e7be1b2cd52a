#include "harness/records/result.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace assay::harness {
namespace {

// In the order of the enumerators.
constexpr std::array<const char*, 13> kStatusNames = {
    "pass",     "unsupported", "not_run",       "waived", "quality_warning",
    "hardware", "flaky",       "mistrusted",    "fail",   "timeout",
    "crash",    "device_lost", "internal_error"};

constexpr std::array<const char*, 8> kFailureNames = {
    "none",     "wrong_value", "lost_error", "wrong_error",
    "metadata", "protocol",    "elided",     "incoherent"};

constexpr std::array<const char*, 7> kVerdictNames = {
    "undetermined",        "all_conform",     "compiled_wrong",
    "eager_wrong",         "both_wrong_same", "both_wrong_differently",
    "conform_but_disagree"};

template <class E, std::size_t N>
std::optional<E> parse(const std::array<const char*, N>& names,
                       const std::string& name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (name == names[i]) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace

const char* status_name(CellStatus s) {
  return kStatusNames[static_cast<std::size_t>(s)];
}

const char* failure_name(FailureClass f) {
  return kFailureNames[static_cast<std::size_t>(f)];
}

const char* verdict_name(Verdict v) {
  return kVerdictNames[static_cast<std::size_t>(v)];
}

std::optional<CellStatus> parse_status(const std::string& name) {
  return parse<CellStatus>(kStatusNames, name);
}

std::optional<FailureClass> parse_failure(const std::string& name) {
  return parse<FailureClass>(kFailureNames, name);
}

std::optional<Verdict> parse_verdict(const std::string& name) {
  return parse<Verdict>(kVerdictNames, name);
}

}  // namespace assay::harness
