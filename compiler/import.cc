#include "compiler/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "compiler/ops/kernels.h"
#include "compiler/ops/operation.h"
#include "compiler/written.h"
#include "core/operands.h"
#include "core/writes.h"

namespace assay::compiler {
namespace {

// What a program sees of defect wrong-error-class.
void change_class(Refusal* refusal) {
  refusal->exception =
      refusal->exception == "RuntimeError" ? "ValueError" : "KeyError";
}

// The same of what derived calls require of values.
class WrongClass final : public ValueContract {
 public:
  explicit WrongClass(std::shared_ptr<const ValueContract> sound)
      : sound_(std::move(sound)) {}

  const std::vector<int>& read_values() const override {
    return sound_->read_values();
  }
  bool reads_input(std::size_t i) const override {
    return sound_->reads_input(i);
  }
  std::optional<Refusal> check(
      const std::vector<Tensor>& inputs,
      const std::vector<Tensor>& computed) const override {
    std::optional<Refusal> refusal = sound_->check(inputs, computed);
    if (refusal) change_class(&*refusal);
    return refusal;
  }

 private:
  std::shared_ptr<const ValueContract> sound_;
};

// No kernel computes in u64: integers are taken for i64 on the way from one
// element type to another.
bool is_unsupported(DType t) { return t == DType::u64; }

// The first element type that is not known here, of a tensor or an argument.
std::optional<DType> unsupported_type(const Program& program) {
  std::vector<DType> types;
  for (const TensorType& t : program.inputs) types.push_back(t.dtype);
  for (const Tensor& t : program.constants) types.push_back(t.dtype());
  const auto add = [&types](const Arg& a) {
    if (const auto* t = std::get_if<DType>(&a)) types.push_back(*t);
  };
  for (const Node& node : program.nodes) {
    for (const Arg& a : node.args) add(a);
    for (const auto& [name, a] : node.kwargs) add(a);
  }
  const auto it = std::find_if(types.begin(), types.end(), is_unsupported);
  return it == types.end() ? std::nullopt : std::optional(*it);
}

// Which values are complex, so far: to the graph they are pairs, tensors with a
// last dimension of 2, and calls that have to do with them are all derived,
// since no lowering by hand knows of that.
class ComplexValues {
 public:
  explicit ComplexValues(const Program& program) {
    for (const TensorType& t : program.inputs) add(is_complex(t.dtype));
    for (const Tensor& t : program.constants) add(is_complex(t.dtype()));
  }
  void add(bool value) { values_.push_back(value); }
  bool are_read(const Node& node) const {
    const std::vector<ValueRef> read = operands(node);
    return std::any_of(read.begin(), read.end(),
                       [&](ValueRef v) { return is(v); });
  }
  bool is(ValueRef v) const { return values_[static_cast<std::size_t>(v.id)]; }

 private:
  std::vector<bool> values_;
};

// Does a call make complex numbers of real ones by a dtype that it is given?
bool asks_for_complex(const Node& node) {
  const auto asks = [](const Arg& a) {
    const auto* t = std::get_if<DType>(&a);
    return t != nullptr && is_complex(*t);
  };
  return std::any_of(node.args.begin(), node.args.end(), asks) ||
         std::any_of(node.kwargs.begin(), node.kwargs.end(),
                     [&](const auto& named) { return asks(named.second); });
}

// An element type that no lowering by hand computes in.
bool is_rare(const Type& t) {
  return is_float8(t.dtype) || t.dtype == DType::u16 || t.dtype == DType::u32;
}

std::vector<Type> types_read(const Node& node,
                             const std::vector<NodeId>& values,
                             const Builder& builder) {
  std::vector<Type> out;
  for (const ValueRef v : operands(node)) {
    out.push_back(builder.type(values[static_cast<std::size_t>(v.id)]));
  }
  return out;
}

// Whether all elements of `index` are within the guard's range.
NodeId within_range(const RangeGuard& guard, Builder* builder) {
  Builder& b = *builder;
  const NodeId i = b.convert(guard.index, DType::i64);
  const auto number = [&](std::int64_t n) {
    return b.integer_scalar(DType::i64, n);
  };
  const NodeId within = b.map(ScalarOp::logical_and,
                              {b.map(ScalarOp::ge, {i, number(0)}),
                               b.map(ScalarOp::lt, {i, number(guard.limit)})});
  if (b.rank(within) == 0) return within;
  Shape all(b.sizes(within).size());
  std::iota(all.begin(), all.end(), 0);
  return b.reshape(b.reduce(Combiner::minimum, within, all), {});
}

// Of range guards those of inputs are looked at where they lie.
std::optional<NodeId> screen_of(const Imported& program,
                                const Derivation& derivation,
                                Builder* builder) {
  std::optional<std::vector<NodeId>> kept = derivation.kept();
  if (!kept) return std::nullopt;
  for (const RangeGuard& g : program.guards) {
    const bool is_input = builder->body.at(g.index).op == Op::input;
    if (is_input || element_count(builder->sizes(g.index)) == 0) continue;
    kept->push_back(within_range(g, builder));
  }
  if (kept->empty()) return std::nullopt;
  NodeId all = kept->front();
  for (const NodeId k : *kept) {
    if (k != all) all = builder->map(ScalarOp::logical_and, {all, k});
  }
  return all;
}

// Does the contract look, after all, at what was there at another time?
bool reads_changed(const ValueContract& contract, const Written& written,
                   const Program& program) {
  const std::vector<int>& read = contract.read_values();
  const auto changed = [&](int id) { return written.has_changed(id); };
  if (std::any_of(read.begin(), read.end(), changed)) return true;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    if (contract.reads_input(i) && changed(static_cast<int>(i))) return true;
  }
  return false;
}

}  // namespace

