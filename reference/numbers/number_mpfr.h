// The escalation engine: MPFR numbers at a chosen precision. The ternary
// value that MPFR returns tells exactness. Raw mpfr_t rather than Boost's
// number type: every operation here needs directed rounding and that ternary
// value, and Boost's operators give neither.
//
// An Mp is an immutable shared value: copying it costs a counter. Numbers of
// one evaluation stay on one thread.
#ifndef ASSAY_REFERENCE_NUMBERS_NUMBER_MPFR_H_
#define ASSAY_REFERENCE_NUMBERS_NUMBER_MPFR_H_

#include <mpfr.h>

#include <cstdint>
#include <utility>

#include "reference/numbers/number.h"
#include "reference/numbers/number_double.h"

namespace assay::reference {

// Precision in bits of results computed on this thread while it is in scope.
class PrecisionScope {
 public:
  explicit PrecisionScope(int bits);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  int outer_;
};
int working_precision();

class Mp {
 public:
  Mp() = default;  // no number: assign before use
  Mp(const Mp& other) : cell_(other.cell_) { retain(); }
  Mp(Mp&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  Mp& operator=(const Mp& other) {
    Mp copy(other);
    std::swap(cell_, copy.cell_);
    return *this;
  }
  Mp& operator=(Mp&& other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~Mp() { release(); }

  // A fresh number to be written once, before it is shared.
  static Mp fresh(mpfr_prec_t bits);
  mpfr_ptr writable();
  mpfr_srcptr get() const;
  bool same_cell(const Mp& other) const { return cell_ == other.cell_; }

 private:
  struct Cell;
  void retain();
  void release();
  Cell* cell_ = nullptr;
};

Outward<Mp> sum(const Mp& x, const Mp& y);
Outward<Mp> product(const Mp& x, const Mp& y);
Outward<Mp> quotient(const Mp& x, const Mp& y);
Outward<Mp> root(const Mp& x);
Mp negated(const Mp& x);
Mp floor_of(const Mp& x);
Mp ceil_of(const Mp& x);
Mp trunc_of(const Mp& x);
Mp even_of(const Mp& x);
int compare(const Mp& x, const Mp& y);
bool is_zero(const Mp& x);
bool is_inf(const Mp& x);
bool sign_bit(const Mp& x);
int exponent(const Mp& x);
double below(const Mp& x);
double above(const Mp& x);
std::uint64_t low_64_bits(const Mp& x);

template <>
Mp exact<Mp>(double x);
template <>
Outward<Mp> enclose_integer<Mp>(std::int64_t n);
template <>
Outward<Mp> enclose_unsigned<Mp>(std::uint64_t n);
template <>
Outward<Mp> enclose_pi<Mp>();

// Applies an MPFR function, outward. `f` is correctly rounded.
Outward<Mp> apply_mpfr(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t),
                       const Mp& x);
Outward<Mp> apply_mpfr(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t),
                       const Mp& x, const Mp& y);

// A number just beside x: nearer than any other of x's precision.
Mp just_above(const Mp& x);
Mp just_below(const Mp& x);

// The double that rounds x to odd: rounding it once more, to any format of at
// most 51 bits, gives what rounding x itself would.
double rounded_to_odd(const Mp& x);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_NUMBER_MPFR_H_
