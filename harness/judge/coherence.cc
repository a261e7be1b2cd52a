#include "harness/judge/coherence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/float_bits.h"
#include "core/operands.h"
#include "core/text.h"
#include "core/writes.h"
#include "harness/judge/show.h"

namespace assay::harness {
namespace {

// Ids of all nodes that `v` is computed from, without `v`: those that wrote
// what is read included.
std::set<int> ancestors(const Program& program, ValueRef v) {
  const Storages storages(program);
  std::set<int> seen;
  std::vector<ValueRef> pending;
  const auto add = [&](ValueRef operand) {
    if (program.is_node(operand) && seen.insert(operand.id).second) {
      pending.push_back(operand);
    }
  };
  const auto add_operands = [&](ValueRef node) {
    if (!program.is_node(node)) return;
    for (const ValueRef operand : operands(program.node(node))) {
      add(operand);
      add({storages.written(operand.id, node.id)});
    }
  };
  add_operands(v);
  if (storages.written(v.id) != v.id) add({storages.written(v.id)});
  while (!pending.empty()) {
    const ValueRef next = pending.back();
    pending.pop_back();
    add_operands(next);
  }
  return seen;
}

// Outputs that `program.outputs[k]` is computed from: not itself, as it was
// before a call wrote into it.
std::vector<std::size_t> sources(const Program& program, std::size_t k) {
  std::set<int> from = ancestors(program, program.outputs[k]);
  from.erase(program.outputs[k].id);
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < program.outputs.size(); ++j) {
    if (from.count(program.outputs[j].id) != 0) out.push_back(j);
  }
  return out;
}

// Is output k computed from one that nothing is promised of by itself?
bool rests_on_a_draw(const Program& program, const reference::Golden& base,
                     std::size_t k) {
  const std::vector<std::size_t> from = sources(program, k);
  return std::any_of(from.begin(), from.end(), [&base](std::size_t j) {
    const auto& elements = base.outputs[j].elements;
    return !elements.empty() &&
           std::all_of(elements.begin(), elements.end(),
                       [](const auto& e) { return e.unspecified; });
  });
}

void leave_open(reference::GoldenOutput* out) {
  for (reference::ElementSet& e : out->elements) e.unspecified = true;
}

}  // namespace

bool same_element(DType t, std::uint64_t a, std::uint64_t b) {
  return a == b || (is_float(t) && is_nan_bits(t, a) && is_nan_bits(t, b));
}

bool needs_coherence(const Program& program) {
  if (program.outputs.size() < 2) return false;
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    if (!sources(program, k).empty()) return true;
  }
  return false;
}

reference::OracleOptions coherent_options(const Program& program,
                                          const reference::Golden& base,
                                          const std::vector<Tensor>& returned,
                                          std::size_t k,
                                          reference::OracleOptions asked) {
  for (const std::size_t j : sources(program, k)) {
    const TensorType want = base.outputs[j].returned();
    if (returned[j].dtype() == want.dtype &&
        returned[j].sizes() == want.sizes) {
      asked.observed.emplace(program.outputs[j].id, returned[j]);
    }
  }
  return asked;
}

Result<reference::Golden> coherent_golden(
    const Program& program, const std::vector<Tensor>& inputs,
    const reference::Golden& base, const std::vector<Tensor>& returned,
    const GoldenSource& oracle, const reference::OracleOptions& asked) {
  reference::Golden out = base;
  if (base.error || returned.size() != base.outputs.size()) return out;
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const reference::OracleOptions options =
        coherent_options(program, base, returned, k, asked);
    if (options.observed.empty()) continue;
    Result<reference::Golden> seen = oracle.golden(program, inputs, options);
    if (!seen) return seen.error();
    // What came back may be no operand at all, an index beyond the end say. It
    // is judged itself, and what follows from it by what should have come; of
    // what is drawn that is nothing in particular.
    if (seen->error || seen->outputs.size() != base.outputs.size()) {
      if (rests_on_a_draw(program, base, k)) leave_open(&out.outputs[k]);
      continue;
    }
    out.outputs[k] = std::move(seen.value().outputs[k]);
  }
  return out;
}

std::string double_return_fault(const Program& program,
                                const std::vector<Tensor>& returned) {
  for (std::size_t k = 1; k < returned.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      if (!(program.outputs[j] == program.outputs[k])) continue;
      const Tensor one = components(returned[j]);
      const Tensor other = components(returned[k]);
      const DType t = one.dtype();
      for (std::int64_t i = 0; i < one.numel(); ++i) {
        const std::uint64_t a = one.bits(i);
        const std::uint64_t b = other.bits(i);
        if (same_element(t, a, b)) continue;
        return fmt::format(
            "out{} and out{} return one value, but differ at {}: {} and {}", j,
            k, index_text(one.sizes(), i), show_bits(t, a), show_bits(t, b));
      }
    }
  }
  return {};
}

}  // namespace assay::harness
