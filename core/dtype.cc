#include "core/dtype.h"

#include <cstdlib>
#include <limits>

namespace assay {
namespace {

struct Row {
  DType type;
  std::string_view name;
  int bytes;
};

constexpr std::array<Row, kAllDTypes.size()> kRows = {{
    {DType::f64, "f64", 8},
    {DType::f32, "f32", 4},
    {DType::f16, "f16", 2},
    {DType::bf16, "bf16", 2},
    {DType::f8e4m3fn, "f8e4m3fn", 1},
    {DType::f8e5m2, "f8e5m2", 1},
    {DType::f8e4m3fnuz, "f8e4m3fnuz", 1},
    {DType::f8e5m2fnuz, "f8e5m2fnuz", 1},
    {DType::f8e8m0fnu, "f8e8m0fnu", 1},
    {DType::u8, "u8", 1},
    {DType::i8, "i8", 1},
    {DType::i16, "i16", 2},
    {DType::i32, "i32", 4},
    {DType::i64, "i64", 8},
    {DType::u16, "u16", 2},
    {DType::u32, "u32", 4},
    {DType::boolean, "bool", 1},
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

bool is_float(DType t) { return t <= DType::f8e8m0fnu; }

bool is_integer(DType t) { return !is_float(t) && t != DType::boolean; }

bool is_signed(DType t) {
  return t != DType::u8 && t != DType::u16 && t != DType::u32 &&
         t != DType::boolean && t != DType::f8e8m0fnu;
}

DType opmath(DType t) {
  return is_float(t) && size_bytes(t) < 4 ? DType::f32 : t;
}

FloatFormat float_format(DType t) {
  switch (t) {
    case DType::f64:
      return {53, -1022, 1023, 64};
    case DType::f32:
      return {24, -126, 127, 32};
    case DType::f16:
      return {11, -14, 15, 16};
    case DType::bf16:
      return {8, -126, 127, 16};
    case DType::f8e4m3fn:
      return {4, -6, 8, 8, Specials::fn};
    case DType::f8e5m2:
      return {3, -14, 15, 8};
    case DType::f8e4m3fnuz:
      return {4, -7, 7, 8, Specials::fnuz};
    case DType::f8e5m2fnuz:
      return {3, -15, 15, 8, Specials::fnuz};
    case DType::f8e8m0fnu:
      return {1, -127, 127, 8, Specials::unsigned_};
    default:
      std::abort();  // the caller must ask is_float first
  }
}

std::int64_t integer_min(DType t) {
  if (!is_signed(t)) return 0;
  if (t == DType::i64) return std::numeric_limits<std::int64_t>::min();
  return -(std::int64_t{1} << (8 * size_bytes(t) - 1));
}

std::int64_t integer_max(DType t) {
  if (t == DType::boolean) return 1;
  if (!is_signed(t)) return (std::int64_t{1} << (8 * size_bytes(t))) - 1;
  if (t == DType::i64) return std::numeric_limits<std::int64_t>::max();
  return (std::int64_t{1} << (8 * size_bytes(t) - 1)) - 1;
}

}  // namespace assay
