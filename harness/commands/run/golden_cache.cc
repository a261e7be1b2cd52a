#include "harness/commands/run/golden_cache.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/goldens/oracle_build.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

constexpr std::uint64_t kMostMiB = std::uint64_t{1} << 30;

Result<std::uint64_t> limit() {
  const std::string text = variable("ASSAY_GOLDENS_LIMIT");
  if (text.empty()) return kGoldensLimit;
  std::uint64_t mib = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, mib);
  if (error != std::errc() || at != end || mib < 1 || mib > kMostMiB) {
    return Error{fmt::format(
        "ASSAY_GOLDENS_LIMIT is '{}': expected a number of MiB, at least 1",
        text)};
  }
  return mib << 20;
}

}  // namespace

fs::path goldens_folder() {
  if (const std::string named = variable("ASSAY_GOLDENS"); !named.empty()) {
    return fs::absolute(named);
  }
  fs::path cache = variable("ASSAY_CACHE");
  if (cache.empty()) {
    fs::path above = variable("XDG_CACHE_HOME");
    const std::string home = variable("HOME");
    if (above.empty() && !home.empty()) above = fs::path(home) / ".cache";
    if (above.empty()) return {};
    cache = above / "assay";
  }
  return cache / "goldens";
}

Result<std::unique_ptr<CachedGoldens>> open_golden_cache(
    const GoldenSource& oracle, const language::SpecSet& specs) {
  const Result<std::uint64_t> bytes = limit();
  if (!bytes) return bytes.error();
  const fs::path folder = goldens_folder();
  if (folder.empty()) return std::unique_ptr<CachedGoldens>();
  return std::make_unique<CachedGoldens>(oracle, specs, oracle_build(), folder,
                                         *bytes);
}

}  // namespace assay::harness
