#include "reference/compile.h"

#include <algorithm>

#include "reference/compile_scope.h"

namespace assay::reference {
namespace {

// Arithmetic operations and functions below a node, reductions' terms aside.
int count_operations(const NodePlan& plan, int i) {
  using Op = ValueNode::Op;
  if (i < 0) return 0;
  const ValueNode& v = plan.values[static_cast<std::size_t>(i)];
  const auto is_zero_constant = [&plan](int n) {
    const ValueNode& c = plan.values[static_cast<std::size_t>(n)];
    return (c.op == Op::integer && c.integer == 0) ||
           (c.op == Op::real && c.number == 0);
  };
  switch (v.op) {
    case Op::element:
    case Op::inside:
    case Op::index:
    case Op::integer:
    case Op::real:
    case Op::pi:
      return 0;
    case Op::reduce: {
      const Reduction& r =
          plan.reductions[static_cast<std::size_t>(v.reduction)];
      const int division = r.kind == Reduction::Kind::mean ? 1 : 0;
      return division + count_operations(plan, r.body);
    }
    default:
      break;
  }
  int own = 0;
  switch (v.op) {
    case Op::add:
    case Op::sub:
      own = is_zero_constant(v.a) || is_zero_constant(v.b) ? 0 : 1;
      break;
    case Op::mul:
    case Op::div:
    case Op::square:
    case Op::elementary:
    case Op::rsqrt:
    case Op::round:
      own = 1;
      break;
    default:
      break;
  }
  return own + count_operations(plan, v.a) + count_operations(plan, v.b) +
         count_operations(plan, v.c);
}

// Does anything below a node multiply or divide? Sums alone never underflow.
bool can_underflow(const NodePlan& plan, int i) {
  using Op = ValueNode::Op;
  if (i < 0) return false;
  const ValueNode& v = plan.values[static_cast<std::size_t>(i)];
  switch (v.op) {
    case Op::element:
    case Op::inside:
    case Op::index:
    case Op::integer:
    case Op::real:
    case Op::pi:
      return false;
    case Op::mul:
    case Op::div:
    case Op::square:
    case Op::elementary:
    case Op::rsqrt:
    case Op::round:
      return true;
    case Op::reduce: {
      const Reduction& r =
          plan.reductions[static_cast<std::size_t>(v.reduction)];
      return r.kind == Reduction::Kind::mean ||
             r.kind == Reduction::Kind::prod || can_underflow(plan, r.body);
    }
    default:
      return can_underflow(plan, v.a) || can_underflow(plan, v.b) ||
             can_underflow(plan, v.c);
  }
}

}  // namespace

void PlanCompiler::compile(std::size_t output) {
  const OutputSpec& out = plan_.binding.form->output(output);
  if (out.value.empty()) throw CompileError{"the form has no value"};
  for (std::size_t i = 0; i < out.value.size(); ++i) {
    definition(out.value[i], i + 1 == out.value.size());
  }
  accuracy(out);
  clauses(out);
}

void PlanCompiler::definition(const Definition& d, bool is_out) {
  slots_ = 0;
  scope_.clear();
  visible_definitions_ = static_cast<int>(plan_.definitions.size());
  DefinitionPlan p;
  p.name = d.name;
  const auto packs = std::count_if(d.indices.begin(), d.indices.end(),
                                   [](const Binder& b) { return b.pack; });
  const auto singles = static_cast<std::ptrdiff_t>(d.indices.size()) - packs;
  const Shape& sizes = plan_.type.sizes;
  const auto rank = static_cast<std::ptrdiff_t>(sizes.size());
  if (is_out &&
      (packs > 1 || singles > rank || (packs == 0 && singles != rank))) {
    throw CompileError{"the indices of 'out' do not fit a result of rank " +
                       std::to_string(rank)};
  }
  for (const Binder& b : d.indices) {
    Shape extents;
    if (is_out) {
      const std::ptrdiff_t n = b.pack ? rank - singles : 1;
      const auto first =
          sizes.begin() + static_cast<std::ptrdiff_t>(p.extents.size());
      extents.assign(first, first + n);
    } else if (!b.to || b.from) {
      throw CompileError{"index '" + b.name + "' of definition '" + d.name +
                         "' needs a range from zero"};
    } else {
      extents = b.pack ? constant_shape(*b.to) : Shape{constant_integer(*b.to)};
    }
    Entry entry{b.name, b.pack, {}};
    for (const std::int64_t n : extents) {
      if (n < 0) throw CompileError{"a range of '" + d.name + "' is negative"};
      entry.slots.push_back(new_slot());
      p.extents.push_back(n);
    }
    scope_.push_back(std::move(entry));
  }
  p.body = value(*d.body);
  plan_.definitions.push_back(std::move(p));
}

int PlanCompiler::scalar_in_out_scope(const ExprPtr& e) {
  return e ? value(*e) : -1;
}

void PlanCompiler::accuracy(const OutputSpec& out) {
  const DType t = plan_.type.dtype;
  const Accuracy* chosen = nullptr;
  for (const Accuracy& a : out.accuracy) {
    const auto& list = a.for_dtypes;
    if (!list.empty() && std::find(list.begin(), list.end(), t) == list.end()) {
      continue;
    }
    if (a.torch && !a.torch->contains(torch_)) continue;
    if (a.when && !constant_truth(*a.when)) continue;
    chosen = &a;
    break;
  }
  if (chosen == nullptr) {
    throw CompileError{"no accuracy entry applies to a result of " +
                       std::string(dtype_name(t))};
  }
  using Bound = Accuracy::Bound;
  const bool tolerant =
      chosen->bound == Bound::tolerance || chosen->bound == Bound::dot;
  if (tolerant && !is_float(t)) {
    throw CompileError{chosen->id + " grants a tolerance to an integer result"};
  }
  if (tolerant && is_float8(t)) {
    throw CompileError{chosen->id + ": results in " +
                       std::string(dtype_name(t)) +
                       " are exact, cast or correctly rounded"};
  }
  AccuracyPlan p;
  p.spec = chosen;
  p.measured = t;
  if (chosen->measured_in == "opmath") {
    p.measured = opmath(t);
  } else if (chosen->measured_in != "result") {
    const auto named = parse_dtype(chosen->measured_in);
    if (!named) throw CompileError{"'" + chosen->measured_in + "' is no dtype"};
    p.measured = *named;
  }
  if (tolerant && !is_float(p.measured)) {
    throw CompileError{chosen->id + " is measured in an integer type"};
  }
  // What a definition sees, its accuracy sees too, `out` aside.
  visible_definitions_ = static_cast<int>(plan_.definitions.size()) - 1;
  p.ulp = scalar_in_out_scope(chosen->ulp);
  p.subnormal_ulp = scalar_in_out_scope(chosen->subnormal_ulp);
  p.absolute = scalar_in_out_scope(chosen->abs);
  p.height = scalar_in_out_scope(chosen->height);
  p.tree = scalar_in_out_scope(chosen->tree);
  p.operations = count_operations(plan_, plan_.out().body);
  p.underflows = can_underflow(plan_, plan_.out().body);
  plan_.accuracy = p;
  plan_.clauses.push_back(plan_.binding.spec->name + "/" + chosen->id);

  plan_.out_of_range = OutOfRange::wraps;
  if (chosen->bound == Bound::cast) {
    for (const auto& [name, a] : plan_.binding.actuals) {
      const auto* tensor = std::get_if<TensorArg>(&a);
      if (tensor != nullptr && is_float(tensor->type.dtype)) {
        plan_.out_of_range = OutOfRange::unspecified;
      }
    }
  }
}

void PlanCompiler::clauses(const OutputSpec& out) {
  const std::string prefix = plan_.binding.spec->name + "/";
  for (const Special& s : out.special) {
    const int when = scalar_in_out_scope(s.when);
    plan_.special.push_back({s.id, when, scalar_in_out_scope(s.then)});
    plan_.clauses.push_back(prefix + s.id);
  }
  for (const Undefined& u : out.undefined) {
    plan_.undefined.push_back({u.id, scalar_in_out_scope(u.when), -1});
    plan_.clauses.push_back(prefix + u.id);
  }
}

Result<std::unique_ptr<NodePlan>> compile_plan(Binding binding, TensorType type,
                                               int value, std::size_t output,
                                               TorchVersion torch) {
  auto plan = std::make_unique<NodePlan>();
  plan->value = value;
  plan->binding = std::move(binding);
  plan->type = std::move(type);
  try {
    PlanCompiler(plan.get(), torch).compile(output);
  } catch (const CompileError& e) {
    return Error{plan->binding.spec->name + ": the oracle cannot evaluate " +
                 e.message};
  }
  return plan;
}

}  // namespace assay::reference
