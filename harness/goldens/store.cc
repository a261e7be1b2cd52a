#include "harness/goldens/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/records/files.h"
#include "harness/wire/descriptor.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using Clock = fs::file_time_type::clock;

// An entry: this, the key, the bytes, and the hash of all that.
constexpr std::string_view kMark = "assay-golden-1\n";
constexpr std::size_t kHead = kMark.size() + sizeof(StoreKey);
constexpr std::size_t kTail = sizeof(StoreKey);

constexpr const char* kSuffix = ".golden";
constexpr const char* kDraft = ".draft-";
// A draft that is older than this belongs to nobody.
constexpr auto kAbandoned = std::chrono::hours(1);
// An entry that is read is marked as used no more often.
constexpr auto kFresh = std::chrono::hours(1);

std::string_view bytes_of(const StoreKey& key) {
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

void mark_as_used(const fs::path& file) {
  std::error_code error;
  const auto now = Clock::now();
  if (now - fs::last_write_time(file, error) < kFresh || error) return;
  fs::last_write_time(file, now, error);  // a folder of others: no matter
}

struct Entry {
  Clock::time_point used;
  std::uint64_t bytes = 0;
  fs::path file;
};

}  // namespace

StoreKey key_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64};
}

Store::Store(fs::path folder, std::uint64_t limit)
    : folder_(std::move(folder)), limit_(limit) {}

fs::path Store::file_of(const StoreKey& key) const {
  const std::string name = fmt::format("{:016x}{:016x}", key.high, key.low);
  return folder_ / name.substr(0, 2) / (name.substr(2) + kSuffix);
}

std::optional<std::string> Store::get(const StoreKey& key) const {
  const fs::path file = file_of(key);
  Result<std::string> read = read_file(file);
  if (!read || read->size() < kHead + kTail) return std::nullopt;
  const std::string_view all = *read;
  const std::string_view sealed = all.substr(0, all.size() - kTail);
  if (!all.starts_with(kMark) ||
      all.substr(kMark.size(), sizeof key) != bytes_of(key) ||
      all.substr(sealed.size()) != bytes_of(key_of(sealed))) {
    return std::nullopt;
  }
  mark_as_used(file);
  read->resize(sealed.size());
  read->erase(0, kHead);
  return std::move(*read);
}

Result<bool> Store::put(const StoreKey& key, std::string_view bytes) {
  if (bytes.size() > limit_ / 8) return false;
  std::string text(kMark);
  text += bytes_of(key);
  text += bytes;
  text += bytes_of(key_of(text));
  const fs::path file = file_of(key);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    return Error{
        fmt::format("{}: {}", file.parent_path().string(), error.message())};
  }
  // A name that nobody else has, on no machine.
  std::random_device random;
  const fs::path draft =
      file.parent_path() /
      fmt::format("{}{:08x}{:08x}", kDraft, random(), random());
  Descriptor fd(
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) {
    return Error{fmt::format("{}: {}", draft.string(), errno_text())};
  }
  Status written = write_all(fd.get(), text, draft);
  if (::close(fd.release()) != 0 && written) {
    written = Error{fmt::format("{}: {}", draft.string(), errno_text())};
  }
  if (written && ::rename(draft.c_str(), file.c_str()) != 0) {
    written = Error{fmt::format("{}: {}", file.string(), errno_text())};
  }
  if (!written) {
    ::unlink(draft.c_str());
    return written.error();
  }
  if ((unchecked_ += text.size()) > limit_ / 8) {
    unchecked_ = 0;
    trim();
  }
  return true;
}

void Store::trim() const {
  const Descriptor lock(
      ::open((folder_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock.valid() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  const auto now = Clock::now();
  for (fs::recursive_directory_iterator it(folder_, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code gone;  // others remove files, too
    const std::string name = it->path().filename().string();
    const auto used = it->last_write_time(gone);
    const std::uint64_t bytes = gone ? 0 : it->file_size(gone);
    if (gone) continue;
    if (name.starts_with(kDraft)) {
      if (now - used > kAbandoned) fs::remove(it->path(), gone);
    } else if (name.ends_with(kSuffix)) {
      entries.push_back({used, bytes, it->path()});
      total += bytes;
    }
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.used, a.file) < std::tie(b.used, b.file);
  });
  for (const Entry& e : entries) {
    if (total <= limit_ - limit_ / 10) break;
    std::error_code gone;
    if (fs::remove(e.file, gone)) total -= e.bytes;
  }
}

}  // namespace assay::harness
