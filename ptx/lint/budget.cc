#include "ptx/lint/budget.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace assay::ptx {
namespace {

enum class Rounding : std::uint8_t { nearest, approximate, any };

// What one instruction becomes beside the kernel's code, without the slow paths
// (cubin.h leaves them out). Measured by the difference that a second and third
// instruction make, ptxas 13.0, the same for sm_75, 80, 90, 100 and 120.
struct Cost {
  std::string_view opcode;
  Type type;
  Rounding rounding;
  std::size_t fused;
  std::optional<MufuFunction> function;
};

using F = MufuFunction;
constexpr std::array kCosts = {
    Cost{"div", Type::f32, Rounding::nearest, 4, F::rcp},
    Cost{"div", Type::f32, Rounding::approximate, 0, F::rcp},
    Cost{"rcp", Type::f32, Rounding::nearest, 2, F::rcp},
    Cost{"rcp", Type::f32, Rounding::approximate, 0, F::rcp},
    Cost{"sqrt", Type::f32, Rounding::nearest, 2, F::rsq},
    Cost{"sqrt", Type::f32, Rounding::approximate, 0, F::sqrt},
    Cost{"rsqrt", Type::f32, Rounding::any, 0, F::rsq},
    Cost{"div", Type::f64, Rounding::nearest, 7, F::rcp64h},
    Cost{"rcp", Type::f64, Rounding::nearest, 5, F::rcp64h},
    Cost{"rcp", Type::f64, Rounding::approximate, 0, F::rcp64h},
    Cost{"sqrt", Type::f64, Rounding::nearest, 5, F::rsq64h},
    Cost{"rsqrt", Type::f64, Rounding::any, 3, F::rsq64h},
    Cost{"div", Type::s32, Rounding::any, 0, F::rcp},
    Cost{"div", Type::u32, Rounding::any, 0, F::rcp},
    Cost{"div", Type::s64, Rounding::any, 0, F::rcp},
    Cost{"div", Type::u64, Rounding::any, 0, F::rcp},
    Cost{"rem", Type::s32, Rounding::any, 0, F::rcp},
    Cost{"rem", Type::u32, Rounding::any, 0, F::rcp},
    Cost{"rem", Type::s64, Rounding::any, 0, F::rcp},
    Cost{"rem", Type::u64, Rounding::any, 0, F::rcp},
};

std::optional<MufuFunction> function_of(std::string_view opcode) {
  if (opcode == "ex2") return F::ex2;
  if (opcode == "lg2") return F::lg2;
  if (opcode == "sin") return F::sin;
  if (opcode == "cos") return F::cos;
  if (opcode == "tanh") return F::tanh;
  return std::nullopt;
}

bool is_packed_half(Type t) { return t == Type::f16x2 || t == Type::bf16x2; }

unsigned format_bits(Type t) {
  if (t == Type::f32x2) return 32;
  return is_packed_half(t) ? 16 : bits_of(t);
}

Rounding rounding_of(const Instruction& i) {
  if (i.has("approx") || i.has("full")) return Rounding::approximate;
  return i.has("rn") ? Rounding::nearest : Rounding::any;
}

void add(const Instruction& i, Budget* b) {
  const std::vector<Type> types = i.types();
  if (types.empty()) return;
  const Type t = types.back();
  b->may_flush = b->may_flush || i.has("ftz");
  if ((i.opcode == "fma" || i.opcode == "mad") && is_floating(t)) {
    b->fused[format_bits(t)] += t == Type::f32x2 ? 2 : 1;
    return;
  }
  if (const auto function = function_of(i.opcode)) {
    b->functions.at(static_cast<std::size_t>(*function)) +=
        is_packed_half(t) ? 2 : 1;
    b->may_flush = true;
    return;
  }
  const bool divides = i.opcode == "div" || i.opcode == "rem" ||
                       i.opcode == "rcp" || i.opcode == "sqrt" ||
                       i.opcode == "rsqrt";
  if (!divides) return;
  b->may_flush = b->may_flush || is_floating(t);
  const Rounding rounding = rounding_of(i);
  const auto* cost =
      std::find_if(kCosts.begin(), kCosts.end(), [&](const Cost& c) {
        return c.opcode == i.opcode && c.type == t &&
               (c.rounding == Rounding::any || c.rounding == rounding);
      });
  if (cost == kCosts.end()) {
    // Another rounding or type: whatever it is made of, it divides.
    b->exact = false;
    b->fused[32] += 1;
    b->fused[64] += 1;
    for (std::size_t& count : b->functions) ++count;
    return;
  }
  if (cost->fused > 0) b->fused[bits_of(t)] += cost->fused;
  if (cost->function) {
    ++b->functions.at(static_cast<std::size_t>(*cost->function));
  }
}

bool jumps_back(const Function& f, std::size_t at) {
  const Instruction& i = f.body[at];
  if (i.opcode == "brx") return true;
  if (i.opcode != "bra") return false;
  return std::any_of(
      i.operands.begin(), i.operands.end(), [&](const Operand& o) {
        return o.kind == Operand::Kind::label && f.labels.at(o.index) <= at;
      });
}

}  // namespace

Budget budget_of(const Function& f) {
  Budget out;
  for (std::size_t i = 0; i < f.body.size(); ++i) {
    add(f.body[i], &out);
    if (jumps_back(f, i)) out.exact = false;
  }
  return out;
}

}  // namespace assay::ptx
