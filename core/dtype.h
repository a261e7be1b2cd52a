// Element types and their formats: the one table that every room shares.
#ifndef ASSAY_CORE_DTYPE_H_
#define ASSAY_CORE_DTYPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

// Specs, code and reports spell them as dtype_name() does.
enum class DType : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  // The 8-bit floats of the OCP formats (FP8, MX) and of the fnuz family:
  // e and m count bits of exponent and significand, "fn" has no infinities,
  // "uz" no negative zero, "u" no sign.
  f8e4m3fn,
  f8e5m2,
  f8e4m3fnuz,
  f8e5m2fnuz,
  f8e8m0fnu,
  u8,
  i8,
  i16,
  i32,
  i64,
  u16,
  u32,
  u64,
  boolean,  // "bool"
  // Complex numbers: a real and an imaginary part of f32 or f64, side by side.
  c64,
  c128,
};

// Those whose elements are one number.
inline constexpr std::array kAllDTypes = {
    DType::f64,       DType::f32,    DType::f16,        DType::bf16,
    DType::f8e4m3fn,  DType::f8e5m2, DType::f8e4m3fnuz, DType::f8e5m2fnuz,
    DType::f8e8m0fnu, DType::u8,     DType::i8,         DType::i16,
    DType::i32,       DType::i64,    DType::u16,        DType::u32,
    DType::u64,       DType::boolean};

inline constexpr std::array kComplexDTypes = {DType::c64, DType::c128};

std::string_view dtype_name(DType t);
std::optional<DType> parse_dtype(std::string_view name);

int size_bytes(DType t);
// DLPack's DLDataTypeCode, which with the width names an element type
// (dmlc/dlpack, dlpack.h).
int dlpack_code(DType t);
bool is_float(DType t);
// A float of one byte: stored and converted, not computed in.
bool is_float8(DType t);
// u8 to u64. bool and the complex types are neither integers nor floats.
bool is_integer(DType t);
bool is_complex(DType t);
// That of a complex number's parts; t itself if it is not complex.
DType component(DType t);
bool is_signed(DType t);
// u16 to u64, of which PyTorch has few kernels: stored and converted.
bool is_wide_unsigned(DType t);

// The dtype in which frameworks compute when operands have dtype `t`:
// f32 for f16, bf16 and the 8-bit floats, `t` itself otherwise.
DType opmath(DType t);

// What a format keeps apart from its finite numbers.
enum class Specials : std::uint8_t {
  ieee,      // infinities, NaNs, both zeros
  fn,        // no infinities; NaN is the last pattern of either sign
  fnuz,      // no infinities, no -0; NaN is the pattern that -0 would have
  unsigned_  // no sign, no zero, no infinity: powers of two; NaN is 0xff
};

// A binary floating-point format. A finite value is m * 2^(e - p + 1) with
// |m| < 2^p and emin <= e <= emax. Sources: IEEE 754; OCP 8-bit Floating
// Point Specification 1.0 and Microscaling Formats 1.0 (section 5.4.1) for
// e4m3fn, e5m2 and e8m0fnu; arXiv 2206.02915 for the fnuz formats.
struct FloatFormat {
  int precision;     // p, bits of significand with the hidden one
  int emin;          // exponent of the smallest normal number
  int emax;          // exponent of the largest finite number
  int storage_bits;  // width of an element
  Specials specials = Specials::ieee;

  bool has_infinity() const { return specials == Specials::ieee; }
  bool has_sign() const { return specials != Specials::unsigned_; }
  bool has_zero() const { return specials != Specials::unsigned_; }
  bool has_negative_zero() const {
    return specials == Specials::ieee || specials == Specials::fn;
  }
  // Is every element of `other` also one of this format? All NaNs count as
  // one.
  bool holds(const FloatFormat& other) const {
    return other.precision <= precision && other.emax <= emax &&
           other.emin - other.precision >= emin - precision &&
           (has_infinity() || !other.has_infinity()) &&
           (has_zero() || !other.has_zero()) &&
           (has_sign() || !other.has_sign()) &&
           (has_negative_zero() || !other.has_negative_zero());
  }
};

// In the order of DType, which has the floats first.
inline constexpr std::array kFloatFormats = {
    FloatFormat{53, -1022, 1023, 64},
    FloatFormat{24, -126, 127, 32},
    FloatFormat{11, -14, 15, 16},
    FloatFormat{8, -126, 127, 16},
    FloatFormat{4, -6, 8, 8, Specials::fn},
    FloatFormat{3, -14, 15, 8},
    FloatFormat{4, -7, 7, 8, Specials::fnuz},
    FloatFormat{3, -15, 15, 8, Specials::fnuz},
    FloatFormat{1, -127, 127, 8, Specials::unsigned_}};

// Requires is_float(t). Inline, because every element read or rounded asks.
inline const FloatFormat& float_format(DType t) {
  return kFloatFormats.at(static_cast<std::size_t>(t));
}

// Inclusive range of an integer dtype (or bool: 0 and 1). No 64-bit type
// holds both ends of all: std::cmp_less and its like compare the two.
std::int64_t integer_min(DType t);
std::uint64_t integer_max(DType t);
// Bits of an integer dtype's values without the sign: all lie below 2^n.
int magnitude_bits(DType t);
// Is `value`, or is every value of `from`, a value of the integer dtype (or
// bool) `to`?
bool holds_integer(DType to, std::int64_t value);
bool holds_integers(DType to, DType from);

}  // namespace assay

#endif  // ASSAY_CORE_DTYPE_H_
