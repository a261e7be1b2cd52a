#include "ptx/lint/sass_lint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>

#include "ptx/lint/budget.h"

namespace assay::ptx {
namespace {

// "sm_100f": 100; 0 for what is no target.
int number_of(std::string_view target) {
  constexpr std::string_view kPrefix = "sm_";
  if (!target.starts_with(kPrefix)) return 0;
  target.remove_prefix(kPrefix.size());
  int number = 0;
  std::from_chars(target.data(), target.data() + target.size(), number);
  return number;
}

struct Count {
  std::size_t results = 0;
  std::string_view name;  // of the first
};

struct Counts {
  std::map<unsigned, Count> fused;  // by bits
  std::array<std::size_t, kMufuFunctions> functions{};
  Count flushing;
};

Counts count(const CubinKernel& kernel, int sm) {
  Counts out;
  const auto add = [](Count* c, const Sass& s) {
    if (c->results == 0) c->name = s.name;
    c->results += s.results;
  };
  for (const SassWord& word : kernel.code) {
    const Sass s = decode(word, sm);
    if (s.kind == SassKind::fused) add(&out.fused[s.bits], s);
    if (s.kind == SassKind::function) {
      ++out.functions.at(static_cast<std::size_t>(s.function));
    }
    if (s.flushes) add(&out.flushing, s);
  }
  return out;
}

// The kernel's own budget, and that of everything it may call.
Budget budget_with_calls(const Module& module, const Function& entry) {
  Budget total = budget_of(entry);
  const bool calls =
      std::any_of(entry.body.begin(), entry.body.end(),
                  [](const Instruction& i) { return i.opcode == "call"; });
  if (!calls) return total;
  total.exact = false;
  for (const Function& f : module.functions) {
    if (f.is_entry) continue;
    const Budget b = budget_of(f);
    for (const auto& [bits, n] : b.fused) total.fused[bits] += n;
    for (std::size_t k = 0; k < b.functions.size(); ++k) {
      total.functions.at(k) += b.functions.at(k);
    }
    total.may_flush = total.may_flush || b.may_flush;
  }
  return total;
}

bool exceeds(std::size_t made, std::size_t allowed, bool exact) {
  return exact ? made > allowed : allowed == 0 && made > 0;
}

std::string counted(const std::string& kernel, std::size_t made,
                    std::size_t allowed) {
  return kernel + " has " + std::to_string(made) +
         " results of such instructions, the PTX gives reason for " +
         std::to_string(allowed);
}

void compare(const Module& module, const Function& entry,
             const CubinKernel& kernel, int sm, std::vector<Finding>* out) {
  const Budget budget = budget_with_calls(module, entry);
  const Counts made = count(kernel, sm);
  for (const auto& [bits, c] : made.fused) {
    const auto found = budget.fused.find(bits);
    const std::size_t allowed = found == budget.fused.end() ? 0 : found->second;
    if (!exceeds(c.results, allowed, budget.exact)) continue;
    out->push_back({Rule::contracted, 0, std::string(c.name),
                    counted(kernel.name, c.results, allowed)});
  }
  for (std::size_t k = 0; k < made.functions.size(); ++k) {
    const std::size_t allowed = budget.functions.at(k);
    if (!exceeds(made.functions.at(k), allowed, budget.exact)) continue;
    out->push_back({Rule::approximates, 0,
                    std::string(mufu_name(static_cast<MufuFunction>(k))),
                    counted(kernel.name, made.functions.at(k), allowed)});
  }
  if (made.flushing.results > 0 && !budget.may_flush) {
    out->push_back({Rule::flushes, 0, std::string(made.flushing.name) + ".FTZ",
                    kernel.name + " flushes, and its PTX does not"});
  }
}

Finding wrong_target(const std::string& what, const std::string& made_for,
                     std::string_view asked) {
  return {Rule::wrong_target, 0, "",
          what + " is for " + made_for + ", " + std::string(asked) +
              " is asked for"};
}

}  // namespace

std::optional<Finding> lint_target(const Module& module,
                                   std::string_view target) {
  // Features of one target alone ("a") or of its family ("f") bind the PTX to
  // it; without them it serves later targets too (PTX ISA, .target).
  const bool bound =
      module.target.ends_with('a') || module.target.ends_with('f');
  if (module.target == target ||
      (!bound && number_of(module.target) <= number_of(target))) {
    return std::nullopt;
  }
  return wrong_target("the PTX", module.target, target);
}

std::vector<Finding> lint_machine_code(const Module& module, const Cubin& cubin,
                                       std::string_view target) {
  std::vector<Finding> out;
  if (cubin.sm != number_of(target)) {
    out.push_back(wrong_target("the machine code",
                               "sm_" + std::to_string(cubin.sm), target));
    return out;
  }
  for (const CubinKernel& kernel : cubin.kernels) {
    const Function* entry = module.find(kernel.name);
    if (entry == nullptr || !entry->is_entry) continue;
    compare(module, *entry, kernel, cubin.sm, &out);
  }
  return out;
}

std::optional<Finding> compare_compilations(std::string_view first,
                                            std::string_view second) {
  const auto [a, b] =
      std::mismatch(first.begin(), first.end(), second.begin(), second.end());
  if (a == first.end() && b == second.end()) return std::nullopt;
  return Finding{Rule::varies, 0, "",
                 "two compilations differ from byte " +
                     std::to_string(a - first.begin()) + " on"};
}

}  // namespace assay::ptx