const char* lowering_name(Lowering lowering) {
  return lowering == Lowering::hand ? "hand" : "derived";
}

Result<Imported> import_program(const Program& program,
                                std::optional<Defect> defect,
                                Lowering lowering) {
  Imported out;
  if (const std::optional<DType> t = unsupported_type(program)) {
    out.unsupported = "elements of type " + std::string(dtype_name(*t));
    return out;
  }
  if (misused_value(program)) {
    out.unsupported = "a value that is used after a write that may be its own";
    return out;
  }
  Builder builder;
  std::vector<NodeId> values;
  for (const TensorType& t : program.inputs) {
    values.push_back(builder.input(components(t)));
  }
  for (const Tensor& t : program.constants) {
    values.push_back(builder.constant(components(t)));
  }
  ComplexValues complex(program);
  Derivation derivation(program, lowering == Lowering::derived);
  // Of calls that were lowered by hand, by their values' numbers.
  std::map<int, std::vector<NodeId>> further;
  const auto derive = [&] {
    out.lowering = Lowering::derived;
    const Lowered made = derivation.lower(static_cast<int>(values.size()),
                                          values, &builder, &out.refusal);
    out.unsupported = made.unsupported;
    if (!made.node) return false;
    values.push_back(*made.node);
    complex.add(made.is_complex);
    return true;
  };
  Written written(
      program, [&](ValueRef v) { return complex.is(v); }, &builder);
  const auto renew = [&](const std::vector<ValueRef>& read) {
    out.unsupported =
        written.renew(read, static_cast<int>(values.size()), &values);
    return out.unsupported.empty();
  };
  const auto follow = [&] {
    out.unsupported = written.follow(values);
    return out.unsupported.empty();
  };
  for (const Node& node : program.nodes) {
    if (!renew(operands(node))) return out;
    if (const auto output = further_output(node)) {
      if (const auto of = further.find(output->call.id); of != further.end()) {
        values.push_back(of->second[output->output - 1]);
        complex.add(false);
        continue;
      }
    }
    const bool by_hand = lowering == Lowering::hand &&
                         !complex.are_read(node) && !asks_for_complex(node);
    const Operation* operation = by_hand ? find_operation(node.op) : nullptr;
    Guards guards(operation == nullptr ? "" : operation->spec,
                  defect == Defect::skip_guard);
    if (operation != nullptr) {
      const std::vector<Type> types = types_read(node, values, builder);
      if (!kernels_exist(operation->spec, types, guards)) {
        out.refusal = guards.refusal();
        break;
      }
      if (!takes_every_type(*operation) &&
          std::any_of(types.begin(), types.end(), is_rare)) {
        operation = nullptr;
      }
    }
    if (operation == nullptr) {
      if (derive() && follow()) continue;
      if (out.refusal) break;
      return out;
    }
    builder.origin = fmt::format("%{} {}", values.size(), node.op);
    const Result<Lowered> lowered = operation->lower(
        {node, values, builder, defect == Defect::wrong_promotion}, guards,
        builder);
    if (!lowered.ok()) return lowered.error();
    if (!lowered->unsupported.empty()) {
      out.unsupported = lowered->unsupported;
      return out;
    }
    out.clauses.insert(out.clauses.end(), guards.asked().begin(),
                       guards.asked().end());
    out.refusal = guards.refusal();
    if (out.refusal) break;
    for (const RangeGuard& g : guards.range_guards()) out.guards.push_back(g);
    if (lowered->is_left) {
      if (derive() && follow()) continue;
      if (out.refusal) break;
      return out;
    }
    if (!lowered->further.empty()) {
      further.emplace(static_cast<int>(values.size()), lowered->further);
    }
    values.push_back(*lowered->node);
    complex.add(false);
    if (!follow()) return out;
  }
  if (!out.refusal) {
    if (!renew(program.outputs)) return out;
    for (const ValueRef v : program.outputs) {
      const NodeId o = values[static_cast<std::size_t>(v.id)];
      builder.body.outputs.push_back(o);
      out.outputs.push_back(builder.type(o));
      out.complex_outputs.push_back(complex.is(v));
    }
  }
  for (const RangeGuard& g : out.guards) {
    builder.body.outputs.push_back(g.index);
  }
  if (defect != Defect::skip_guard) {
    out.contract = derivation.contract(static_cast<int>(values.size()));
  }
  if (out.contract && reads_changed(*out.contract, written, program)) {
    out.unsupported = "a requirement on elements that are written over";
    return out;
  }
  if (out.contract) {
    for (const int id : out.contract->read_values()) {
      builder.body.outputs.push_back(values[static_cast<std::size_t>(id)]);
    }
  }
  if (!out.refusal && !defect) {
    const auto screen = screen_of(out, derivation, &builder);
    out.is_screened = screen.has_value();
    if (screen) builder.body.outputs.push_back(*screen);
  }
  if (defect == Defect::wrong_error_class) {
    if (out.refusal) change_class(&*out.refusal);
    for (RangeGuard& g : out.guards) change_class(&g.refusal);
    if (out.contract) {
      out.contract = std::make_shared<const WrongClass>(out.contract);
    }
  }
  out.body = std::move(builder.body);
  out.ledger = std::move(builder.ledger);
  return out;
}

}  // namespace assay::compiler
