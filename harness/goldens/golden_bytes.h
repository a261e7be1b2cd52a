// Goldens as bytes, for the cache: read back they are equal in every field.
#ifndef ASSAY_HARNESS_GOLDENS_GOLDEN_BYTES_H_
#define ASSAY_HARNESS_GOLDENS_GOLDEN_BYTES_H_

#include <optional>
#include <string>
#include <string_view>

#include "reference/golden/golden.h"

namespace assay::harness {

std::string golden_to_bytes(const reference::Golden& golden);

// Nothing where the bytes are not those of a golden: too few, too many, or
// sizes that contradict one another.
std::optional<reference::Golden> golden_from_bytes(std::string_view bytes);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_GOLDENS_GOLDEN_BYTES_H_
