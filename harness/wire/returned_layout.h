// How a result lies in the memory of who returned it.
#ifndef ASSAY_HARNESS_WIRE_RETURNED_LAYOUT_H_
#define ASSAY_HARNESS_WIRE_RETURNED_LAYOUT_H_

#include <cstdint>

#include "core/tensor.h"

namespace assay::harness {

inline constexpr std::int64_t kStorageUntold = -1;

// As the program returned it, before any copy: what travels is row-major.
struct ReturnedLayout {
  Shape strides;                    // in elements, as many as sizes
  std::int64_t storage_offset = 0;  // elements of its storage before the first
  // Results with one number lie in one storage. Numbers below that of the
  // program's inputs are those of the inputs' storages.
  std::int64_t storage = kStorageUntold;
  bool operator==(const ReturnedLayout&) const = default;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_WIRE_RETURNED_LAYOUT_H_
