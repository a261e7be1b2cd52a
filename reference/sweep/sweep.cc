#include "reference/sweep/sweep.h"

#include <algorithm>
#include <cmath>

#include "suite/language/bind/bind.h"
#include "suite/language/model/value_shape.h"

namespace assay::reference {
namespace {

// An error is a parameter that cannot be swept.
Status check_params(const language::OpSpec& spec) {
  for (const language::Param& p : spec.params) {
    if (p.kind == language::Param::Kind::tensors) {
      return Error{"parameter " + p.name + " is a list of tensors"};
    }
    if (p.shape && (p.shape->size() != 1 || !p.shape->front().pack)) {
      return Error{"parameter " + p.name + " is not of any shape"};
    }
  }
  return success();
}

std::optional<Elementary> sole_function(const Nest& nest) {
  const ValueNode& v = nest.node(nest.out().body);
  if (v.op != ValueNode::Op::elementary) return std::nullopt;
  const ValueNode& x = nest.node(v.a);
  if (x.op != ValueNode::Op::element) return std::nullopt;
  return v.elementary;
}

int width(DType t) { return 8 * size_bytes(t); }

}  // namespace

Result<Sweep> Sweep::open(const language::SpecSet& specs,
                          const SweepRequest& request) {
  const language::OpSpec* spec = specs.find_op(request.op);
  if (spec == nullptr) {
    return Error{"no operation is called " + request.op +
                 " (assay list names them)"};
  }
  const std::string of = request.op + ": ";
  if (!language::is_pointwise(*spec)) {
    return Error{of + "only pointwise operations can be swept"};
  }
  Sweep s;
  s.specs_ = &specs;
  s.request_ = request;
  s.name_ =
      request.op + request.label + "/" + std::string(dtype_name(request.dtype));
  s.dtype_ = request.dtype;
  const Status sweepable = check_params(*spec);
  if (!sweepable) return Error{of + sweepable.error().message};
  const Program program = s.program(1);
  s.operands_ = static_cast<int>(program.inputs.size());
  if (s.operands_ == 0 || s.operands_ * width(s.dtype_) > 32) {
    return Error{of + std::to_string(s.operands_) + " operands of " +
                 std::string(dtype_name(s.dtype_)) +
                 ": a sweep has at most 32 bits of input"};
  }
  PlannedProgram planned;
  const Status valid = s.plan(program, s.tensors(0, 1), &planned);
  if (!valid) return Error{of + valid.error().message};
  s.result_ = planned.plans[0]->type.dtype;
  s.clause_ = planned.plans[0]->clauses.front();
  s.function_ = sole_function(*planned.plans[0]);
  return s;
}

Status Sweep::plan(const Program& program, const std::vector<Tensor>& inputs,
                   PlannedProgram* out) const {
  const auto no_integers = [](int, const TensorType&) {
    return std::optional<Tensor>();
  };
  const Status planned =
      plan_program(program, inputs, *specs_, {}, no_integers, out);
  if (!planned) return planned;
  if (out->refused) {
    return Error{"the call is refused by " + out->refused->clause};
  }
  return success();
}

std::uint64_t Sweep::inputs() const {
  return std::uint64_t{1} << (operands_ * width(dtype_));
}

Program Sweep::program(std::int64_t n) const {
  const language::OpSpec& spec = *specs_->find_op(request_.op);
  Program program;
  std::map<std::string, Arg> given = request_.attrs;
  for (const language::Param& p : spec.params) {
    if (p.kind != language::Param::Kind::tensor || given.contains(p.name))
      continue;
    given[p.name] = ValueRef{static_cast<int>(program.inputs.size())};
    program.inputs.push_back(TensorType::contiguous(request_.dtype, {n}));
  }
  program.nodes.push_back(language::make_call(spec, given));
  program.outputs.push_back({program.first_node_id()});
  return program;
}

TensorType Sweep::result_type(std::int64_t n) const {
  return TensorType::contiguous(result_, {n});
}

std::uint64_t Sweep::operand(std::uint64_t input, int k) const {
  const int shift = (operands_ - 1 - k) * width(dtype_);
  return (input >> shift) & ((std::uint64_t{1} << width(dtype_)) - 1);
}

template <class T>
void Sweep::fill(std::uint64_t first, int k, Tensor* out) const {
  auto* to = reinterpret_cast<T*>(out->storage->data());
  const auto n = static_cast<std::uint64_t>(out->numel());
  const int shift = (operands_ - 1 - k) * width(dtype_);
  for (std::uint64_t i = 0; i < n; ++i) {
    to[i] = static_cast<T>((first + i) >> shift);
  }
}

std::vector<Tensor> Sweep::tensors(std::uint64_t first, std::int64_t n) const {
  std::vector<Tensor> out;
  for (int k = 0; k < operands_; ++k) {
    Tensor t = Tensor::zeros(dtype_, {n});
    if (size_bytes(dtype_) == 4) fill<std::uint32_t>(first, k, &t);
    if (size_bytes(dtype_) == 2) fill<std::uint16_t>(first, k, &t);
    if (size_bytes(dtype_) == 1) fill<std::uint8_t>(first, k, &t);
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace assay::reference
