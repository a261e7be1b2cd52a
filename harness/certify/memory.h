// How much memory this process may have.
#ifndef ASSAY_HARNESS_CERTIFY_MEMORY_H_
#define ASSAY_HARNESS_CERTIFY_MEMORY_H_

#include <cstdint>

#include "core/result.h"

namespace assay::harness {

// What a submission makes us build is bounded by what is read of it; should
// that be wrong, an allocation fails rather than the machine swaps. Of this
// process and those that it starts; nothing in a build with a sanitizer.
Status limit_memory(std::uint64_t mib);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_MEMORY_H_
