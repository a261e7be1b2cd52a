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

constexpr std::array<Row, 10> kRows = {{
    {DType::f64, "f64", 8},
    {DType::f32, "f32", 4},
    {DType::f16, "f16", 2},
    {DType::bf16, "bf16", 2},
    {DType::u8, "u8", 1},
    {DType::i8, "i8", 1},
    {DType::i16, "i16", 2},
    {DType::i32, "i32", 4},
    {DType::i64, "i64", 8},
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

bool is_float(DType t) { return t <= DType::bf16; }

bool is_integer(DType t) { return !is_float(t) && t != DType::boolean; }

bool is_signed(DType t) { return t != DType::u8 && t != DType::boolean; }

DType opmath(DType t) {
  return t == DType::f16 || t == DType::bf16 ? DType::f32 : t;
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
  if (t == DType::u8) return 255;
  if (t == DType::i64) return std::numeric_limits<std::int64_t>::max();
  return (std::int64_t{1} << (8 * size_bytes(t) - 1)) - 1;
}

}  // namespace assay
