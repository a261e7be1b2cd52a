// DLPack's type codes, as include/assay/plugin.h uses them.
#ifndef ASSAY_HARNESS_WORKERS_PLUGIN_DTYPES_H_
#define ASSAY_HARNESS_WORKERS_PLUGIN_DTYPES_H_

#include "assay/plugin.h"
#include "core/dtype.h"

namespace assay::worker {

inline AssayDType plugin_dtype(DType t) {
  enum Code : std::uint8_t {
    kInt = 0,
    kUInt = 1,
    kFloat = 2,
    kBfloat = 4,
    kBool = 6,
    kFloat8E4m3fn = 10,
    kFloat8E4m3fnuz = 11,
    kFloat8E5m2 = 12,
    kFloat8E5m2fnuz = 13,
    kFloat8E8m0fnu = 14
  };
  const auto bits = static_cast<std::uint8_t>(8 * size_bytes(t));
  if (t == DType::f8e4m3fn) return {kFloat8E4m3fn, bits, 1};
  if (t == DType::f8e5m2) return {kFloat8E5m2, bits, 1};
  if (t == DType::f8e4m3fnuz) return {kFloat8E4m3fnuz, bits, 1};
  if (t == DType::f8e5m2fnuz) return {kFloat8E5m2fnuz, bits, 1};
  if (t == DType::f8e8m0fnu) return {kFloat8E8m0fnu, bits, 1};
  if (t == DType::boolean) return {kBool, bits, 1};
  if (t == DType::bf16) return {kBfloat, bits, 1};
  if (is_float(t)) return {kFloat, bits, 1};
  return {is_signed(t) ? kInt : kUInt, bits, 1};
}

}  // namespace assay::worker

#endif  // ASSAY_HARNESS_WORKERS_PLUGIN_DTYPES_H_
