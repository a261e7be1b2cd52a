#include "harness/judge/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/judge/show.h"

namespace assay::harness {
namespace {

constexpr std::size_t kMaxOperands = 6;

// Every access in `e` has the one index `pack...`, which stands nowhere else,
// and nothing is reduced.
bool reads_in_place(const language::Expr& e, const std::string& pack) {
  if (e.kind == language::Expr::Kind::reduce) return false;
  if (e.kind == language::Expr::Kind::pack && e.text == pack) return false;
  if (e.kind == language::Expr::Kind::access) {
    return e.args.size() == 2 &&
           e.args[1]->kind == language::Expr::Kind::pack &&
           e.args[1]->text == pack &&
           e.args[0]->kind == language::Expr::Kind::name;
  }
  return std::all_of(
      e.args.begin(), e.args.end(),
      [&](const language::ExprPtr& arg) { return reads_in_place(*arg, pack); });
}

bool is_elementwise(const language::Form& form) {
  if (form.open || form.value.size() != 1) return false;
  const language::Definition& out = form.value.back();
  return out.indices.size() == 1 && out.indices[0].pack && out.body &&
         reads_in_place(*out.body, out.indices[0].name);
}

// Position in `t` of the element that broadcasting puts at `linear`.
std::optional<std::int64_t> broadcast_position(const Tensor& t,
                                               const Shape& sizes,
                                               std::int64_t linear) {
  if (t.sizes().size() > sizes.size()) return std::nullopt;
  const std::size_t extra = sizes.size() - t.sizes().size();
  std::int64_t at = 0, scale = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const std::int64_t index = linear % sizes[d];
    linear /= sizes[d];
    if (d < extra) continue;
    const std::int64_t size = t.sizes()[d - extra];
    if (size != 1 && size != sizes[d]) return std::nullopt;
    if (size != 1) at += index * scale;
    scale *= size;
  }
  return at;
}

}  // namespace

bool is_elementwise(const Program& program, const language::SpecSet& specs) {
  return std::all_of(
      program.nodes.begin(), program.nodes.end(), [&](const Node& node) {
        const language::OpSpec* spec = specs.find_aten(node.op);
        return spec != nullptr &&
               std::all_of(
                   spec->forms.begin(), spec->forms.end(),
                   [](const language::Form& f) { return is_elementwise(f); });
      });
}

std::string show_operands(const std::vector<Tensor>& inputs, const Shape& sizes,
                          std::int64_t linear) {
  if (inputs.size() > kMaxOperands) return {};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto at = broadcast_position(inputs[i], sizes, linear);
    if (!at || inputs[i].numel() == 0) return {};
    parts.push_back(fmt::format(
        "in{}={}", i, show_bits(inputs[i].dtype(), inputs[i].bits(*at))));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace assay::harness
