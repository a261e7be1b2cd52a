// Where goldens are kept between runs: ASSAY_GOLDENS, or goldens/ in the cache.
#ifndef ASSAY_HARNESS_COMMANDS_RUN_GOLDEN_CACHE_H_
#define ASSAY_HARNESS_COMMANDS_RUN_GOLDEN_CACHE_H_

#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/result.h"
#include "harness/goldens/cached_source.h"

namespace assay::harness {

// What ASSAY_GOLDENS_LIMIT, in MiB, stands for where it is not set.
inline constexpr std::uint64_t kGoldensLimit = std::uint64_t{1} << 30;

// The folder that goldens are kept in; empty where there is none: no
// ASSAY_GOLDENS, no ASSAY_CACHE and no home.
std::filesystem::path goldens_folder();

// `oracle` with that folder; null where there is none. An error says what is
// wrong with the variables. Both references must outlive it.
Result<std::unique_ptr<CachedGoldens>> open_golden_cache(
    const GoldenSource& oracle, const language::SpecSet& specs);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_RUN_GOLDEN_CACHE_H_
