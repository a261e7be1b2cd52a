#include "harness/coherence.h"

#include <fmt/format.h>

#include <set>

#include "core/float_bits.h"
#include "harness/show.h"

namespace assay {
namespace {

void add_operands(const Node& node, std::vector<ValueRef>* pending) {
  for (const Arg& arg : node.args) {
    for (const ValueRef v : operands(arg)) pending->push_back(v);
  }
  for (const auto& [name, arg] : node.kwargs) {
    for (const ValueRef v : operands(arg)) pending->push_back(v);
  }
}

// Ids of all nodes that `v` is computed from, without `v`.
std::set<int> ancestors(const Program& program, ValueRef v) {
  std::set<int> seen;
  std::vector<ValueRef> pending;
  if (program.is_node(v)) add_operands(program.node(v), &pending);
  while (!pending.empty()) {
    const ValueRef next = pending.back();
    pending.pop_back();
    if (!program.is_node(next) || !seen.insert(next.id).second) continue;
    add_operands(program.node(next), &pending);
  }
  return seen;
}

// Outputs that `program.outputs[k]` is computed from.
std::vector<std::size_t> sources(const Program& program, std::size_t k) {
  const std::set<int> from = ancestors(program, program.outputs[k]);
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < program.outputs.size(); ++j) {
    if (from.count(program.outputs[j].id) != 0) out.push_back(j);
  }
  return out;
}

bool same_element(DType t, std::uint64_t a, std::uint64_t b) {
  if (a == b) return true;
  return is_float(t) && is_nan_bits(t, a) && is_nan_bits(t, b);
}

}  // namespace

bool needs_coherence(const Program& program) {
  if (program.outputs.size() < 2) return false;
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    if (!sources(program, k).empty()) return true;
  }
  return false;
}

OracleOptions coherent_options(const Program& program, const Golden& base,
                               const std::vector<Tensor>& returned,
                               std::size_t k, OracleOptions asked) {
  for (const std::size_t j : sources(program, k)) {
    const TensorType& want = base.outputs[j].type;
    if (returned[j].dtype() == want.dtype &&
        returned[j].sizes() == want.sizes) {
      asked.observed.emplace(program.outputs[j].id, returned[j]);
    }
  }
  return asked;
}

Result<Golden> coherent_golden(const Program& program,
                               const std::vector<Tensor>& inputs,
                               const Golden& base,
                               const std::vector<Tensor>& returned,
                               const GoldenSource& oracle,
                               const OracleOptions& asked) {
  Golden out = base;
  if (base.error || returned.size() != base.outputs.size()) return out;
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const OracleOptions options =
        coherent_options(program, base, returned, k, asked);
    if (options.observed.empty()) continue;
    Result<Golden> seen = oracle.golden(program, inputs, options);
    if (!seen) return seen.error();
    if (seen->error || seen->outputs.size() != base.outputs.size()) {
      return Error{fmt::format(
          "the oracle answers in another form once out{} is given", k)};
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
      const DType t = returned[j].dtype();
      for (std::int64_t i = 0; i < returned[j].numel(); ++i) {
        const std::uint64_t a = returned[j].bits(i);
        const std::uint64_t b = returned[k].bits(i);
        if (same_element(t, a, b)) continue;
        return fmt::format(
            "out{} and out{} return one value, but differ at {}: {} and {}", j,
            k, show_index(returned[j].sizes(), i), show_bits(t, a),
            show_bits(t, b));
      }
    }
  }
  return {};
}

}  // namespace assay
