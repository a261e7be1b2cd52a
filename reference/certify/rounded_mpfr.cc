#include "core/float_bits.h"
#include "reference/certify/rounded.h"
#include "reference/sets/round.h"

namespace assay::reference {

std::optional<std::uint64_t> rounded_by_mpfr(const RealFunction& f, DType t,
                                             std::uint64_t x) {
  const double value = decode_float(t, x);
  for (const int bits : {113, 256, 1024, 4096}) {
    const PrecisionScope precision(bits);
    const Set<Mp> y = f(Set<Mp>::of(value));
    if (y.unsure) continue;
    if (!y.has_values) return quiet_nan_bits(t);
    const RoundedEnds ends = nearest_ends(t, y.lo);
    if (ends.a == ends.b) return ends.a;
  }
  return std::nullopt;
}

}  // namespace assay::reference
