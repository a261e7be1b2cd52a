#include "harness/faults/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/float_bits.h"
#include "core/operands.h"
#include "core/program_text.h"
#include "core/writes.h"
#include "harness/faults/memory.h"
#include "harness/faults/strides.h"
#include "reference/golden/admits.h"
#include "suite/language/bind/layout.h"

namespace assay::harness::faults {
namespace {

std::uint64_t nearest(const reference::GoldenOutput& golden, std::int64_t i) {
  const DType t = golden.type.dtype;
  const reference::ElementSet& set =
      golden.elements[static_cast<std::size_t>(i)];
  if (set.unspecified) return 0;
  if (!is_float(t)) return set.has_values ? set.lo : 0;
  if (!set.has_values) return quiet_nan_bits(t);
  const double exact = golden.exact[static_cast<std::size_t>(i)];
  const std::uint64_t rounded = encode_float(t, exact);
  if (is_nan_bits(t, rounded)) return set.lo;
  const std::uint64_t inside = from_ordinal(
      t,
      std::clamp(ordinal(t, rounded), ordinal(t, set.lo), ordinal(t, set.hi)));
  return reference::admits(set, t, inside) ? inside : set.lo;
}

Tensor nearest(const reference::GoldenOutput& golden) {
  Tensor t = Tensor::zeros(golden.type.dtype, golden.type.sizes);
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    t.set_bits(i, nearest(golden, i));
  }
  t.type = golden.returned();
  return t;
}

std::string bytes_of(const Tensor& whole) {
  const Tensor t = components(whole);
  std::string out;
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    const std::uint64_t bits = t.bits(i);
    out.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  return out;
}

Observation raised(const reference::GoldenError& due) {
  Observation o;
  o.kind = Observation::Kind::raised;
  o.error = {due.raises.front(),
             {due.raises.front()},
             due.clause,
             due.message,
             due.phase.empty() ? "run" : due.phase};
  return o;
}

// Faults know nothing of complex numbers: they see pairs of real ones.
template <class Change>
void change_parts(std::vector<Tensor>* tensors, Change change) {
  std::vector<Tensor> parts = components(*tensors);
  change(&parts);
  for (std::size_t n = 0; n < tensors->size(); ++n) {
    const Tensor& whole = (*tensors)[n];
    if (is_complex(whole.dtype())) {
      const Tensor changed = Tensor::zeros(whole.dtype(), whole.sizes());
      Tensor to = components(changed);
      for (std::int64_t i = 0; i < to.numel(); ++i) {
        to.set_bits(i, parts[n].bits(i));
      }
      (*tensors)[n] = changed;
    } else {
      (*tensors)[n] = parts[n];
    }
  }
}

// Takes in the last value; a fault of ours is an observation.
bool follow(Memory* memory, std::vector<Tensor>* values,
            Observation* observed) {
  const Status followed = memory->follow(values);
  if (followed) return true;
  observed->kind = Observation::Kind::malformed;
  observed->detail = followed.error().message;
  return false;
}

}  // namespace

Result<RightAnswers::Answer> RightAnswers::of(
    const Node& node, const std::vector<Tensor>& operands,
    std::size_t outputs) {
  Program p;
  for (const Tensor& t : operands) p.inputs.push_back(t.type);
  int next = 0;
  Node own = node;
  for_each_operand(&own, [&](ValueRef& v) { v.id = next++; });
  p.nodes.push_back(own);
  std::string key = to_text(p) + std::to_string(outputs);
  for (const Tensor& t : operands) key += bytes_of(t);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  Result<Answer> answer = ask(own, operands, outputs);
  if (answer) known_.emplace(std::move(key), *answer);
  return answer;
}

Result<RightAnswers::Answer> RightAnswers::ask(
    const Node& node, const std::vector<Tensor>& operands,
    std::size_t outputs) const {
  Program p;
  for (const Tensor& t : operands) p.inputs.push_back(t.type);
  const ValueRef call{p.value_count()};
  p.nodes.push_back(node);
  p.outputs = {call};
  for (const ValueRef v : add_further_outputs(outputs, &p)) {
    p.outputs.push_back(v);
  }
  reference::OracleOptions options;
  options.torch = torch_;
  const Result<reference::Golden> golden = oracle_.golden(p, operands, options);
  if (!golden) return golden.error();
  Answer answer;
  answer.error = golden->error;
  if (answer.error) return answer;
  answer.outputs.push_back(nearest(golden->outputs[0]));
  if (outputs == 1) return answer;
  // The other outputs depend on what was chosen for the first.
  options.observed.emplace(call.id, answer.outputs[0]);
  const Result<reference::Golden> rest = oracle_.golden(p, operands, options);
  if (!rest) return rest.error();
  for (std::size_t k = 1; k < outputs; ++k) {
    answer.outputs.push_back(nearest(rest->outputs[k]));
  }
  return answer;
}

