#include "reference/numbers/number_mpfr.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace assay::reference {
namespace {

thread_local int precision = 113;

// Rounds down once; the number above it is the enclosure's other end.
template <class Operation>
Outward<Mp> outward(const Operation& operation) {
  Mp down = Mp::fresh(precision);
  if (operation(down.writable(), MPFR_RNDD) == 0) return {down, down};
  Mp up = Mp::fresh(precision);
  mpfr_set(up.writable(), down.get(), MPFR_RNDD);
  mpfr_nextabove(up.writable());
  return {std::move(down), std::move(up)};
}

template <class Operation>
Mp unary(const Mp& x, const Operation& operation) {
  Mp result = Mp::fresh(mpfr_get_prec(x.get()));
  operation(result.writable(), x.get());
  return result;
}

}  // namespace

struct Mp::Cell {
  std::size_t references;
  mpfr_t value;
};

PrecisionScope::PrecisionScope(int bits) : outer_(precision) {
  precision = bits;
}
PrecisionScope::~PrecisionScope() { precision = outer_; }
int working_precision() { return precision; }

Mp Mp::fresh(mpfr_prec_t bits) {
  const std::size_t limbs = mpfr_custom_get_size(bits);
  void* memory = std::malloc(sizeof(Cell) + limbs);
  if (memory == nullptr) throw std::bad_alloc();
  Cell* cell = new (memory) Cell{1, {}};
  void* significand = cell + 1;
  mpfr_custom_init(significand, bits);
  mpfr_custom_init_set(cell->value, MPFR_ZERO_KIND, 0, bits, significand);
  Mp result;
  result.cell_ = cell;
  return result;
}

mpfr_ptr Mp::writable() { return cell_->value; }
mpfr_srcptr Mp::get() const { return cell_->value; }
void Mp::retain() {
  if (cell_ != nullptr) ++cell_->references;
}
void Mp::release() {
  if (cell_ != nullptr && --cell_->references == 0) std::free(cell_);
}

Outward<Mp> sum(const Mp& x, const Mp& y) {
  Outward<Mp> result = outward([&](mpfr_ptr r, mpfr_rnd_t direction) {
    return mpfr_add(r, x.get(), y.get(), direction);
  });
  // IEEE 754 to nearest: an exact zero sum is +0 unless both are -0. MPFR
  // rounding down gives -0.
  if (mpfr_zero_p(result.down.get()) && result.down.same_cell(result.up)) {
    const bool negative = sign_bit(x) && sign_bit(y);
    Mp zero = Mp::fresh(precision);
    mpfr_set_zero(zero.writable(), negative ? -1 : 1);
    return {zero, zero};
  }
  return result;
}

Outward<Mp> product(const Mp& x, const Mp& y) {
  return outward([&](mpfr_ptr r, mpfr_rnd_t direction) {
    return mpfr_mul(r, x.get(), y.get(), direction);
  });
}

Outward<Mp> quotient(const Mp& x, const Mp& y) {
  return outward([&](mpfr_ptr r, mpfr_rnd_t direction) {
    return mpfr_div(r, x.get(), y.get(), direction);
  });
}

Outward<Mp> root(const Mp& x) {
  return outward([&](mpfr_ptr r, mpfr_rnd_t direction) {
    return mpfr_sqrt(r, x.get(), direction);
  });
}

Outward<Mp> apply_mpfr(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t),
                       const Mp& x) {
  return outward([&](mpfr_ptr r, mpfr_rnd_t direction) {
    return f(r, x.get(), direction);
  });
}

Outward<Mp> apply_mpfr(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t),
                       const Mp& x, const Mp& y) {
  return outward([&](mpfr_ptr r, mpfr_rnd_t direction) {
    return f(r, x.get(), y.get(), direction);
  });
}

