// Every f32 to every narrower format, every 16- and 8-bit element to every
// format that holds it or not, against boundaries that MPFR works out from the
// definition: the midpoint of two neighbours, and which of them has the even
// significand. Rounding is monotone, so boundaries decide every input.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "core/float_bits.h"
#include "reference/round.h"

namespace assay::reference {
namespace {

constexpr DType kNarrow[] = {
    DType::f16,        DType::bf16,       DType::f8e4m3fn, DType::f8e5m2,
    DType::f8e4m3fnuz, DType::f8e5m2fnuz, DType::f8e8m0fnu};

class Mpfr {
 public:
  Mpfr() { mpfr_init2(x_, 300); }
  ~Mpfr() { mpfr_clear(x_); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  operator mpfr_ptr() { return x_; }  // NOLINT(google-explicit-constructor)

 private:
  mpfr_t x_;
};

// From the first float that is `from` or greater on, up to the next entry, all
// round to `bits`.
struct Piece {
  float from;
  std::uint64_t bits;
};

// The positive elements of a format by its parameters alone: m * 2^q.
struct Element {
  long m;
  int q;
};

std::vector<Element> positive_elements(const FloatFormat& f,
                                       std::uint64_t largest) {
  std::vector<Element> out;
  if (!f.has_zero()) {
    for (int e = f.emin; e <= f.emax; ++e) out.push_back({1, e});
    return out;
  }
  const long hidden = 1L << (f.precision - 1);
  for (std::uint64_t pattern = 1; pattern <= largest; ++pattern) {
    const auto field = static_cast<long>(pattern) / hidden;
    const auto fraction = static_cast<long>(pattern) % hidden;
    const int e = field == 0 ? f.emin : static_cast<int>(field) - 1 + f.emin;
    out.push_back(
        {field == 0 ? fraction : hidden + fraction, e - f.precision + 1});
  }
  return out;
}

void set(mpfr_ptr x, const Element& e) {
  mpfr_set_si(x, e.m, MPFR_RNDN);
  mpfr_mul_2si(x, x, e.q, MPFR_RNDN);
}

// The least float that is at least (or above) the middle of a and b.
float boundary(const Element& a, const Element& b, bool tie_goes_to_b) {
  Mpfr x, y;
  set(x, a);
  set(y, b);
  mpfr_add(x, x, y, MPFR_RNDN);
  mpfr_div_2ui(x, x, 1, MPFR_RNDN);
  const float up = mpfr_get_flt(x, MPFR_RNDU);
  if (tie_goes_to_b || mpfr_cmp_d(x, static_cast<double>(up)) != 0) return up;
  return std::nextafter(up, std::numeric_limits<float>::infinity());
}

// Of the positive floats, zero and infinity included.
std::vector<Piece> pieces(DType t) {
  const FloatFormat f = float_format(t);
  const std::vector<Element> e = positive_elements(f, largest_bits(t));
  std::vector<Piece> out;
  const std::uint64_t first = f.has_zero() ? 1 : 0;
  if (f.has_zero()) {
    out.push_back({0, 0});
    out.push_back({boundary({0, e[0].q}, e[0], false), first});
  } else {
    out.push_back({0, first});
  }
  for (std::size_t i = 1; i < e.size(); ++i) {
    const bool even = e[i - 1].m % 2 == 0;
    out.push_back({boundary(e[i - 1], e[i], !even), first + i});
  }
  const Element last = e.back();
  const float end = boundary(last, {last.m + 1, last.q}, last.m % 2 != 0);
  out.push_back(
      {end, f.has_infinity() ? positive_infinity_bits(t) : quiet_nan_bits(t)});
  return out;
}

std::uint64_t negative_of(DType t, std::uint64_t bits) {
  const FloatFormat f = float_format(t);
  if (!f.has_sign()) return 0;
  if (is_nan_bits(t, bits)) return quiet_nan_bits(t);
  if (bits == 0 && !f.has_negative_zero()) return 0;
  return bits | sign_bit_mask(t);
}

// Counts the floats of a range of patterns that round otherwise.
long mismatches(DType t, const std::vector<Piece>& p, std::uint32_t begin,
                std::uint32_t end, std::uint32_t stride) {
  long wrong = 0;
  std::size_t at = 0;
  for (std::uint64_t b = begin; b < end; b += stride) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    while (at + 1 < p.size() && x >= p[at + 1].from) ++at;
    wrong += nearest_bits(t, x) != p[at].bits;
    wrong += nearest_bits(t, -x) != negative_of(t, p[at].bits);
  }
  return wrong;
}

constexpr std::uint32_t kInfinity = 0x7f800000;

void sweep(DType t, std::uint32_t stride) {
  const std::vector<Piece> p = pieces(t);
  long wrong[2] = {};
  std::thread low([&] { wrong[0] = mismatches(t, p, 0, 0x40000000, stride); });
  wrong[1] = mismatches(t, p, 0x40000000, kInfinity + 1, stride);
  low.join();
  EXPECT_EQ(wrong[0] + wrong[1], 0) << dtype_name(t);
  // The floats next to every boundary, whatever the stride.
  for (const Piece& piece : p) {
    const auto b = std::bit_cast<std::uint32_t>(piece.from);
    const std::uint32_t begin = b < 2 ? 0 : b - 2;
    EXPECT_EQ(mismatches(t, p, begin, std::min(b + 3, kInfinity + 1), 1), 0)
        << dtype_name(t) << " at " << piece.from;
  }
}

TEST(ConversionSweep, SampledF32) {
  for (const DType t : kNarrow) sweep(t, 65521);
}

TEST(ConversionSweep, EveryF32) {
  if (std::getenv("ASSAY_LONG") == nullptr) GTEST_SKIP() << "label long";
  for (const DType t : kNarrow) sweep(t, 1);
}

TEST(ConversionSweep, EveryNarrowElementToEveryFormat) {
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
