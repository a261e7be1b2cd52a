// Cache files that tell whether they are whole: a shared object with a
// trailer behind it, which the loader ignores.
#ifndef ASSAY_COMPILER_TEXT_CACHE_FILE_H_
#define ASSAY_COMPILER_TEXT_CACHE_FILE_H_

#include <cstdint>
#include <string>

#include "core/result.h"

namespace assay::compiler {

// Appends the trailer: length and hash of the contents, and `key`, a second
// hash of what the file was made from.
Status seal(const std::string& path, std::uint64_t key);

// Whether the file is there, whole and made from `key`.
bool is_sealed(const std::string& path, std::uint64_t key);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CACHE_FILE_H_
