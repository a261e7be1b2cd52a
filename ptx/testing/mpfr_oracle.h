// Correctly rounded results of any binary format, by MPFR: the judge of the
// machine's arithmetic in tests.
#ifndef ASSAY_PTX_TESTING_MPFR_ORACLE_H_
#define ASSAY_PTX_TESTING_MPFR_ORACLE_H_

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace assay::ptx::testing {

// An IEEE format: bits of significand (with the hidden one) and exponent.
struct Ieee {
  int precision;
  int exponent_bits;
  int width() const { return precision + exponent_bits; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr Ieee kF16{11, 5};
constexpr Ieee kBf16{8, 8};
constexpr Ieee kF32{24, 8};
constexpr Ieee kF64{53, 11};

class Mpfr {
 public:
  explicit Mpfr(mpfr_prec_t precision = 400) { mpfr_init2(x_, precision); }
  ~Mpfr() { mpfr_clear(x_); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  operator mpfr_ptr() { return x_; }  // NOLINT: as MPFR's functions want it

 private:
  mpfr_t x_;
};

inline void decode(Ieee f, std::uint64_t bits, mpfr_ptr to) {
  int fraction_bits = f.precision - 1;
  std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  std::uint64_t exponent =
      (bits >> fraction_bits) & ((std::uint64_t{1} << f.exponent_bits) - 1);
  bool negative = ((bits >> (f.width() - 1)) & 1U) != 0;
  if (exponent == (std::uint64_t{1} << f.exponent_bits) - 1) {
    if (fraction != 0)
      mpfr_set_nan(to);
    else
      mpfr_set_inf(to, negative ? -1 : 1);
    return;
  }
  if (exponent != 0) fraction |= std::uint64_t{1} << fraction_bits;
  long place = static_cast<long>(exponent != 0 ? exponent : 1) - f.bias() -
               fraction_bits;
  mpfr_set_ui_2exp(to, fraction, place, MPFR_RNDN);
  if (negative) mpfr_neg(to, to, MPFR_RNDN);
}

// The element that `operation` gives when it rounds once. It is called with a
// target of the format's precision and the rounding, and returns MPFR's
// ternary value. A NaN is `nan`.
template <class F>
std::uint64_t rounded(Ieee f, mpfr_rnd_t mode, std::uint64_t nan, F operation) {
  mpfr_exp_t old_min = mpfr_get_emin();
  mpfr_exp_t old_max = mpfr_get_emax();
  Mpfr r(f.precision);
  mpfr_set_emin(1 - f.bias() - (f.precision - 1) + 1);
  mpfr_set_emax(f.bias() + 1);
  int ternary = operation(static_cast<mpfr_ptr>(r), mode);
  ternary = mpfr_check_range(r, ternary, mode);
  mpfr_subnormalize(r, ternary, mode);
  mpfr_set_emin(old_min);
  mpfr_set_emax(old_max);
  std::uint64_t sign = mpfr_signbit(static_cast<mpfr_ptr>(r)) != 0
                           ? std::uint64_t{1} << (f.width() - 1)
                           : 0;
  if (mpfr_nan_p(static_cast<mpfr_ptr>(r))) return nan;
  int fraction_bits = f.precision - 1;
  std::uint64_t top = ((std::uint64_t{1} << f.exponent_bits) - 1)
                      << fraction_bits;
  if (mpfr_inf_p(static_cast<mpfr_ptr>(r))) return sign | top;
  if (mpfr_zero_p(static_cast<mpfr_ptr>(r))) return sign;
  // |r| as an integer times the least subnormal.
  long least = 1 - f.bias() - fraction_bits;
  long exponent = mpfr_get_exp(static_cast<mpfr_ptr>(r)) - 1;
  bool normal = exponent >= 1 - f.bias();
  long place = normal ? exponent - fraction_bits : least;
  Mpfr scaled;
  mpfr_mul_2si(scaled, r, -place, MPFR_RNDN);
  mpfr_abs(scaled, scaled, MPFR_RNDN);
  std::uint64_t whole = mpfr_get_uj(scaled, MPFR_RNDN);
  if (!normal) return sign | whole;
  std::uint64_t field = static_cast<std::uint64_t>(exponent + f.bias());
  return sign | (((field - 1) << fraction_bits) + whole);
}

}  // namespace assay::ptx::testing

#endif  // ASSAY_PTX_TESTING_MPFR_ORACLE_H_
