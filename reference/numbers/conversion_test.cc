// Conversions to the narrow formats: a sample of the f32 numbers with all that
// lie next to a boundary, and every 16- and 8-bit element.
#include "reference/testing/conversion_testing.h"

namespace assay::reference {
namespace {

TEST(Conversion, SampledF32) {
  for (const DType t : kNarrow) sweep(t, 65521);
}

TEST(Conversion, EveryNarrowElementToEveryFormat) {
  for (const DType from : kNarrow) {
    const std::uint64_t patterns = std::uint64_t{1} << 8 * size_bytes(from);
    for (const DType to : kNarrow) {
      const std::vector<Piece> p = pieces(to);
      const bool holds = float_format(to).holds(float_format(from));
      for (std::uint64_t b = 0; b < patterns; ++b) {
        if (is_nan_bits(from, b)) continue;
        const double v = decode_float(from, b);
        const auto magnitude = static_cast<float>(std::fabs(v));
        std::size_t at = 0, end = p.size();
        while (end - at > 1) {
          const std::size_t middle = (at + end) / 2;
          (p[middle].from <= magnitude ? at : end) = middle;
        }
        const std::uint64_t want =
            std::signbit(v) ? negative_of(to, p[at].bits) : p[at].bits;
        const std::uint64_t got = nearest_bits(to, v);
        ASSERT_EQ(got, want)
            << dtype_name(from) << " " << b << " to " << dtype_name(to);
        if (holds) {
          ASSERT_EQ(decode_float(to, got), v);
        }
      }
    }
    // f32 and f64 hold all of them.
    for (std::uint64_t b = 0; b < patterns; ++b) {
      const double v = decode_float(from, b);
      if (std::isnan(v)) continue;
      ASSERT_EQ(decode_float(DType::f32, nearest_bits(DType::f32, v)), v);
    }
  }
}

}  // namespace
}  // namespace assay::reference
