#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "harness/certify/archive.h"
#include "harness/certify/digest.h"
#include "harness/records/files.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 1 << 16;

struct Free {
  void operator()(struct archive* a) const { ::archive_read_free(a); }
};

// Names are shown to people, and anybody chose them.
std::string shown(const char* name) {
  std::string out;
  for (const char* c = name; *c != 0 && out.size() < 80; ++c) {
    out += *c >= 0x20 && *c < 0x7f ? *c : '?';
  }
  return out;
}

std::string kind_fault(struct archive_entry* e) {
  if (::archive_entry_hardlink(e) != nullptr) return "is a hard link";
  switch (::archive_entry_filetype(e)) {
    case AE_IFREG:
      break;
    case AE_IFLNK:
      return "is a symbolic link";
    case AE_IFDIR:
      return "is a folder";
    case AE_IFCHR:
    case AE_IFBLK:
      return "is a device";
    case AE_IFIFO:
    case AE_IFSOCK:
      return "is a pipe or a socket";
    default:
      return "is of an unknown kind";
  }
  if (::archive_entry_sparse_count(e) > 0) return "is a sparse file";
  if (::archive_entry_is_encrypted(e) != 0) return "is encrypted";
  if (::archive_entry_size_is_set(e) == 0) return "has no size";
  return {};
}

std::string name_fault(const std::string& name) {
  if (name.starts_with("/")) return "is an absolute path";
  for (const fs::path& part : fs::path(name)) {
    if (part == "..") return "leads out of the archive";
    if (part == "." || part.empty()) return "is no plain name";
  }
  return {};
}

class Reader {
 public:
  Reader(const fs::path& file, const ArchiveLimits& limits)
      : file_(file), limits_(limits), archive_(::archive_read_new()) {}

  Result<std::vector<Member>> run() {
    // Nothing but this one format and filter, neither of which is a program.
    if (::archive_read_support_format_tar(archive_.get()) != ARCHIVE_OK ||
        ::archive_read_support_filter_zstd(archive_.get()) != ARCHIVE_OK) {
      return fault(library_error());
    }
    if (::archive_read_open_filename(archive_.get(), file_.c_str(), kBlock) !=
        ARCHIVE_OK) {
      return fault("this is no submission: " + library_error());
    }
    std::vector<Member> out;
    struct archive_entry* entry = nullptr;
    while (true) {
      const int code = ::archive_read_next_header(archive_.get(), &entry);
      if (code == ARCHIVE_EOF) break;
      if (code != ARCHIVE_OK) {
        return fault((out.empty() ? "this is no submission: "
                                  : "it is damaged or cut off: ") +
                     library_error());
      }
      Result<Member> member = read(entry, out);
      if (!member) return member.error();
      out.push_back(std::move(member.value()));
    }
    if (out.empty()) return fault("it has no members");
    return out;
  }

 private:
  Result<Member> read(struct archive_entry* entry,
                      const std::vector<Member>& before) {
    const char* text = ::archive_entry_pathname(entry);
    if (text == nullptr) return fault("a member has no name");
    const std::string called = shown(text);
    const auto wrong = [&](const std::string& what) {
      return fault(fmt::format("member '{}' {}", called, what));
    };
    Member m;
    m.name = text;
    std::string what = kind_fault(entry);
    if (what.empty()) what = name_fault(m.name);
    if (!what.empty()) return wrong(what);
    if (std::any_of(before.begin(), before.end(),
                    [&](const Member& b) { return b.name == m.name; })) {
      return wrong("is there twice");
    }
    const auto most = limits_.member(m.name);
    if (!most) return wrong("is no part of a submission");
    if (before.size() >= limits_.members) {
      return fault(fmt::format("it has more than {} members", limits_.members));
    }
    const la_int64_t size = ::archive_entry_size(entry);
    if (size < 0) return wrong("has no size");
    m.size = static_cast<std::uint64_t>(size);
    if (m.size > *most) {
      return wrong(fmt::format("says that it has {} bytes; at most {} are read",
                               m.size, *most));
    }
    total_ += m.size;
    if (total_ > limits_.total) {
      return fault(
          fmt::format("it has more than {} bytes unpacked: verify "
                      "--max-size reads more",
                      limits_.total));
    }
    const Status kept = unpack(&m);
    if (!kept) return kept.error();
    return m;
  }

  // The library ends a member at the size that it declares.
  Status unpack(Member* m) {
    Result<Descriptor> file = temporary_file();
    if (!file) return file.error();
    m->file = std::move(file.value());
    Sha256 hash;
    std::vector<char> buffer(kBlock);
    std::uint64_t got = 0;
    while (true) {
      const la_ssize_t n =
          ::archive_read_data(archive_.get(), buffer.data(), buffer.size());
      if (n == 0) break;
      if (n < 0) {
        return fault(fmt::format("member '{}' is damaged or cut off: {}",
                                 m->name, library_error()));
      }
      const std::string_view part(buffer.data(), static_cast<std::size_t>(n));
      got += part.size();
      if (got > m->size) return fault("a member is larger than it says");
      hash.add(part);
      const Status written = write_all(m->file.get(), part, "temporary file");
      if (!written) return written;
    }
    if (got != m->size) {
      return fault(fmt::format("member '{}' is cut off", m->name));
    }
    m->sha256 = to_hex(hash.finish());
    return success();
  }

  Error fault(const std::string& what) const {
    return Error{fmt::format("{}: {}", file_.string(), what)};
  }
  std::string library_error() const {
    const char* why = ::archive_error_string(archive_.get());
    return why == nullptr ? "unknown format" : shown(why);
  }

  fs::path file_;
  const ArchiveLimits& limits_;
  std::unique_ptr<struct archive, Free> archive_;
  std::uint64_t total_ = 0;
};

}  // namespace

Result<Descriptor> temporary_file() {
  std::error_code error;
  const fs::path dir = fs::temp_directory_path(error);
  if (error) return Error{"TMPDIR: " + error.message()};
  Descriptor fd(::open(dir.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd.valid()) return fd;
  std::string name = (dir / "assay-XXXXXX").string();
  fd = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd.valid()) {
    return Error{fmt::format("{}: {}", dir.string(), errno_text())};
  }
  ::unlink(name.c_str());
  return fd;
}

Result<std::vector<Member>> read_archive(const fs::path& file,
                                         const ArchiveLimits& limits) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return Error{fmt::format("{}: there is no such file", file.string())};
  }
  return Reader(file, limits).run();
}

Result<std::string> text_of(const Member& m) {
  std::string text(m.size, '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t n = ::pread(m.file.get(), text.data() + at, text.size() - at,
                              static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Error{fmt::format("{}: {}", m.name, errno_text())};
    at += static_cast<std::size_t>(n);
  }
  return text;
}

}  // namespace assay::harness
