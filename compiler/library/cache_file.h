// Cache files that tell whether they are whole: what was made, with a trailer
// behind it, which the loader of shared objects ignores.
#ifndef ASSAY_COMPILER_LIBRARY_CACHE_FILE_H_
#define ASSAY_COMPILER_LIBRARY_CACHE_FILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"

namespace assay::compiler {

// `given`, or ${ASSAY_CACHE:-~/.cache/assay}/kernels where that is empty.
std::string cache_folder(const std::string& given);

// The start of file names in `folder` that no other process or thread uses.
std::string unique_stem(const std::string& folder);

// Names what was made from `source`: the file's name, and a second hash over
// other bytes, so that a file of the same name made from another source is not
// taken for this one.
struct CacheKey {
  std::uint64_t name = 0;
  std::uint64_t key = 0;
};
CacheKey cache_key(const std::string& source);

// Appends the trailer: length and hash of the contents, and `key`.
Status seal(const std::string& path, std::uint64_t key);

// Whether the file is there, whole and made from `key`.
bool is_sealed(const std::string& path, std::uint64_t key);

// Its contents without the trailer, if so.
std::optional<std::string> read_sealed(const std::string& path,
                                       std::uint64_t key);

// Makes such a file in `folder`. It appears whole or not at all.
Status write_sealed(const std::string& folder, const std::string& path,
                    std::uint64_t key, const std::string& contents);

// "cannot write to the kernel cache FOLDER": what to do about it.
Error cannot_write_cache(const std::string& folder);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_LIBRARY_CACHE_FILE_H_
