// A folder of what was worked out once, which any number of processes read and
// write at once, on several machines too: each entry is a file that appears
// whole or not at all and tells whether it is what was asked for. The folder is
// bounded; what was not used for longest goes first.
#ifndef ASSAY_HARNESS_GOLDENS_STORE_H_
#define ASSAY_HARNESS_GOLDENS_STORE_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace assay::harness {

// Names an entry: a hash of all that it was worked out from.
struct StoreKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const StoreKey&) const = default;
};

// The hash (128 bits of XXH3) of a text.
StoreKey key_of(std::string_view text);

class Store {
 public:
  // `limit` in bytes. Nothing is made before the first put().
  Store(std::filesystem::path folder, std::uint64_t limit);

  // Nothing where it is missing, torn, or of another key. What was read counts
  // as used.
  std::optional<std::string> get(const StoreKey& key) const;

  // Keeps it, unless it would take up more than an eighth of the limit: then
  // false. Now and then trims the folder.
  Result<bool> put(const StoreKey& key, std::string_view bytes);

  // Removes the entries that were not used for longest until nine tenths of
  // the limit are left, if there is more than the limit; and what writers that
  // were killed left behind. Does nothing while another process does so.
  void trim() const;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file_of(const StoreKey& key) const;

 private:
  std::filesystem::path folder_;
  std::uint64_t limit_;
  std::atomic<std::uint64_t> unchecked_{0};  // bytes put since the last trim
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_GOLDENS_STORE_H_
