#include "harness/certify/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/sanitizer.h"
#include "harness/records/files.h"

namespace assay::harness {

Status limit_memory(std::uint64_t mib) {
  if (!kSanitizer.empty()) return success();
  const rlimit limit{mib << 20, mib << 20};
  if (::setrlimit(RLIMIT_DATA, &limit) == 0) return success();
  return Error{fmt::format("--memory {}: {}", mib, errno_text())};
}

}  // namespace assay::harness
