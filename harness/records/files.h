// Files that are written whole or not at all, and folders that one run owns.
#ifndef ASSAY_HARNESS_RECORDS_FILES_H_
#define ASSAY_HARNESS_RECORDS_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"
#include "harness/wire/descriptor.h"

namespace assay::harness {

Result<std::string> read_file(const std::filesystem::path& file);

// Writes every byte, or fails naming `what`.
Status write_all(int fd, std::string_view text,
                 const std::filesystem::path& what);

// Writes a neighbour and renames it: readers see the old file or the new one.
// Anything but a regular file (a pipe, /dev/stdout) is written directly.
Status replace_file(const std::filesystem::path& file, std::string_view text);

// Can `file` be written? Nothing that is there changes.
Status check_writable(const std::filesystem::path& file);

// An exclusive lock on dir/lock, held until it is destroyed. An error says
// that another process holds it.
Result<Descriptor> lock_folder(const std::filesystem::path& dir);

// "errno text" of the last failed call.
std::string errno_text();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_FILES_H_