std::vector<ReturnedLayout> RightAnswers::layouts(
    const Program& program, const std::vector<Tensor>& outputs) const {
  const auto promised = language::promised_strides(specs_, program);
  const Storages storages(program);
  std::vector<ReturnedLayout> all;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const language::Strides known =
        promised ? (*promised)[k] : language::Strides();
    all.push_back({known.value_or(contiguous_strides(outputs[k].sizes())), 0,
                   storages.root(program.outputs[k].id)});
  }
  return all;
}

Result<Identity> FaultySubject::identify() {
  Identity identity;
  identity.column =
      (fault_ == nullptr ? std::string("right") : fault_->name) + "/cpu";
  return identity;
}

Observation FaultySubject::run(const Program& program,
                               const std::vector<Tensor>& inputs,
                               const std::vector<TensorType>&,
                               std::chrono::milliseconds) {
  std::vector<Tensor> values = inputs;
  values.insert(values.end(), program.constants.begin(),
                program.constants.end());
  Observation o;
  o.torch = right_->torch();
  if (!compute(program, &values, &o)) return o;
  o.layouts = right_->layouts(program, o.outputs);
  if (fault_ != nullptr && fault_->layouts) {
    fault_->layouts(o.outputs, &o.layouts);
  }
  if (fault_ != nullptr) {
    std::vector<Shape> sizes;
    for (const Tensor& t : o.outputs) sizes.push_back(t.sizes());
    spoil_strides(program, fault_->op, fault_->strides, sizes, &o.layouts);
  }
  return o;
}

bool FaultySubject::compute(const Program& program, std::vector<Tensor>* values,
                            Observation* observed) {
  std::map<int, Outputs> calls;
  Memory::Wrong wrong;
  if (fault_ != nullptr) wrong = {fault_->op, fault_->writes, fault_->memory};
  Memory memory(program, std::move(wrong),
                [&](const Node& node, const std::vector<Tensor>& read,
                    std::size_t count) -> Result<std::vector<Tensor>> {
                  Result<RightAnswers::Answer> answer =
                      right_->of(node, read, count);
                  if (!answer) return answer.error();
                  if (answer->error) return Error{answer->error->clause};
                  return answer->outputs;
                });
  for (const Node& node : program.nodes) {
    const int id = static_cast<int>(values->size());
    if (const auto further = further_output(node)) {
      values->push_back(calls.at(further->call.id)[further->output]);
      if (!follow(&memory, values, observed)) return false;
      continue;
    }
    std::vector<Tensor> operands;
    for (const ValueRef v : assay::operands(node)) {
      operands.push_back(memory.seen(v.id, id, *values));
    }
    const Fault* fault =
        fault_ != nullptr && fault_->op == node.op ? fault_ : nullptr;
    if (fault != nullptr && fault->operands) {
      change_parts(&operands, [&](std::vector<Tensor>* parts) {
        fault->operands(node, parts);
      });
    }
    RightAnswers* answers =
        fault != nullptr && fault->definition ? fault->definition : right_;
    Result<RightAnswers::Answer> right =
        answers->of(node, operands, output_count(program, {id}));
    if (!right) {
      observed->kind = Observation::Kind::malformed;
      observed->detail = right.error().message;
      return false;
    }
    const Call call{program, node, *values, operands};
    if (right->error) {
      *observed = fault != nullptr && fault->refusal
                      ? fault->refusal(call, *right->error)
                      : raised(*right->error);
      return false;
    }
    Outputs outputs;
    for (const Tensor& t : right->outputs) outputs.push_back(t.contiguous());
    if (fault != nullptr && fault->outputs) {
      change_parts(&outputs,
                   [&](Outputs* parts) { fault->outputs(call, parts); });
    }
    values->push_back(outputs[0]);
    calls.emplace(id, std::move(outputs));
    if (!follow(&memory, values, observed)) return false;
  }
  for (const ValueRef v : program.outputs) {
    observed->outputs.push_back(
        memory.seen(v.id, program.value_count(), *values));
  }
  return true;
}

}  // namespace assay::harness::faults
