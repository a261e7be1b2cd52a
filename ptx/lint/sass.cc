#include "ptx/lint/sass.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace assay::ptx {
namespace {

struct Row {
  unsigned opcode;  // bits 0 to 8
  SassKind kind;
  std::string_view name;
  unsigned bits;
  unsigned results;
  int first_sm, last_sm;
};

constexpr int kLatest = 999;
// 0x035 was HFMA2.MMA until sm_90 and is an integer addition on sm_120. The
// uniform forms work on values that a warp shares.
constexpr std::array kRows = {
    Row{0x020, SassKind::multiply, "FMUL", 32, 1, 70, kLatest},
    Row{0x021, SassKind::add, "FADD", 32, 1, 70, kLatest},
    Row{0x023, SassKind::fused, "FFMA", 32, 1, 70, kLatest},
    Row{0x028, SassKind::multiply, "DMUL", 64, 1, 70, kLatest},
    Row{0x029, SassKind::add, "DADD", 64, 1, 70, kLatest},
    Row{0x02b, SassKind::fused, "DFMA", 64, 1, 70, kLatest},
    Row{0x030, SassKind::add, "HADD2", 16, 1, 70, kLatest},
    Row{0x031, SassKind::fused, "HFMA2", 16, 1, 70, kLatest},
    Row{0x032, SassKind::multiply, "HMUL2", 16, 1, 70, kLatest},
    Row{0x035, SassKind::fused, "HFMA2.MMA", 16, 1, 80, 90},
    Row{0x049, SassKind::fused, "FFMA2", 32, 2, 100, kLatest},
    Row{0x04a, SassKind::multiply, "FMUL2", 32, 2, 100, kLatest},
    Row{0x04b, SassKind::add, "FADD2", 32, 2, 100, kLatest},
    Row{0x054, SassKind::add, "UFADD", 32, 1, 120, kLatest},
    Row{0x055, SassKind::fused, "UFFMA", 32, 1, 120, kLatest},
    Row{0x056, SassKind::multiply, "UFMUL", 32, 1, 120, kLatest},
    Row{0x108, SassKind::function, "MUFU", 32, 1, 70, kLatest},
    Row{0x183, SassKind::load_local, "LDL", 0, 1, 70, kLatest},
    Row{0x187, SassKind::store_local, "STL", 0, 1, 70, kLatest},
};

constexpr unsigned kZeroRegister = 255;

unsigned field(std::uint64_t half, unsigned from, unsigned bits) {
  return static_cast<unsigned>(half >> from & ((1ULL << bits) - 1));
}

bool is_plus_or_minus_one(std::uint32_t immediate, unsigned bits) {
  const auto is = [immediate](std::initializer_list<std::uint32_t> list) {
    return std::find(list.begin(), list.end(), immediate) != list.end();
  };
  if (bits == 16) return is({0x3c003c00, 0xbc00bc00, 0x3f803f80, 0xbf80bf80});
  // The upper half of a double stands in for all of it.
  if (bits == 64) return is({0x3ff00000, 0xbff00000});
  return is({0x3f800000, 0xbf800000});
}

// Bits 9 to 11: where the operands of a * b + c are. The first is always a
// register, at bit 24; of the others one may be an immediate, a constant or a
// uniform register, at bit 32, and the other is a register at bit 64.
enum class Form : unsigned {
  registers = 1,  // b at bit 32, c at bit 64
  immediate_c = 2,
  constant_c = 3,
  immediate_b = 4,
  constant_b = 5,
  uniform_b = 6,
  uniform_c = 7,
};

// Compilers multiply, add and even move with a fused multiply-add whose other
// operand is zero or one: that rounds as the plain operation does.
SassKind purpose_of_fused(const SassWord& w, unsigned bits) {
  const unsigned a = field(w.low, 24, 8);
  const unsigned at32 = field(w.low, 32, 8);
  const unsigned at64 = field(w.high, 0, 8);
  const auto immediate = static_cast<std::uint32_t>(w.low >> 32);
  const auto form = static_cast<Form>(field(w.low, 9, 3));
  if (a == kZeroRegister) return SassKind::other;
  switch (form) {
    case Form::registers:
      if (at32 == kZeroRegister) return SassKind::other;
      return at64 == kZeroRegister ? SassKind::multiply : SassKind::fused;
    case Form::immediate_c:
      if (at64 == kZeroRegister) return SassKind::other;
      return immediate == 0 ? SassKind::multiply : SassKind::fused;
    case Form::constant_c:
    case Form::uniform_c:
      return at64 == kZeroRegister ? SassKind::other : SassKind::fused;
    case Form::immediate_b:
      if (at64 == kZeroRegister) return SassKind::multiply;
      return is_plus_or_minus_one(immediate, bits) ? SassKind::add
                                                   : SassKind::fused;
    case Form::constant_b:
    case Form::uniform_b:
      return at64 == kZeroRegister ? SassKind::multiply : SassKind::fused;
  }
  return SassKind::fused;
}

}  // namespace

std::string_view mufu_name(MufuFunction f) {
  constexpr std::array<std::string_view, kMufuFunctions> kNames = {
      "MUFU.COS", "MUFU.SIN",    "MUFU.EX2",    "MUFU.LG2",  "MUFU.RCP",
      "MUFU.RSQ", "MUFU.RCP64H", "MUFU.RSQ64H", "MUFU.SQRT", "MUFU.TANH"};
  return kNames.at(static_cast<std::size_t>(f));
}

Sass decode(const SassWord& word, int sm) {
  const unsigned opcode = field(word.low, 0, 9);
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) {
    return r.opcode == opcode && r.first_sm <= sm && sm <= r.last_sm;
  });
  if (row == kRows.end()) return {};
  Sass out{row->kind, row->name, row->bits, row->results};
  if (row->kind == SassKind::function) {
    const unsigned number = field(word.high, 10, 4);
    if (number >= kMufuFunctions) return {};
    out.function = static_cast<MufuFunction>(number);
    out.name = mufu_name(out.function);
  }
  if (row->kind == SassKind::fused) {
    out.kind = purpose_of_fused(word, row->bits);
  }
  if (row->bits == 32 && row->kind != SassKind::function) {
    out.flushes = field(word.high, 16, 1) != 0;
  }
  return out;
}

}  // namespace assay::ptx
