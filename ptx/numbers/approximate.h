// The approximate instructions: ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt,
// div. The ISA bounds their error and leaves their bits open. So each can be
// had as the correctly rounded value and as the two ends of what its bound
// admits. Special values are the ISA's own in all three.
#ifndef ASSAY_PTX_NUMBERS_APPROXIMATE_H_
#define ASSAY_PTX_NUMBERS_APPROXIMATE_H_

#include <cstdint>
#include <optional>

namespace assay::ptx {

enum class Approximation : std::uint8_t {
  nominal,  // the correctly rounded value
  lowest,   // the least value that the documented bound admits
  highest,  // the greatest
};

enum class Approximate : std::uint8_t {
  ex2_f32,
  ex2_f16,
  ex2_bf16,
  lg2_f32,
  sin_f32,
  cos_f32,
  tanh_f32,
  tanh_f16,
  tanh_bf16,
  rcp_f32,
  rsqrt_f32,
  sqrt_f32,
  div_f32,        // div.approx
  div_full_f32,   // div.full
  rcp_f64,        // rcp.approx.ftz.f64, 20 bits of significand
  rsqrt_f64,      // rsqrt.approx.f64
  rsqrt_ftz_f64,  // rsqrt.approx.ftz.f64, 20 bits of significand
};

// What a real device was seen to give. Where it knows, a launch takes its
// answer instead of the nominal value or an end. With .ftz an instruction may
// give other numbers than without it, and not just zeros for subnormal ones.
class RecordedResults {
 public:
  virtual ~RecordedResults() = default;
  virtual std::optional<std::uint64_t> find(Approximate function, bool ftz,
                                            std::uint64_t a,
                                            std::uint64_t b) const = 0;
};

// Operands and result are bit patterns of the function's format; `b` counts
// for div alone. .ftz of f32 is the caller's business.
std::uint64_t approximate(Approximate function, Approximation which,
                          std::uint64_t a, std::uint64_t b = 0);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_NUMBERS_APPROXIMATE_H_
