#include "harness/records/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

bool is_special(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

Error failure(const fs::path& file) {
  return Error{fmt::format("{}: {}", file.string(), errno_text())};
}

}  // namespace

std::string errno_text() { return std::strerror(errno); }

Result<std::string> read_file(const fs::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return failure(file);
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure(file);
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

Status write_all(int fd, std::string_view text, const fs::path& what) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure(what);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return success();
}

Status replace_file(const fs::path& file, std::string_view text) {
  const bool special = is_special(file);
  const fs::path target = special ? file : fs::path(file.string() + ".tmp");
  const int flags = O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_TRUNC);
  Descriptor fd(::open(target.c_str(), flags, 0666));
  if (!fd.valid()) return failure(file);
  Status written = write_all(fd.get(), text, file);
  // A full disk may show only now.
  if (written.ok() && !special && ::fsync(fd.get()) != 0) {
    written = failure(file);
  }
  if (::close(fd.release()) != 0 && written.ok()) written = failure(file);
  if (special) return written;
  if (written.ok() && ::rename(target.c_str(), file.c_str()) != 0) {
    written = failure(file);
  }
  if (!written.ok()) ::unlink(target.c_str());
  return written;
}

Status check_writable(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    return Error{fmt::format("{} is a folder", file.string())};
  }
  const fs::path folder =
      file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    return Error{fmt::format("{}: the folder {} does not exist", file.string(),
                             folder.string())};
  }
  const fs::path asked = fs::exists(file, error) ? file : folder;
  if (::access(asked.c_str(), W_OK) != 0) return failure(asked);
  return success();
}

Result<Descriptor> lock_folder(const fs::path& dir) {
  const fs::path file = dir / "lock";
  // Close-on-exec: a worker that outlives us must not keep the lock.
  Descriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd.valid()) return failure(file);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    const Result<std::string> holder = read_file(file);
    return Error{fmt::format(
        "{} belongs to a run that is still going{}: wait for it or name "
        "another folder with --out",
        dir.string(),
        holder.ok() && !holder->empty() ? fmt::format(" (process {})", *holder)
                                        : "")};
  }
  const std::string pid = fmt::format("{}", ::getpid());
  // Only a courtesy to whoever meets the lock: a full disk is no reason to
  // stop here.
  if (::ftruncate(fd.get(), 0) == 0) {
    (void)write_all(fd.get(), pid, file);
  }
  return fd;
}

}  // namespace assay::harness
