#include "core/dtype.h"

#include <limits>
#include <utility>

namespace assay {
namespace {

struct Row {
  DType type;
  std::string_view name;
  int bytes;
  int dlpack_code;
};

constexpr std::array<Row, kAllDTypes.size() + kComplexDTypes.size()> kRows = {{
    {DType::f64, "f64", 8, 2},
    {DType::f32, "f32", 4, 2},
    {DType::f16, "f16", 2, 2},
    {DType::bf16, "bf16", 2, 4},
    {DType::f8e4m3fn, "f8e4m3fn", 1, 10},
    {DType::f8e5m2, "f8e5m2", 1, 12},
    {DType::f8e4m3fnuz, "f8e4m3fnuz", 1, 11},
    {DType::f8e5m2fnuz, "f8e5m2fnuz", 1, 13},
    {DType::f8e8m0fnu, "f8e8m0fnu", 1, 14},
    {DType::u8, "u8", 1, 1},
    {DType::i8, "i8", 1, 0},
    {DType::i16, "i16", 2, 0},
    {DType::i32, "i32", 4, 0},
    {DType::i64, "i64", 8, 0},
    {DType::u16, "u16", 2, 1},
    {DType::u32, "u32", 4, 1},
    {DType::u64, "u64", 8, 1},
    {DType::boolean, "bool", 1, 6},
    {DType::c64, "c64", 8, 5},
    {DType::c128, "c128", 16, 5},
}};

const Row& row(DType t) { return kRows[static_cast<std::size_t>(t)]; }

}  // namespace

std::string_view dtype_name(DType t) { return row(t).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Row& r : kRows) {
    if (r.name == name) return r.type;
  }
  return std::nullopt;
}

int size_bytes(DType t) { return row(t).bytes; }

int dlpack_code(DType t) { return row(t).dlpack_code; }

bool is_wide_unsigned(DType t) {
  return is_integer(t) && !is_signed(t) && size_bytes(t) > 1;
}
bool is_float8(DType t) { return is_float(t) && size_bytes(t) == 1; }

bool is_float(DType t) { return t <= DType::f8e8m0fnu; }

bool is_integer(DType t) { return !is_float(t) && t < DType::boolean; }

bool is_complex(DType t) { return t > DType::boolean; }

DType component(DType t) {
  if (!is_complex(t)) return t;
  return t == DType::c64 ? DType::f32 : DType::f64;
}

bool is_signed(DType t) {
  return t != DType::u8 && t != DType::u16 && t != DType::u32 &&
         t != DType::u64 && t != DType::boolean && t != DType::f8e8m0fnu;
}

DType opmath(DType t) {
  return is_float(t) && size_bytes(t) < 4 ? DType::f32 : t;
}

std::int64_t integer_min(DType t) {
  return is_signed(t) ? std::numeric_limits<std::int64_t>::min() >>
                            (64 - 8 * size_bytes(t))
                      : 0;
}

std::uint64_t integer_max(DType t) {
  return std::numeric_limits<std::uint64_t>::max() >> (64 - magnitude_bits(t));
}

int magnitude_bits(DType t) {
  if (t == DType::boolean) return 1;
  return 8 * size_bytes(t) - (is_signed(t) ? 1 : 0);
}

bool holds_integer(DType to, std::int64_t value) {
  return value >= integer_min(to) &&
         std::cmp_less_equal(value, integer_max(to));
}

bool holds_integers(DType to, DType from) {
  return integer_min(to) <= integer_min(from) &&
         integer_max(from) <= integer_max(to);
}

}  // namespace assay
