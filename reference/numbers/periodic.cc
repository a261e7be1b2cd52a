#include "reference/numbers/periodic.h"

namespace assay::reference {

// x / (pi / 2) is irrational except at 0, so some precision separates it from
// the integers.
Mp quadrant(const Mp& x) {
  if (is_zero(x)) return exact<Mp>(0.0);
  const long magnitude = std::max<long>(mpfr_get_exp(x.get()), 1);
  for (mpfr_prec_t bits = magnitude + 128;; bits *= 2) {
    Mp floors[2];
    for (const mpfr_rnd_t direction : {MPFR_RNDD, MPFR_RNDU}) {
      // The quotient falls where pi rises and x is positive.
      const bool positive = mpfr_sgn(x.get()) > 0;
      const bool up = direction == MPFR_RNDU;
      Mp pi = Mp::fresh(bits);
      mpfr_const_pi(pi.writable(), up == positive ? MPFR_RNDD : MPFR_RNDU);
      Mp q = Mp::fresh(bits + mpfr_get_prec(x.get()));
      mpfr_mul_2ui(q.writable(), x.get(), 1, MPFR_RNDN);
      Mp ratio = Mp::fresh(bits);
      mpfr_div(ratio.writable(), q.get(), pi.get(), direction);
      Mp whole = Mp::fresh(bits);
      mpfr_floor(whole.writable(), ratio.get());
      floors[up ? 1 : 0] = whole;
    }
    if (compare(floors[0], floors[1]) == 0) return floors[0];
  }
}

Mp quadrant(double x) { return quadrant(exact<Mp>(x)); }

Known reaches_boundary(const Mp& lo, const Mp& hi, unsigned place) {
  Mp distance = Mp::fresh(64);
  mpfr_sub(distance.writable(), hi.get(), lo.get(), MPFR_RNDD);
  if (mpfr_cmp_ui(distance.get(), 4) >= 0) return Known::yes;
  const long steps = mpfr_get_si(distance.get(), MPFR_RNDZ);
  const auto first = static_cast<unsigned>(low_64_bits(lo) & 3);
  for (long i = 1; i <= steps; ++i) {
    if ((first + static_cast<unsigned>(i)) % 4 == place) return Known::yes;
  }
  return Known::no;
}

}  // namespace assay::reference
