#include "ptx/text/type.h"

#include <array>
#include <cstddef>

namespace assay::ptx {
namespace {

enum class Family : std::uint8_t { other, bits, unsigned_, signed_, floating };

struct Row {
  Type type;
  std::string_view name;
  unsigned bits;
  Family family;
};

constexpr std::array kRows = {
    Row{Type::pred, "pred", 1, Family::other},
    Row{Type::b8, "b8", 8, Family::bits},
    Row{Type::b16, "b16", 16, Family::bits},
    Row{Type::b32, "b32", 32, Family::bits},
    Row{Type::b64, "b64", 64, Family::bits},
    Row{Type::b128, "b128", 128, Family::bits},
    Row{Type::u8, "u8", 8, Family::unsigned_},
    Row{Type::u16, "u16", 16, Family::unsigned_},
    Row{Type::u32, "u32", 32, Family::unsigned_},
    Row{Type::u64, "u64", 64, Family::unsigned_},
    Row{Type::s8, "s8", 8, Family::signed_},
    Row{Type::s16, "s16", 16, Family::signed_},
    Row{Type::s32, "s32", 32, Family::signed_},
    Row{Type::s64, "s64", 64, Family::signed_},
    Row{Type::f16, "f16", 16, Family::floating},
    Row{Type::f16x2, "f16x2", 32, Family::floating},
    Row{Type::bf16, "bf16", 16, Family::floating},
    Row{Type::bf16x2, "bf16x2", 32, Family::floating},
    Row{Type::tf32, "tf32", 32, Family::floating},
    Row{Type::f32, "f32", 32, Family::floating},
    Row{Type::f32x2, "f32x2", 64, Family::floating},
    Row{Type::f64, "f64", 64, Family::floating},
    Row{Type::u16x2, "u16x2", 32, Family::unsigned_},
    Row{Type::s16x2, "s16x2", 32, Family::signed_},
    Row{Type::e4m3x2, "e4m3x2", 16, Family::other},
    Row{Type::e5m2x2, "e5m2x2", 16, Family::other},
    Row{Type::e2m1x2, "e2m1x2", 8, Family::other},
    Row{Type::e2m3x2, "e2m3x2", 16, Family::other},
    Row{Type::e3m2x2, "e3m2x2", 16, Family::other},
    Row{Type::ue8m0x2, "ue8m0x2", 16, Family::other},
};

const Row& row(Type t) { return kRows.at(static_cast<std::size_t>(t)); }

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].type) != i) return false;
  return true;
}
static_assert(in_order(), "a row stands at its type's number");

}  // namespace

std::optional<Type> parse_type(std::string_view word) {
  if (word.starts_with('.')) word.remove_prefix(1);
  for (const Row& r : kRows)
    if (r.name == word) return r.type;
  return std::nullopt;
}

std::string_view type_name(Type t) { return row(t).name; }
unsigned bits_of(Type t) { return row(t).bits; }
bool is_signed(Type t) { return row(t).family == Family::signed_; }
bool is_floating(Type t) { return row(t).family == Family::floating; }

bool is_integer(Type t) {
  Family f = row(t).family;
  return f == Family::bits || f == Family::unsigned_ || f == Family::signed_;
}

}  // namespace assay::ptx
