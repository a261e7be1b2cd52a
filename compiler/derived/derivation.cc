#include "compiler/derived/derivation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/derived/algorithms.h"
#include "compiler/derived/lower_nest.h"
#include "compiler/derived/requirement.h"
#include "compiler/derived/specs.h"
#include "suite/language/bind/bind_program.h"
#include "suite/language/bind/static_eval.h"
#include "suite/language/nest/compile_nest.h"

namespace assay::compiler {
namespace {

using language::BoundNode;
using language::ProgramBinder;

Refusal refusal_by(const BoundNode& node) {
  const language::Requirement& r = *node.broken;
  return {r.raises.empty() ? "RuntimeError" : r.raises.front(),
          node.binding.spec->name + "/" + r.id,
          fmt::format("{} requires {}", node.binding.spec->name,
                      language::to_string(*r.that))};
}

NodeOfValue node_of(const std::vector<NodeId>& values) {
  return [&](int value) { return values[static_cast<std::size_t>(value)]; };
}

// The values of which a requirement of the call reads elements, which are known
// when it runs.
std::set<int> reads_of(const Program& program, const language::OpSpec& spec,
                       const Node& call) {
  std::set<int> ids;
  const auto take = [&](const language::Param* param, const Arg& a) {
    if (param == nullptr || !param->elements_read) return;
    for (const ValueRef ref : operands(a)) {
      if (!program.is_constant(ref)) ids.insert(ref.id);
    }
  };
  for (std::size_t n = 0; n < call.args.size(); ++n) {
    take(n < spec.params.size() ? &spec.params[n] : nullptr, call.args[n]);
  }
  for (const auto& [name, a] : call.kwargs) take(spec.param(name), a);
  return ids;
}

class Contract final : public ValueContract {
 public:
  Contract(Program program, std::set<int> derived, const std::set<int>& read,
           std::set<int> read_inputs)
      : program_(std::move(program)),
        derived_(std::move(derived)),
        read_(read.begin(), read.end()),
        read_inputs_(std::move(read_inputs)) {}

  const std::vector<int>& read_values() const override { return read_; }
  bool reads_input(std::size_t i) const override {
    return read_inputs_.contains(static_cast<int>(i));
  }

  std::optional<Refusal> check(
      const std::vector<Tensor>& inputs,
      const std::vector<Tensor>& computed) const override {
    ProgramBinder binder(
        *specs(), program_, inputs,
        [&](int value, const TensorType&) -> const Tensor* {
          const auto it = std::find(read_.begin(), read_.end(), value);
          return it == read_.end()
                     ? nullptr
                     : &computed[static_cast<std::size_t>(it - read_.begin())];
        });
    auto value =
        static_cast<int>(program_.inputs.size() + program_.constants.size());
    while (!binder.done()) {
      const Result<BoundNode> node = binder.next();
      if (!node) return undecided(value, node.error().message);
      value = node->value + 1;
      if (node->broken == nullptr) continue;
      // What a call lowered by hand requires is that call's own to say.
      if (!derived_.contains(node->value)) return std::nullopt;
      return refusal_by(*node);
    }
    return std::nullopt;
  }

 private:
  // The call was bound before, without elements: with them, a requirement of
  // its cannot be evaluated. No derived code runs unchecked.
  std::optional<Refusal> undecided(int value, const std::string& why) const {
    if (!derived_.contains(value)) return std::nullopt;
    return Refusal{"RuntimeError", "",
                   fmt::format("the requirements of %{} cannot be checked: {}",
                               value, why)};
  }

  Program program_;
  std::set<int> derived_;
  std::vector<int> read_;
  std::set<int> read_inputs_;
};

}  // namespace

struct Derivation::State {
  State(const Program& p, bool d) : program(p), by_definition(d) {}

  // The node of value `id`, of that type, where an algorithm makes it.
  std::optional<NodeId> by_algorithm(int id, const TensorType& type,
                                     const std::vector<NodeId>& values,
                                     Builder* builder) const {
    if (by_definition) return std::nullopt;
    const auto further = further_output(program.node({id}));
    const Node& call = program.node(further ? further->call : ValueRef{id});
    const Algorithm algorithm =
        find_algorithm(call.op, further ? further->output : 0);
    if (algorithm == nullptr) return std::nullopt;
    const CallSite site{call, values, *builder};
    AlgorithmCall asked{site};
    if (further) {
      asked.first = values[static_cast<std::size_t>(further->call.id)];
    }
    const std::optional<NodeId> made = algorithm(asked, *builder);
    const bool fits =
        made && builder->type(*made) == Type{type.dtype, type.sizes};
    return fits ? made : std::nullopt;
  }

