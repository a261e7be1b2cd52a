// An oracle that remembers: what was dear to work out is kept in a folder, by
// program, inputs, options, the specs of its operations and the build that
// worked it out. A golden read from there equals the one worked out anew.
#ifndef ASSAY_HARNESS_GOLDENS_CACHED_SOURCE_H_
#define ASSAY_HARNESS_GOLDENS_CACHED_SOURCE_H_

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "harness/goldens/store.h"
#include "harness/judge/golden_source.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// Goldens that took less are worked out anew rather than kept: reading one back
// would save little, and a suite has a hundred thousand of them
// (bench/golden_cache.cc).
inline constexpr double kDearSeconds = 1e-3;

class CachedGoldens : public GoldenSource {
 public:
  // `oracle` and `specs` must outlive it. `build` names the program that works
  // goldens out: another one may do so otherwise.
  CachedGoldens(const GoldenSource& oracle, const language::SpecSet& specs,
                std::string build, std::filesystem::path folder,
                std::uint64_t limit, double dear = kDearSeconds);
  // Trims the folder if anything was kept.
  ~CachedGoldens() override;

  Result<reference::Golden> golden(
      const Program& program, const std::vector<Tensor>& inputs,
      const reference::OracleOptions& options) const override;
  std::string vacuity(const reference::Golden& golden, const Program& program,
                      const std::vector<Tensor>& inputs,
                      double share) const override {
    return oracle_.vacuity(golden, program, inputs, share);
  }

  StoreKey key(const Program& program, const std::vector<Tensor>& inputs,
               const reference::OracleOptions& options) const;

  struct Stats {
    std::size_t read = 0, made = 0, kept = 0;
    std::string fault;  // why one could not be kept, the first time
  };
  Stats stats() const;

 private:
  const GoldenSource& oracle_;
  const language::SpecSet& specs_;
  std::string build_;
  double dear_;
  mutable Store store_;
  mutable std::mutex mutex_;
  mutable Stats stats_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_GOLDENS_CACHED_SOURCE_H_
