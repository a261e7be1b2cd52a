// Tests' helper: an account of conversion to the narrow formats that shares
// nothing with core's. Boundaries come from the definition by MPFR: the
// midpoint of two neighbours, and which of them has the even significand.
// Rounding is monotone, so boundaries decide every input.
#ifndef ASSAY_REFERENCE_TESTING_CONVERSION_TESTING_H_
#define ASSAY_REFERENCE_TESTING_CONVERSION_TESTING_H_

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "core/float_bits.h"
#include "reference/sets/round.h"

namespace assay::reference {
inline constexpr DType kNarrow[] = {
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

inline std::vector<Element> positive_elements(const FloatFormat& f,
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

inline void set(mpfr_ptr x, const Element& e) {
  mpfr_set_si(x, e.m, MPFR_RNDN);
  mpfr_mul_2si(x, x, e.q, MPFR_RNDN);
}

// The least float that is at least (or above) the middle of a and b.
inline float boundary(const Element& a, const Element& b, bool tie_goes_to_b) {
  Mpfr x, y;
  set(x, a);
  set(y, b);
  mpfr_add(x, x, y, MPFR_RNDN);
  mpfr_div_2ui(x, x, 1, MPFR_RNDN);
  const float up = mpfr_get_flt(x, MPFR_RNDU);
  if (tie_goes_to_b || mpfr_cmp_d(x, static_cast<double>(up)) != 0) return up;
  return std::nextafter(up, std::numeric_limits<float>::infinity());
}

// The pieces of the positive floats, zero and infinity included.
inline std::vector<Piece> pieces(DType t) {
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

inline std::uint64_t negative_of(DType t, std::uint64_t bits) {
  const FloatFormat f = float_format(t);
  if (!f.has_sign()) return 0;
  if (is_nan_bits(t, bits)) return quiet_nan_bits(t);
  if (bits == 0 && !f.has_negative_zero()) return 0;
  return bits | sign_bit_mask(t);
}

// Counts the floats of a range of patterns that round otherwise.
inline long mismatches(DType t, const std::vector<Piece>& p,
                       std::uint32_t begin, std::uint32_t end,
                       std::uint32_t stride) {
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

constexpr std::uint32_t kInfinityBits = 0x7f800000;

inline void sweep(DType t, std::uint32_t stride) {
  const std::vector<Piece> p = pieces(t);
  long wrong[2] = {};
  std::thread low([&] { wrong[0] = mismatches(t, p, 0, 0x40000000, stride); });
  wrong[1] = mismatches(t, p, 0x40000000, kInfinityBits + 1, stride);
  low.join();
  EXPECT_EQ(wrong[0] + wrong[1], 0) << dtype_name(t);
  // The floats next to every boundary, whatever the stride.
  for (const Piece& piece : p) {
    const auto b = std::bit_cast<std::uint32_t>(piece.from);
    const std::uint32_t begin = b < 2 ? 0 : b - 2;
    EXPECT_EQ(mismatches(t, p, begin, std::min(b + 3, kInfinityBits + 1), 1), 0)
        << dtype_name(t) << " at " << piece.from;
  }
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_TESTING_CONVERSION_TESTING_H_
