// DLPack's type codes, as assay/plugin.h uses them, and our own dtypes.
#ifndef ASSAY_KIT_DLPACK_H_
#define ASSAY_KIT_DLPACK_H_

#include <cstdint>
#include <optional>

#include "assay/plugin.h"
#include "core/dtype.h"

namespace assay::kit {

inline AssayDType to_dlpack(DType t) {
  return {static_cast<std::uint8_t>(dlpack_code(t)),
          static_cast<std::uint8_t>(8 * size_bytes(t)), 1};
}

// Nothing for a type that DType does not have.
inline std::optional<DType> from_dlpack(AssayDType t) {
  if (t.lanes != 1) return std::nullopt;
  for (const DType d : kAllDTypes) {
    if (t.code == dlpack_code(d) && t.bits == 8 * size_bytes(d)) return d;
  }
  for (const DType d : kComplexDTypes) {
    if (t.code == dlpack_code(d) && t.bits == 8 * size_bytes(d)) return d;
  }
  return std::nullopt;
}

}  // namespace assay::kit

#endif  // ASSAY_KIT_DLPACK_H_
