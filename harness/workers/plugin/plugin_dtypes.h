// DLPack's type codes, as include/assay/plugin.h uses them.
#ifndef ASSAY_HARNESS_WORKERS_PLUGIN_PLUGIN_DTYPES_H_
#define ASSAY_HARNESS_WORKERS_PLUGIN_PLUGIN_DTYPES_H_

#include "assay/plugin.h"
#include "core/dtype.h"

namespace assay::harness::worker {

inline AssayDType plugin_dtype(DType t) {
  return {static_cast<std::uint8_t>(dlpack_code(t)),
          static_cast<std::uint8_t>(8 * size_bytes(t)), 1};
}

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLUGIN_PLUGIN_DTYPES_H_
