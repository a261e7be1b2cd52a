// Files that are written whole or not at all, and folders that one run owns.
#ifndef ASSAY_HARNESS_FILES_H_
#define ASSAY_HARNESS_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace assay {

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release();

 private:
  int fd_ = -1;
};

Result<std::string> read_file(const std::filesystem::path& file);

// Every byte or an error that names `what`.
Status write_all(int fd, std::string_view text,
                 const std::filesystem::path& what);

// Writes a neighbour and renames it: readers see the old file or the new one.
// What is no regular file (a pipe, /dev/stdout) is written directly.
Status replace_file(const std::filesystem::path& file, std::string_view text);

// Can `file` be written? Tried without changing anything that is there.
Status check_writable(const std::filesystem::path& file);

// An exclusive lock on dir/lock, held until it is destroyed. An error says
// that another process holds it.
Result<Descriptor> lock_folder(const std::filesystem::path& dir);

// "errno text" of the last failed call.
std::string errno_text();

}  // namespace assay

#endif  // ASSAY_HARNESS_FILES_H_
