// Logic on predicates, as functions of 32 lanes at once for
// predicates<> of scalar_lanes.h.
#ifndef ASSAY_PTX_DECODE_PREDICATES_H_
#define ASSAY_PTX_DECODE_PREDICATES_H_

#include <cstdint>

namespace assay::ptx {

inline std::uint32_t predicate_and(std::uint64_t, std::uint32_t a,
                                   std::uint32_t b, std::uint32_t) {
  return a & b;
}
inline std::uint32_t predicate_or(std::uint64_t, std::uint32_t a,
                                  std::uint32_t b, std::uint32_t) {
  return a | b;
}
inline std::uint32_t predicate_xor(std::uint64_t, std::uint32_t a,
                                   std::uint32_t b, std::uint32_t) {
  return a ^ b;
}
inline std::uint32_t predicate_not(std::uint64_t, std::uint32_t a,
                                   std::uint32_t, std::uint32_t) {
  return ~a;
}
inline std::uint32_t predicate_copy(std::uint64_t, std::uint32_t a,
                                    std::uint32_t, std::uint32_t) {
  return a;
}

}  // namespace assay::ptx

#endif  // ASSAY_PTX_DECODE_PREDICATES_H_
