#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "harness/certify/archive.h"
#include "harness/records/files.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

// More takes minutes for recordings, and saves little of them.
constexpr const char* kOptions = "zstd:compression-level=9";

struct Free {
  void operator()(struct archive* a) const { ::archive_write_free(a); }
  void operator()(struct archive_entry* e) const { ::archive_entry_free(e); }
};

class Writer {
 public:
  explicit Writer(fs::path file)
      : file_(std::move(file)), archive_(::archive_write_new()) {}

  Status run(const std::vector<MemberSource>& members) {
    if (::archive_write_add_filter_zstd(archive_.get()) != ARCHIVE_OK ||
        ::archive_write_set_format_pax_restricted(archive_.get()) !=
            ARCHIVE_OK ||
        ::archive_write_set_options(archive_.get(), kOptions) != ARCHIVE_OK ||
        ::archive_write_open_filename(archive_.get(), file_.c_str()) !=
            ARCHIVE_OK) {
      return failure();
    }
    for (const MemberSource& m : members) {
      const Status written = write(m);
      if (!written) return written;
    }
    if (::archive_write_close(archive_.get()) != ARCHIVE_OK) return failure();
    return success();
  }

 private:
  Status write(const MemberSource& m) {
    Descriptor fd;
    std::uint64_t size = m.text.size();
    if (!m.file.empty()) {
      fd = Descriptor(::open(m.file.c_str(), O_RDONLY | O_CLOEXEC));
      std::error_code error;
      size = fs::file_size(m.file, error);
      if (!fd.valid() || error) {
        return Error{fmt::format("{}: {}", m.file.string(), errno_text())};
      }
    }
    const std::unique_ptr<struct archive_entry, Free> entry(
        ::archive_entry_new());
    ::archive_entry_set_pathname(entry.get(), m.name.c_str());
    ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
    ::archive_entry_set_filetype(entry.get(), AE_IFREG);
    ::archive_entry_set_perm(entry.get(), 0644);
    ::archive_entry_set_mtime(entry.get(), 0, 0);
    if (::archive_write_header(archive_.get(), entry.get()) != ARCHIVE_OK) {
      return failure();
    }
    return m.file.empty() ? put(m.text) : copy(fd.get(), size, m.file);
  }

  Status copy(int fd, std::uint64_t size, const fs::path& from) {
    std::vector<char> buffer(1 << 16);
    while (size > 0) {
      const ssize_t n = ::read(fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        return Error{
            fmt::format("{}: it was changed meanwhile", from.string())};
      }
      const auto got = std::min(static_cast<std::uint64_t>(n), size);
      const Status written = put({buffer.data(), got});
      if (!written) return written;
      size -= got;
    }
    return success();
  }

  Status put(std::string_view text) {
    while (!text.empty()) {
      const la_ssize_t n =
          ::archive_write_data(archive_.get(), text.data(), text.size());
      if (n <= 0) return failure();
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return success();
  }

  Error failure() const {
    const char* why = ::archive_error_string(archive_.get());
    return Error{fmt::format("{}: {}", file_.string(),
                             why == nullptr ? "it cannot be written" : why)};
  }

  fs::path file_;
  std::unique_ptr<struct archive, Free> archive_;
};

}  // namespace

Status write_archive(const fs::path& file,
                     const std::vector<MemberSource>& members) {
  const fs::path draft = file.string() + ".tmp";
  Status done = Writer(draft).run(members);
  if (done.ok() && ::rename(draft.c_str(), file.c_str()) != 0) {
    done = Error{fmt::format("{}: {}", file.string(), errno_text())};
  }
  if (!done.ok()) ::unlink(draft.c_str());
  return done;
}

}  // namespace assay::harness
