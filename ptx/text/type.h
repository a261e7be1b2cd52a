// The types of PTX: what a register, a variable or an instruction's suffix may
// say. An instruction's type need not be its register's: `add.f32` works on
// .b32 registers as well.
#ifndef ASSAY_PTX_TEXT_TYPE_H_
#define ASSAY_PTX_TEXT_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::ptx {

enum class Type : std::uint8_t {
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f32x2,
  f64,
  u16x2,
  s16x2,
  // Pairs of narrow formats; two bytes or, for the six- and four-bit ones, as
  // the conversion says.
  e4m3x2,
  e5m2x2,
  e2m1x2,
  e2m3x2,
  e3m2x2,
  ue8m0x2,
};

// "f32" or ".f32"; none if it is no type that we know.
std::optional<Type> parse_type(std::string_view word);
std::string_view type_name(Type t);

// Size in registers and memory; a predicate has none and counts 1.
unsigned bits_of(Type t);
inline unsigned bytes_of(Type t) { return (bits_of(t) + 7) / 8; }
bool is_signed(Type t);    // s8 ... s64, s16x2
bool is_integer(Type t);   // b, u and s types
bool is_floating(Type t);  // f16 ... f64 and their pairs

}  // namespace assay::ptx

#endif  // ASSAY_PTX_TEXT_TYPE_H_
