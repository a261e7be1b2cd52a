// Conversions from and to integers, by the oracle, against an account in MPFR
// and GMP that shares nothing with it.
#include <gmp.h>

#include <random>

#include "core/integer_bits.h"
#include "core/special_values.h"
#include "reference/testing/conversion_testing.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

using Bits = std::vector<std::uint64_t>;

const language::SpecSet& cast_spec() {
  static const language::SpecSet specs = specs_of({R"yaml(
op: cast
aten: aten.cast.default
doc: a test
params:
  x: {tensor: T, shape: [S...]}
  dtype: {kind: dtype, keyword: true}
dtypes: {T: [f32, f64, u64]}
result: {dtype: dtype, shape: shape(x)}
value: {V1: "out[i...] = x[i...]"}
accuracy:
  A1: {bound: cast}
undefined:
  U1:
    when: >-
      is_float(dtype(x)) and is_integer(dtype) and
      not (trunc(x[i...]) >= least(dtype) and
      trunc(x[i...]) <= greatest(dtype))
    why: a float outside of an integer type's range has no conversion
  U2: {when: "dtype == f8e8m0fnu and x[i...] <= 0", why: it has neither}
cases:
  C1: {shapes: [{S: [3]}], attrs: [{dtype: f32}]}
)yaml"});
  return specs;
}

class Mpz {
 public:
  Mpz() { mpz_init(z_); }
  ~Mpz() { mpz_clear(z_); }
  Mpz(const Mpz&) = delete;
  Mpz& operator=(const Mpz&) = delete;
  operator mpz_ptr() { return z_; }  // NOLINT(google-explicit-constructor)

 private:
  mpz_t z_;
};

void set(mpfr_ptr x, DType t, std::uint64_t bits) {
  if (is_float(t)) {
    mpfr_set_d(x, decode_float(t, bits), MPFR_RNDN);
    return;
  }
  Mpz z;
  mpz_import(z, 1, -1, sizeof bits, 0, 0, &bits);
  const auto width = 8 * static_cast<mp_bitcnt_t>(size_bytes(t));
  if (is_signed(t) && mpz_tstbit(z, width - 1) != 0) {
    Mpz two_to_width;
    mpz_setbit(two_to_width, width);
    mpz_sub(z, z, two_to_width);
  }
  mpfr_set_z(x, z, MPFR_RNDN);
}

// Nothing where a float outside of the type's range has no meaning.
std::optional<std::uint64_t> as_integer(DType to, mpfr_srcptr x, bool wraps) {
  if (mpfr_number_p(x) == 0) return std::nullopt;
  Mpz z, reduced;
  mpfr_get_z(z, x, MPFR_RNDZ);
  const auto width = 8 * static_cast<mp_bitcnt_t>(size_bytes(to));
  Mpz least, greatest;
  if (is_signed(to)) {
    mpz_setbit(least, width - 1);
    mpz_neg(least, least);
  }
  mpz_setbit(greatest, is_signed(to) ? width - 1 : width);
  if (!wraps && (mpz_cmp(z, least) < 0 || mpz_cmp(z, greatest) >= 0)) {
    return std::nullopt;
  }
  mpz_fdiv_r_2exp(reduced, z, width);
  std::uint64_t bits = 0;
  mpz_export(&bits, nullptr, -1, sizeof bits, 0, 0, reduced);
  return bits;
}

// The float nearest to an integer; no integer is subnormal in any format.
std::optional<std::uint64_t> as_float(DType to, mpfr_ptr x) {
  const FloatFormat f = float_format(to);
  if (!f.has_zero()) {  // powers of two, ties up
    if (mpfr_sgn(x) <= 0) return std::nullopt;
    const auto e = static_cast<int>(mpfr_get_exp(x)) - 1;
    const bool up = mpfr_cmp_d(x, std::ldexp(1.5, e)) >= 0;
    return encode_float(to, std::ldexp(1.0, up ? e + 1 : e));
  }
  mpfr_t rounded;
  mpfr_init2(rounded, f.precision);
  mpfr_set(rounded, x, MPFR_RNDN);
  const double value = mpfr_get_d(rounded, MPFR_RNDN);
  mpfr_clear(rounded);
  if (std::fabs(value) > decode_float(to, largest_bits(to))) {
    if (!f.has_infinity()) return quiet_nan_bits(to);
    return encode_float(to, std::copysign(kInfinity, value));
  }
  return encode_float(to, value);
}

std::optional<std::uint64_t> expected(DType from, std::uint64_t bits,
                                      DType to) {
  const bool is_nan = is_float(from) && is_nan_bits(from, bits);
  Mpfr x;
  set(x, from, bits);
  if (to == DType::boolean) return is_nan || mpfr_zero_p(x) == 0 ? 1 : 0;
  if (is_float(to)) return as_float(to, x);
  return as_integer(to, x, !is_float(from));
}

// Compares every element; gives how many have a meaning.
int compare_all(DType from, const Bits& inputs, DType to) {
  const Program program = program_of(
      "%0 = input " + std::string(dtype_name(from)) + "[" +
      std::to_string(inputs.size()) + "]\n%1 = aten.cast.default(%0, dtype=" +
      std::string(dtype_name(to)) + ")\nreturn %1\n");
  const Result<Golden> g =
      Oracle(cast_spec()).golden(program, {bits_of(from, inputs)}, {});
  if (!g) {
    ADD_FAILURE() << g.error().message;
    return 0;
  }
  int defined = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ElementSet& e = g->outputs[0].elements[i];
    const std::optional<std::uint64_t> want = expected(from, inputs[i], to);
    EXPECT_EQ(e.unspecified, !want.has_value())
        << dtype_name(from) << " " << inputs[i] << " to " << dtype_name(to);
    if (!want) continue;
    ++defined;
    if (is_float(to) && is_nan_bits(to, *want)) {
      EXPECT_TRUE(e.nan && !e.has_values);
      continue;
    }
    EXPECT_TRUE(e.has_values && !e.nan && e.lo == e.hi && e.lo == *want)
        << dtype_name(from) << " " << inputs[i] << " to " << dtype_name(to)
        << ": " << e.lo << " .. " << e.hi << ", not " << *want;
    if (::testing::Test::HasFailure()) break;
  }
  return defined;
}

