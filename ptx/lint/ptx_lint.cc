#include "ptx/lint/ptx_lint.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "ptx/lint/conversions.h"
#include "ptx/lint/products.h"

namespace assay::ptx {
namespace {

using Findings = std::vector<Finding>;
using Modules = std::span<const Module>;

bool is_one_of(std::string_view word,
               std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool rounds_as_named(const Instruction& i) {
  return i.has("rn") || i.has("rz") || i.has("rm") || i.has("rp");
}

bool is_floating_point(const Instruction& i) {
  const std::vector<Type> types = i.types();
  return std::any_of(types.begin(), types.end(), is_floating);
}

template <class Breaks>
void each_instruction(Modules modules, Rule rule, const Breaks& breaks,
                      Findings* out) {
  for (const Module& m : modules) {
    for (const Function& f : m.functions) {
      for (const Instruction& i : f.body) {
        if (breaks(i)) out->push_back({rule, i.line, i.full_opcode(), ""});
      }
    }
  }
}

// Proves that subnormal operands or results become zeros there; not that any
// occur. An atomic addition to global memory flushes without saying so (PTX
// ISA, atom and red).
void flushes(Modules modules, const Expectation& expected, Findings* out) {
  if (expected.flush) return;
  each_instruction(
      modules, Rule::flushes,
      [](const Instruction& i) {
        return i.has("ftz") ||
               (is_one_of(i.opcode, {"atom", "red"}) && i.has("add") &&
                i.has("f32") && i.has("global"));
      },
      out);
}

// Proves that the ISA promises an error bound and no result. Old texts leave
// .approx out; the functions have no other form.
void approximates(Modules modules, const Expectation& expected, Findings* out) {
  if (expected.approximate) return;
  each_instruction(
      modules, Rule::approximates,
      [](const Instruction& i) {
        if (!is_floating_point(i)) return false;
        return i.has("approx") || i.has("full") ||
               is_one_of(i.opcode,
                         {"ex2", "lg2", "sin", "cos", "tanh", "rsqrt"}) ||
               (is_one_of(i.opcode, {"div", "rcp", "sqrt"}) && i.has("f32") &&
                !rounds_as_named(i));
      },
      out);
}

// Proves that a value loses thirteen bits on its way into a product.
void implicit_tf32(Modules modules, const Expectation& expected,
                   Findings* out) {
  if (expected.tf32) return;
  each_instruction(
      modules, Rule::implicit_tf32,
      [](const Instruction& i) { return i.has("tf32"); }, out);
}

// Proves that where two threads add to one place, the order of their additions
// is nobody's: the same program may return other bits in the next run. Not that
// two threads do.
void unordered(Modules modules, const Expectation& expected, Findings* out) {
  if (expected.any_order) return;
  each_instruction(
      modules, Rule::unordered,
      [](const Instruction& i) {
        return is_one_of(i.opcode, {"atom", "red"}) && i.has("add") &&
               is_floating_point(i);
      },
      out);
}

void pairs(Modules modules, Rule rule,
           const std::function<bool(const Instruction&)>& counts,
           Findings* out) {
  for (const Module& m : modules) {
    for (const Function& f : m.functions) {
      for (const auto& [product, sum] : products_in_sums(f, counts)) {
        out->push_back({rule, sum->line,
                        product->full_opcode() + " into " + sum->full_opcode(),
                        ""});
      }
    }
  }
}

// ptxas 13.0 makes one instruction of mul.rn.f32x2 and add.rn.f32x2 on sm_100
// and later, whatever its options say, unless the product is used twice. So
// this is near to certain; machine code shows it (sass_lint.h).
void packed_f32x2(Modules modules, const Expectation&, Findings* out) {
  pairs(
      modules, Rule::packed_f32x2,
      [](const Instruction& i) { return i.has("f32x2"); }, out);
}

// Without a rounding modifier both round to nearest, and may be fused (PTX
// ISA, mul and add); either modifier prevents it. Not a proof: only machine
// code shows what became of it.
void may_contract(Modules modules, const Expectation&, Findings* out) {
  pairs(
      modules, Rule::may_contract,
      [](const Instruction& i) {
        return is_floating_point(i) && !rounds_as_named(i) && !i.has("f32x2");
      },
      out);
}

// Proves that some product is not rounded, where the program's own count of
// fused operations is known.
void fused(Modules modules, const Expectation& expected, Findings* out) {
  if (!expected.fused) return;
  Findings found;
  each_instruction(
      modules, Rule::fused,
      [](const Instruction& i) {
        return is_one_of(i.opcode, {"fma", "mad"}) && is_floating_point(i);
      },
      &found);
  if (found.size() <= *expected.fused) return;
  for (Finding& f : found) {
    f.message = "the program has " + std::to_string(*expected.fused);
    out->push_back(std::move(f));
  }
}

// Proves that the rounding does not happen, in any form that we know.
void lost_cast(Modules modules, const Expectation& expected, Findings* out) {
  for (const Cast& c : expected.casts) {
    const bool kept =
        std::any_of(modules.begin(), modules.end(),
                    [&](const Module& m) { return may_convert(m, c); });
    if (kept || modules.empty()) continue;
    out->push_back({Rule::lost_cast, 0,
                    std::string(dtype_name(c.from)) + " to " +
                        std::string(dtype_name(c.to)),
                    "no instruction converts to it"});
  }
}

using Check = void (*)(Modules, const Expectation&, Findings*);
constexpr std::array<Check, 8> kChecks = {
    lost_cast, flushes,      approximates, implicit_tf32,
    unordered, packed_f32x2, fused,        may_contract};

}  // namespace

std::vector<Finding> lint(Modules modules, const Expectation& expected) {
  Findings out;
  for (const Check check : kChecks) check(modules, expected, &out);
  return out;
}

}  // namespace assay::ptx
