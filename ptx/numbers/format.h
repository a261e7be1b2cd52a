// The floating-point formats that PTX converts between, and rounding into
// them, by integer arithmetic: nothing here depends on the CPU's rounding.
#ifndef ASSAY_PTX_NUMBERS_FORMAT_H_
#define ASSAY_PTX_NUMBERS_FORMAT_H_

#include <cstdint>

namespace assay::ptx {

enum class Format : std::uint8_t {
  f16,
  bf16,
  tf32,
  f32,
  e4m3,
  e5m2,
  e2m1,
  e2m3,
  e3m2,
  ue8m0,
};

enum class RoundTo : std::uint8_t {
  nearest_even,
  nearest_away,
  zero,
  down,
  up,
};

struct NarrowOptions {
  Format format = Format::f16;
  RoundTo round = RoundTo::nearest_even;
  bool satfinite = false;  // the largest number instead of infinity
  bool relu = false;       // 0 instead of negative numbers
};

// The element that `x` rounds to, in the low bits; a tf32 in the bits of an
// f32. NaN becomes the format's one NaN; +largest where there is none. In
// ue8m0, which has no sign, the magnitude counts.
std::uint32_t narrow(double x, const NarrowOptions& options);

// The value of an element. Exact.
double widen(Format format, std::uint32_t bits);

// NarrowOptions in an operation's immediate, and back.
std::uint64_t to_immediate(const NarrowOptions& options);
NarrowOptions from_immediate(std::uint64_t imm);

// An integer as the double that is odd where it is not exact, so that a later
// rounding to a format of at most 51 bits is right.
double odd_double(std::uint64_t magnitude, bool negative);

struct IntegerTarget {
  unsigned bits = 32;
  bool is_signed = true;
  RoundTo round = RoundTo::zero;
  bool source_is_f64 = false;
};

// Rounds to an integer and clamps it to the type; sign-extended to 64 bits.
// NaN: 0 if neither the source is f64 nor the target has 64 bits, else
// 2^(bits - 1) (PTX ISA, cvt, integer notes).
std::uint64_t to_integer(double x, const IntegerTarget& target);
std::uint64_t to_immediate(const IntegerTarget& target);
IntegerTarget integer_from_immediate(std::uint64_t imm);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_NUMBERS_FORMAT_H_