Mp negated(const Mp& x) {
  return unary(x, [](mpfr_ptr r, mpfr_srcptr v) { mpfr_neg(r, v, MPFR_RNDN); });
}
Mp floor_of(const Mp& x) {
  return unary(x, [](mpfr_ptr r, mpfr_srcptr v) { mpfr_floor(r, v); });
}
Mp ceil_of(const Mp& x) {
  return unary(x, [](mpfr_ptr r, mpfr_srcptr v) { mpfr_ceil(r, v); });
}
Mp trunc_of(const Mp& x) {
  return unary(x, [](mpfr_ptr r, mpfr_srcptr v) { mpfr_trunc(r, v); });
}
Mp even_of(const Mp& x) {
  return unary(x,
               [](mpfr_ptr r, mpfr_srcptr v) { mpfr_rint(r, v, MPFR_RNDN); });
}

int compare(const Mp& x, const Mp& y) { return mpfr_cmp(x.get(), y.get()); }
bool is_zero(const Mp& x) { return mpfr_zero_p(x.get()) != 0; }
bool is_inf(const Mp& x) { return mpfr_inf_p(x.get()) != 0; }
bool sign_bit(const Mp& x) { return mpfr_signbit(x.get()) != 0; }
int exponent(const Mp& x) {
  constexpr mpfr_exp_t kFar = 1 << 24;  // beyond every format's exponents
  return static_cast<int>(
      std::clamp<mpfr_exp_t>(mpfr_get_exp(x.get()) - 1, -kFar, kFar));
}
double below(const Mp& x) { return mpfr_get_d(x.get(), MPFR_RNDD); }
double above(const Mp& x) { return mpfr_get_d(x.get(), MPFR_RNDU); }

std::uint64_t low_64_bits(const Mp& x) {
  mpz_t integer;
  mpz_init(integer);
  mpfr_get_z(integer, x.get(), MPFR_RNDZ);
  mpz_fdiv_r_2exp(integer, integer, 64);
  std::uint64_t bits = 0;
  mpz_export(&bits, nullptr, -1, sizeof bits, 0, 0, integer);
  mpz_clear(integer);
  return bits;
}

template <>
Mp exact<Mp>(double x) {
  Mp result = Mp::fresh(53);
  mpfr_set_d(result.writable(), x, MPFR_RNDN);
  return result;
}

template <>
Outward<Mp> enclose_integer<Mp>(std::int64_t n) {
  Mp result = Mp::fresh(64);
  static_assert(sizeof(long) == sizeof n);
  mpfr_set_si(result.writable(), n, MPFR_RNDN);
  return {result, result};
}

template <>
Outward<Mp> enclose_unsigned<Mp>(std::uint64_t n) {
  Mp result = Mp::fresh(64);
  static_assert(sizeof(unsigned long) == sizeof n);
  mpfr_set_ui(result.writable(), n, MPFR_RNDN);
  return {result, result};
}

template <>
Outward<Mp> enclose_pi<Mp>() {
  return outward([](mpfr_ptr r, mpfr_rnd_t direction) {
    return mpfr_const_pi(r, direction);
  });
}

namespace {

// Eight bits beyond x's own precision: closer to x than any other number of
// that precision.
Mp beside_number(const Mp& x, bool up) {
  const mpfr_prec_t bits = std::max<mpfr_prec_t>(mpfr_get_prec(x.get()), 64);
  Mp result = Mp::fresh(bits + 8);
  mpfr_set(result.writable(), x.get(), MPFR_RNDN);
  if (up) {
    mpfr_nextabove(result.writable());
  } else {
    mpfr_nextbelow(result.writable());
  }
  return result;
}

}  // namespace

Mp just_above(const Mp& x) { return beside_number(x, true); }
Mp just_below(const Mp& x) { return beside_number(x, false); }

double rounded_to_odd(const Mp& x) {
  const double toward_zero = mpfr_get_d(x.get(), MPFR_RNDZ);
  if (mpfr_inf_p(x.get()) || mpfr_cmp_d(x.get(), toward_zero) == 0) {
    return toward_zero;
  }
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(toward_zero) | 1);
}

}  // namespace assay::reference
