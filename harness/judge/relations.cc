#include "harness/judge/relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/float_bits.h"
#include "core/text.h"
#include "reference/golden/admits.h"

namespace assay::harness {
namespace {

constexpr std::uint64_t kTrue = 1;
// Of so few elements a result that takes no computing may be right by chance.
constexpr std::int64_t kFew = 2;

bool has_type(const Tensor& t, const TensorType& due) {
  return t.dtype() == due.dtype && t.sizes() == due.sizes;
}

using Relations = std::vector<reference::GoldenOutput>;

Result<Relations> relations_given(const Program& related,
                                  const std::vector<Tensor>& inputs,
                                  const GoldenSource& oracle,
                                  const reference::OracleOptions& asked) {
  Result<reference::Golden> golden = oracle.golden(related, inputs, asked);
  if (!golden) return golden.error();
  return std::move(golden.value().outputs);
}

// The program's outputs that a call with relations returns.
std::vector<bool> related_outputs(const Program& program,
                                  const Program& related) {
  std::vector<bool> out;
  for (const ValueRef v : program.outputs) {
    const auto further =
        program.is_node(v) ? further_output(program.node(v)) : std::nullopt;
    const ValueRef call = further ? further->call : v;
    out.push_back(std::any_of(
        related.outputs.begin(), related.outputs.end(), [&](ValueRef r) {
          return further_output(related.node(r))->call == call;
        }));
  }
  return out;
}

// An answer that takes no computing.
struct LazyAnswer {
  std::string name;
  std::vector<Tensor> returned;
};

// Of complex numbers both parts are `bits`.
Tensor filled(const TensorType& type, std::uint64_t bits) {
  Tensor t = Tensor::zeros(type.dtype, type.sizes);
  Tensor parts = components(t);
  for (std::int64_t i = 0; i < parts.numel(); ++i) parts.set_bits(i, bits);
  return t;
}

std::uint64_t infinity_of(DType t) {
  if (!is_float(t)) return 0;
  return float_format(t).has_infinity() ? positive_infinity_bits(t)
                                        : largest_bits(t);
}

std::vector<LazyAnswer> lazy_answers(const reference::Golden& base,
                                     const std::vector<Tensor>& inputs) {
  LazyAnswer zero{"zero", {}}, infinite{"infinity", {}};
  for (const reference::GoldenOutput& out : base.outputs) {
    zero.returned.push_back(filled(out.returned(), 0));
    infinite.returned.push_back(
        filled(out.returned(), infinity_of(out.type.dtype)));
  }
  std::vector<LazyAnswer> answers = {zero, infinite};
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    LazyAnswer same{fmt::format("input {} as it is", n), zero.returned};
    bool fits = false;
    for (std::size_t k = 0; k < base.outputs.size(); ++k) {
      if (!has_type(inputs[n], base.outputs[k].returned())) continue;
      same.returned[k] = inputs[n];
      fits = true;
    }
    if (fits) answers.push_back(std::move(same));
  }
  return answers;
}

}  // namespace

Result<std::vector<reference::GoldenOutput>> judged_relations(
    const Program& program, const Program& related,
    const std::vector<Tensor>& inputs, const reference::Golden& base,
    const std::vector<Tensor>& returned, const GoldenSource& oracle,
    reference::OracleOptions asked) {
  if (returned.size() != base.outputs.size()) return Relations();
  for (std::size_t k = 0; k < returned.size(); ++k) {
    if (!has_type(returned[k], base.outputs[k].returned())) return Relations();
    if (program.is_node(program.outputs[k])) {
      asked.observed.emplace(program.outputs[k].id, returned[k]);
    }
  }
  return relations_given(related, inputs, oracle, asked);
}

std::optional<BrokenRelation> broken_relation(
    const std::vector<reference::GoldenOutput>& relations) {
  for (const reference::GoldenOutput& r : relations) {
    BrokenRelation found;
    found.elements = static_cast<std::int64_t>(r.elements.size());
    for (std::size_t i = 0; i < r.elements.size(); ++i) {
      if (reference::admits(r.elements[i], r.type.dtype, kTrue)) continue;
      if (found.broken++ > 0) continue;
      found.clause = r.clauses[r.elements[i].clause];
      found.place = index_text(r.type.sizes, static_cast<std::int64_t>(i));
    }
    if (found.broken > 0) return found;
  }
  return std::nullopt;
}

std::string relation_vacuity(const Program& program, const Program& related,
                             const std::vector<Tensor>& inputs,
                             const reference::Golden& base,
                             const GoldenSource& oracle,
                             const reference::OracleOptions& asked,
                             double share) {
  if (share >= language::kAnyAnswer) return {};
  const bool few = std::all_of(
      base.outputs.begin(), base.outputs.end(),
      [](const auto& out) { return element_count(out.type.sizes) <= kFew; });
  if (few) return {};
  const std::vector<bool> is_related = related_outputs(program, related);
  for (const LazyAnswer& lazy : lazy_answers(base, inputs)) {
    reference::OracleOptions given = asked;
    for (std::size_t k = 0; k < is_related.size(); ++k) {
      if (!is_related[k]) continue;
      given.observed.emplace(program.outputs[k].id, lazy.returned[k]);
    }
    const auto relations = relations_given(related, inputs, oracle, given);
    if (!relations) return relations.error().message;
    if (broken_relation(*relations)) continue;
    return fmt::format(
        "its relations hold of {} as result; choose inputs that tell more",
        lazy.name);
  }
  return {};
}

}  // namespace assay::harness