  // Binds up to value `id`, which is not refused before.
  Result<BoundNode> bind(int id) {
    if (!binder) binder.emplace(*specs(), program, nothing);
    for (;;) {
      Result<BoundNode> node = binder->next();
      if (!node || node->value == id || node->broken != nullptr) return node;
    }
  }

  // Leaves to the run what requirements of a call say of elements.
  void leave_open(const language::Binding& call,
                  const std::vector<NodeId>& values, Builder* builder) {
    for (const language::Requirement& r : call.spec->requires_) {
      const auto known = language::evaluate_static(*r.that, call);
      if (known && *known == language::StaticValue(true)) continue;
      is_open = true;
      if (!kept) continue;
      std::optional<NodeId> holds;
      // What is broken for certain is refused after those that are open.
      if (!known) {
        holds = lower_requirement(call, *r.that, node_of(values), builder);
      }
      if (holds) kept->push_back(*holds);
      if (!holds) kept.reset();
    }
  }

  const Program& program;
  const bool by_definition;
  const std::vector<Tensor> nothing;  // elements are not known yet
  std::optional<ProgramBinder> binder;
  std::set<int> derived;
  bool is_open = false;  // a requirement is left to the run
  // What those come to; nothing if one has no code.
  std::optional<std::vector<NodeId>> kept = std::vector<NodeId>();
};

Derivation::Derivation(const Program& program, bool by_definition)
    : state_(std::make_unique<State>(program, by_definition)) {}
Derivation::~Derivation() = default;

Lowered Derivation::lower(int id, const std::vector<NodeId>& values,
                          Builder* builder, std::optional<Refusal>* refusal) {
  const Node& call = state_->program.node({id});
  const auto unsupported = [&](const std::string& why) {
    return Lowered{{}, fmt::format("{}: {}", call.op, why)};
  };
  if (!specs()) return unsupported(specs().error().message);
  Result<BoundNode> node = state_->bind(id);
  if (!node) return unsupported(node.error().message);
  if (node->broken != nullptr) {
    *refusal = refusal_by(*node);
    return Lowered{};
  }
  const language::OpSpec& spec = *node->binding.spec;
  if (node->binding.form->output(node->output).open) {
    return unsupported("relations, and no formula, say what its results are");
  }
  state_->derived.insert(id);
  if (!further_output(call) && !reads_of(state_->program, spec, call).empty()) {
    state_->leave_open(node->binding, values, builder);
  }
  const bool makes_complex = is_complex(node->type.dtype);
  if (!makes_complex) {
    if (const std::optional<NodeId> made =
            state_->by_algorithm(id, node->type, values, builder)) {
      return {*made, ""};
    }
  }
  Result<std::unique_ptr<language::Nest>> nest = language::compile_nest(
      std::move(node->binding), node->type, id, node->output);
  if (!nest) return unsupported(nest.error().message);
  const Result<NodeId> made = lower_nest(**nest, node_of(values), builder);
  if (!made) return unsupported(made.error().message);
  Lowered lowered{*made, ""};
  lowered.is_complex = makes_complex;
  return lowered;
}

std::shared_ptr<const ValueContract> Derivation::contract(int end) const {
  if (!state_->is_open) return nullptr;
  // Of every call, those lowered by hand too: the walk to a derived call passes
  // them, and ends at one whose requirements cannot be evaluated.
  std::set<int> inputs, computed;
  ProgramBinder binder(*specs(), state_->program, state_->nothing);
  while (!binder.done()) {
    const Result<BoundNode> node = binder.next();
    if (!node || node->broken != nullptr || node->value >= end) break;
    const Node& call = state_->program.node({node->value});
    if (further_output(call)) continue;
    for (const int read :
         reads_of(state_->program, *node->binding.spec, call)) {
      (state_->program.is_input({read}) ? inputs : computed).insert(read);
    }
  }
  return std::make_shared<const Contract>(state_->program, state_->derived,
                                          computed, std::move(inputs));
}

std::optional<std::vector<NodeId>> Derivation::kept() const {
  return state_->kept;
}

}  // namespace assay::compiler