Bits all_patterns(DType t) {
  Bits all(std::size_t{1} << (t == DType::boolean ? 1 : 8 * size_bytes(t)));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

// Around every power of two, around the middle of two neighbours of each
// float format there, and at random.
Bits telling_integers(DType t) {
  Bits all = special_values(t);
  for (int e = 0; e < 64; ++e) {
    const std::uint64_t power = std::uint64_t{1} << e;
    for (const int p : {1, 3, 4, 8, 11, 24, 53}) {
      const std::uint64_t half = p <= e ? power >> p : 0;
      for (const std::uint64_t v : {power + half, power - half / 2,
                                    power + half + (power >> (p - 1))}) {
        for (const std::uint64_t d : {-1, 0, 1}) {
          all.push_back((v + d) & width_mask(t));
          all.push_back((~(v + d) + 1) & width_mask(t));
        }
      }
    }
  }
  std::mt19937_64 engine(7);
  for (int i = 0; i < 400; ++i) {
    all.push_back((engine() >> engine() % 64) & width_mask(t));
  }
  return all;
}

Bits telling_floats(DType t) {
  Bits all = special_values(t);
  for (int e = -1; e < 67; ++e) {
    for (const double v : {1.0, 1.25, 1.5, 1.75}) {
      const std::uint64_t bits = encode_float(t, std::ldexp(v, e));
      for (const std::uint64_t near : {bits - 1, bits, bits + 1}) {
        all.push_back(near);
        all.push_back(near | sign_bit_mask(t));
      }
    }
  }
  std::mt19937_64 engine(8);
  for (int i = 0; i < 400; ++i) all.push_back(engine() & width_mask(t));
  return all;
}

Bits telling_elements(DType t) {
  if (size_bytes(t) <= 2) return all_patterns(t);
  return is_float(t) ? telling_floats(t) : telling_integers(t);
}

TEST(IntegerConversion, EveryTypeToU64) {
  for (const DType from : kAllDTypes) {
    const int defined = compare_all(from, telling_elements(from), DType::u64);
    EXPECT_GT(defined, from == DType::boolean ? 1 : 50) << dtype_name(from);
  }
}

TEST(IntegerConversion, WideIntegersToEveryType) {
  for (const DType from : {DType::u64, DType::i64, DType::u32, DType::i32}) {
    for (const DType to : kAllDTypes) {
      EXPECT_GT(compare_all(from, telling_elements(from), to), 1000)
          << dtype_name(from) << " to " << dtype_name(to);
    }
  }
}

TEST(IntegerConversion, WideFloatsToEveryInteger) {
  for (const DType from : {DType::f64, DType::f32}) {
    for (const DType to : kAllDTypes) {
      if (is_float(to)) continue;
      EXPECT_GT(compare_all(from, telling_elements(from), to), 100)
          << dtype_name(from) << " to " << dtype_name(to);
    }
  }
}

// The range ends below 2^64 and not at the double nearest to its last value.
TEST(IntegerConversion, TheRangeOfU64IsExact) {
  const auto is_defined = [](DType from, double x) {
    return compare_all(from, {encode_float(from, x)}, DType::u64) == 1;
  };
  EXPECT_TRUE(is_defined(DType::f64, 0x1p64 - 0x1p11));
  EXPECT_FALSE(is_defined(DType::f64, 0x1p64));
  EXPECT_TRUE(is_defined(DType::f32, 0x1p64 - 0x1p40));
  EXPECT_FALSE(is_defined(DType::f32, 0x1p64));
  EXPECT_TRUE(is_defined(DType::f64, -0.75));
  EXPECT_FALSE(is_defined(DType::f64, -1));
}

TEST(IntegerConversion, OnlyWhatHoldsEveryValueRepresentsAType) {
  const auto holds = [](DType to) { return represents(to, DType::u64); };
  for (const DType t : kAllDTypes) EXPECT_EQ(holds(t), t == DType::u64);
  for (const DType t : {DType::u8, DType::u16, DType::u32, DType::boolean}) {
    EXPECT_TRUE(represents(DType::u64, t));
  }
  for (const DType t : {DType::i8, DType::i64, DType::f16}) {
    EXPECT_FALSE(represents(DType::u64, t));
  }
}

}  // namespace
}  // namespace assay::reference
