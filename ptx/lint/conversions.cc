#include "ptx/lint/conversions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::ptx {
namespace {

bool is_one_of(std::string_view word,
               std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// The types that a conversion to `to` may have as its destination.
std::vector<Type> destinations(DType to) {
  switch (to) {
    case DType::f32:
      return {Type::f32, Type::f32x2};
    case DType::f16:
      return {Type::f16, Type::f16x2};
    case DType::bf16:
      return {Type::bf16, Type::bf16x2};
    case DType::f8e4m3fn:
      return {Type::e4m3x2};
    case DType::f8e5m2:
      return {Type::e5m2x2};
    case DType::f8e8m0fnu:
      return {Type::ue8m0x2};
    default:
      return {};
  }
}

bool has_immediate(const Instruction& i, std::uint64_t value, unsigned width) {
  const std::uint64_t mask = width == 64 ? ~0ULL : (1ULL << width) - 1;
  return std::any_of(
      i.operands.begin(), i.operands.end(), [&](const Operand& o) {
        return o.kind == Operand::Kind::integer && (o.bits & mask) == value;
      });
}

bool works_on_integers(const Instruction& i) {
  return is_one_of(i.opcode, {"add", "sub", "and", "or", "xor", "lop3", "shr",
                              "shl", "shf", "bfe", "mad", "prmt", "mov"}) &&
         std::none_of(i.modifiers.begin(), i.modifiers.end(),
                      [](const std::string& word) {
                        const auto t = parse_type(word);
                        return t && is_floating(*t);
                      });
}

// Dropping the low `bits` of a significand by hand, in an element of `width`
// bits: the shift, the mask of what stays or goes, or half a unit in the last
// place (less one, where ties are broken by the last bit). The width keeps
// addresses out, whose offsets are powers of two as well.
bool drops_bits(const Instruction& i, unsigned width, unsigned bits) {
  if (!works_on_integers(i)) return false;
  if (is_one_of(i.opcode, {"shr", "bfe", "shf"}) && has_immediate(i, bits, 32))
    return true;
  const std::vector<Type> types = i.types();
  if (types.empty() || bits_of(types.back()) != width) return false;
  const std::uint64_t unit = 1ULL << bits;
  return has_immediate(i, unit - 1, 64) || has_immediate(i, unit / 2, 64) ||
         has_immediate(i, unit / 2 - 1, 64) ||
         has_immediate(i, ~(unit - 1), 64) ||
         has_immediate(i, ~(unit - 1) & 0xffffffffU, 32);
}

bool rounds_to_float(const Instruction& i, const Cast& cast) {
  const std::vector<Type> types = i.types();
  if (i.opcode == "cvt" && !types.empty()) {
    const std::vector<Type> wanted = destinations(cast.to);
    if (std::find(wanted.begin(), wanted.end(), types.front()) != wanted.end())
      return true;
  }
  // By hand it is done in the source's format or in a wider one.
  for (const DType wide : {DType::f64, DType::f32, cast.from}) {
    if (!is_float(wide)) continue;
    const FloatFormat& format = float_format(wide);
    const int dropped = format.precision - float_format(cast.to).precision;
    if (dropped > 1 && drops_bits(i, static_cast<unsigned>(format.storage_bits),
                                  static_cast<unsigned>(dropped)))
      return true;
  }
  return false;
}

bool truncates_to_integer(const Instruction& i) {
  const std::vector<Type> types = i.types();
  return i.opcode == "cvt" && types.size() > 1 && is_integer(types[0]) &&
         is_floating(types[1]);
}

bool narrows_to(const Instruction& i, unsigned width) {
  if (is_one_of(i.opcode, {"bfe", "szext", "prmt", "bfi"})) return true;
  const std::vector<Type> types = i.types();
  if (std::any_of(types.begin(), types.end(), [&](Type t) {
        return is_integer(t) && bits_of(t) == width;
      })) {
    return true;
  }
  return works_on_integers(i) &&
         (has_immediate(i, (1ULL << width) - 1, 64) ||
          has_immediate(i, 32 - width, 32) || has_immediate(i, 64 - width, 32));
}

bool converts(const Instruction& i, const Cast& cast) {
  if (is_float(cast.to)) return rounds_to_float(i, cast);
  if (is_float(cast.from)) return truncates_to_integer(i);
  return narrows_to(i, static_cast<unsigned>(size_bytes(cast.to)) * 8);
}

}  // namespace

bool may_convert(const Module& module, const Cast& cast) {
  return std::any_of(
      module.functions.begin(), module.functions.end(), [&](const Function& f) {
        return std::any_of(
            f.body.begin(), f.body.end(),
            [&](const Instruction& i) { return converts(i, cast); });
      });
}

}  // namespace assay::ptx
