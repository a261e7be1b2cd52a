#include "suite/language/bind/bind_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/operands.h"

namespace assay::language {
namespace {

// Runs `visit` on every operand of a call and its parameter, null where the
// call gives more arguments than there are.
template <class Visit>
void each_operand(const OpSpec& spec, const Node& call, Visit visit) {
  const auto take = [&](const Param* param, const Arg& a) {
    for (const ValueRef ref : operands(a)) visit(ref, param);
  };
  for (std::size_t n = 0; n < call.args.size(); ++n) {
    take(n < spec.params.size() ? &spec.params[n] : nullptr, call.args[n]);
  }
  for (const auto& [name, a] : call.kwargs) take(spec.param(name), a);
}

// The operands of which a requirement reads elements.
std::set<int> read_operands(const OpSpec& spec, const Node& call) {
  std::set<int> ids;
  each_operand(spec, call, [&](ValueRef ref, const Param* param) {
    if (param != nullptr && param->elements_read) ids.insert(ref.id);
  });
  return ids;
}

}  // namespace

ProgramBinder::ProgramBinder(const SpecSet& specs, const Program& program,
                             const std::vector<Tensor>& inputs,
                             ElementReader reader)
    : specs_(specs),
      program_(program),
      inputs_(inputs),
      reader_(std::move(reader)),
      value_count_(static_cast<std::size_t>(program.value_count())),
      storages_(program),
      types_(program.inputs) {
  for (const Tensor& t : program.constants) types_.push_back(t.type);
  const auto asks = [&specs](const Node& node) {
    const OpSpec* spec = specs.find_aten(node.op);
    return writes_operand(node) || (spec != nullptr && spec->places_read);
  };
  if (std::any_of(program.nodes.begin(), program.nodes.end(), asks)) {
    places_.emplace(program, storages_);
  }
}

Result<BoundNode> ProgramBinder::next() {
  BoundNode out;
  out.value = static_cast<int>(types_.size());
  const Node& node = program_.node({out.value});
  const auto further = further_output(node);
  const Status bound =
      further ? bind_output(*further, &out) : bind_call_of(node, &out);
  if (!bound) {
    return Error{
        fmt::format("%{} = {}: {}", out.value, node.op, bound.error().message)};
  }
  if (out.broken != nullptr) return out;
  if (places_) {
    const Status placed = places_->follow(out.binding, out.output, out.type);
    if (!placed) return placed.error();
  }
  types_.push_back(out.type);
  return out;
}

// The call's own binding, with the outputs that this one reads in scope.
Status ProgramBinder::bind_output(const FurtherOutput& further,
                                  BoundNode* out) {
  const auto call = calls_.find(further.call.id);
  if (call == calls_.end()) return Error{"getitem of no call before it"};
  out->binding = call->second;
  out->output = further.output;
  const Form& form = *out->binding.form;
  const std::size_t count = form.output_count();
  const bool is_relation = !form.relations.empty() && further.output >= count;
  // Members of a list do not read one another.
  const std::size_t first = is_relation ? count : form.is_list() ? 0 : 1;
  std::vector<TensorArg> read;
  for (std::size_t k = 0; k < first; ++k) {
    const std::optional<ValueRef> ref = output_value(program_, further.call, k);
    if (!ref || ref->id >= out->value) {
      return Error{
          fmt::format("it reads output {}, which nothing before it "
                      "names",
                      k)};
    }
    TensorArg arg;
    arg.type = types_[static_cast<std::size_t>(ref->id)];
    arg.ref = *ref;
    read.push_back(std::move(arg));
  }
  Result<TensorType> type =
      bind_further(further.output, std::move(read), &out->binding);
  if (!type) return type.error();
  out->type = std::move(*type);
  return success();
}

// Where a view stands for the memory in which it lies, the call is one of the
// value that the memory was made for, if that fills it: what lies beside the
// view is known then.
std::optional<Node> ProgramBinder::with_memory(const OpSpec& spec,
                                               const Node& call) const {
  const auto stands = [](const Param& p) { return !p.memory_from.empty(); };
  const auto param =
      std::find_if(spec.params.begin(), spec.params.end(), stands);
  const auto at = static_cast<std::size_t>(param - spec.params.begin());
  if (!places_ || at >= std::min(spec.params.size(), call.args.size())) {
    return std::nullopt;
  }
  const auto* view = std::get_if<ValueRef>(&call.args[at]);
  if (view == nullptr || view->id < 0 ||
      static_cast<std::size_t>(view->id) >= types_.size()) {
    return std::nullopt;
  }
  const std::optional<Place>& place = places_->of(*view);
  if (!place || place->count == 0 || place->storage == place->tensor) {
    return std::nullopt;
  }
  const auto dtype_of = [this](int id) {
    return types_[static_cast<std::size_t>(id)].dtype;
  };
  if (dtype_of(view->id) != dtype_of(place->storage)) return std::nullopt;
  Node whole = call;
  whole.args[at] = ValueRef{place->storage};
  const auto from = static_cast<std::size_t>(spec.param(param->memory_from) -
                                             spec.params.data());
  const auto named = std::find_if(
      whole.kwargs.begin(), whole.kwargs.end(),
      [&](const auto& arg) { return arg.first == param->memory_from; });
  Arg* given = from < whole.args.size()      ? &whole.args[from]
               : named != whole.kwargs.end() ? &named->second
                                             : nullptr;
  if (given == nullptr) {
    whole.kwargs.emplace_back(param->memory_from, place->first);
  } else if (std::holds_alternative<None>(*given)) {
    *given = place->first;
  }
  return whole;
}

Status ProgramBinder::bind_call_of(const Node& written, BoundNode* out) {
  const OpSpec* spec = spec_of_call(specs_, written, [&](ValueRef v) {
    return v.id >= 0 && v.id < out->value &&
           is_complex(types_[static_cast<std::size_t>(v.id)].dtype);
  });
  if (spec == nullptr) {
    return Error{"no spec describes this operation; add one to specs/ops"};
  }
  const std::optional<Node> whole = with_memory(*spec, written);
  const Node& node = whole ? *whole : written;
  const std::set<int> read = read_operands(*spec, node);
  std::map<int, TensorArg> values;
  bool defined = true;
  each_operand(*spec, node, [&](ValueRef ref, const Param*) {
    defined = defined && ref.id >= 0 && ref.id < out->value;
    if (!defined) return;
    values[ref.id] = {types_[static_cast<std::size_t>(ref.id)],
                      elements_of(ref.id, read.contains(ref.id)), ref,
                      places_ ? places_->of(ref) : std::nullopt};
  });
  if (!defined) return Error{"an operand is not defined"};
  const ValueRef* base = base_operand(node);
  if (base && writes_operand(node)) {
    const auto into = values.find(base->id);
    writes_twice_ = writes_twice_ ||
                    (into != values.end() && may_share_elements(into->second));
  }
  Result<Binding> bound = bind_call(*spec, node, values);
  if (!bound) return bound.error();
  out->binding = std::move(*bound);
  const Result<const Requirement*> broken = first_violation(out->binding);
  if (!broken && reader_) return broken.error();
  undecided_ = undecided_ || !broken;
  out->broken = broken ? *broken : nullptr;
  if (out->broken != nullptr) return success();
  const Status formed = select_form(&out->binding);
  if (!formed) return formed;
  Result<TensorType> type = infer_result(out->binding);
  if (!type) return type.error();
  out->type = std::move(*type);
  const Status resized = check_resized(node, *out);
  if (!resized) return resized;
  const Result<std::size_t> outputs = bound_outputs(out->binding);
  if (!outputs) return outputs.error();
  if (!names_outputs(*out->binding.form, *outputs, {out->value})) {
    return Error{fmt::format(
        "it has {} outputs, which the program does not name", *outputs)};
  }
  if (*outputs > 1 || !out->binding.form->relations.empty()) {
    calls_.emplace(out->value, out->binding);
  }
  return success();
}

// Of a list, each member has a name; of several outputs the first and another
// one, beside which relations may be asked for.
bool ProgramBinder::names_outputs(const Form& form, std::size_t count,
                                  ValueRef call) const {
  std::size_t named = 1;
  for (std::size_t k = 1; k < count; ++k) {
    if (output_value(program_, call, k)) ++named;
  }
  // Relations are named as if they were further outputs.
  if (!form.relations.empty()) return count == 1 || named > 1;
  const std::size_t last = output_count(program_, call);
  return form.is_list() ? named == count && last <= count
                        : (count > 1) == (last > 1);
}

Status ProgramBinder::check_resized(const Node& node,
                                    const BoundNode& out) const {
  if (!writes_operand(node)) return success();
  const ValueRef written = *base_operand(node);
  const auto& old = types_[static_cast<std::size_t>(written.id)].sizes;
  if (old == out.type.sizes) return success();
  const auto is_old = [&](ValueRef v) {
    return v.id < out.value &&
           storages_.root(v.id) == storages_.root(out.value);
  };
  bool known = storages_.root(written.id) != written.id;
  for (int id = out.value + 1; id < program_.value_count(); ++id) {
    const auto read = assay::operands(program_.node({id}));
    known = known || std::any_of(read.begin(), read.end(), is_old);
  }
  known = known ||
          std::any_of(program_.outputs.begin(), program_.outputs.end(), is_old);
  if (!known) return success();
  return Error{"what is given other sizes is a view, or read afterwards"};
}

const Tensor* ProgramBinder::elements_of(int id, bool read) {
  const ValueRef ref{id};
  const auto n = static_cast<std::size_t>(id);
  const int reader = static_cast<int>(types_.size());
  if (program_.is_input(ref) && storages_.written(id, reader) == id) {
    const bool known = n < inputs_.size() && inputs_[n].storage != nullptr;
    return known ? &inputs_[n] : nullptr;
  }
  if (program_.is_constant(ref)) {
    return &program_.constants[n - program_.inputs.size()];
  }
  return read && reader_ ? reader_(id, types_[n]) : nullptr;
}

Result<ProgramTypes> type_program(const SpecSet& specs, const Program& program,
                                  const std::vector<Tensor>& inputs) {
  ProgramBinder binder(specs, program, inputs);
  ProgramTypes out;
  while (!binder.done() && out.refused.empty()) {
    const Result<BoundNode> node = binder.next();
    if (!node) return node.error();
    if (node->broken != nullptr) {
      out.refused = node->binding.spec->name + "/" + node->broken->id;
    }
  }
  out.types = binder.types();
  out.undecided = binder.undecided();
  out.writes_twice = binder.writes_twice();
  return out;
}

}  // namespace assay::language
