// Element types and their formats: the one table that every room shares.
#ifndef ASSAY_CORE_DTYPE_H_
#define ASSAY_CORE_DTYPE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

// Spelled in specs, code and reports as dtype_name() spells them.
enum class DType : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  u8,
  i8,
  i16,
  i32,
  i64,
  boolean,  // "bool"
};

inline constexpr std::array kAllDTypes = {
    DType::f64, DType::f32, DType::f16, DType::bf16, DType::u8,
    DType::i8,  DType::i16, DType::i32, DType::i64,  DType::boolean};

std::string_view dtype_name(DType t);
std::optional<DType> parse_dtype(std::string_view name);

int size_bytes(DType t);
bool is_float(DType t);
// True for u8 to i64; bool is neither integer nor float.
bool is_integer(DType t);
bool is_signed(DType t);

// The dtype in which frameworks compute when operands have dtype `t`:
// f32 for f16 and bf16, `t` itself otherwise.
DType opmath(DType t);

// A binary floating-point format. A finite value is m * 2^(e - p + 1) with
// |m| < 2^p and emin <= e <= emax.
struct FloatFormat {
  int precision;     // p, bits of significand with the hidden one
  int emin;          // exponent of the smallest normal number
  int emax;          // exponent of the largest finite number
  int storage_bits;  // width of an element
};

// Requires is_float(t).
FloatFormat float_format(DType t);

// Inclusive range of an integer dtype (or bool: 0 and 1).
std::int64_t integer_min(DType t);
std::int64_t integer_max(DType t);

}  // namespace assay

#endif  // ASSAY_CORE_DTYPE_H_
