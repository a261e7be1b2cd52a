#include "suite/language/nest/compile_nest.h"

#include <fmt/format.h>

#include <algorithm>

#include "suite/language/functions/promote.h"
#include "suite/language/nest/value_compiler.h"

namespace assay::language {
namespace {

// Arithmetic operations and functions below a node, reductions' terms aside.
int count_operations(const Nest& nest, int i) {
  using Op = ValueNode::Op;
  if (i < 0) return 0;
  const ValueNode& v = nest.node(i);
  const auto is_zero_constant = [&nest](int n) {
    const ValueNode& c = nest.node(n);
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
      const ReductionNode& r = nest.reduction(v.reduction);
      const int division = r.kind == Reduction::mean ? 1 : 0;
      return division + count_operations(nest, r.body);
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
    case Op::special:
    case Op::rsqrt:
    case Op::round:
      own = 1;
      break;
    default:
      break;
  }
  return own + count_operations(nest, v.a) + count_operations(nest, v.b) +
         count_operations(nest, v.c);
}

// Does anything below a node multiply or divide? Sums alone never underflow.
bool can_underflow(const Nest& nest, int i) {
  using Op = ValueNode::Op;
  if (i < 0) return false;
  const ValueNode& v = nest.node(i);
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
    case Op::special:
    case Op::rsqrt:
    case Op::round:
      return true;
    case Op::reduce: {
      const ReductionNode& r = nest.reduction(v.reduction);
      return r.kind == Reduction::mean || r.kind == Reduction::prod ||
             can_underflow(nest, r.body);
    }
    default:
      return can_underflow(nest, v.a) || can_underflow(nest, v.b) ||
             can_underflow(nest, v.c);
  }
}

class Compiler {
 public:
  Compiler(Nest* nest, TorchVersion torch)
      : nest_(*nest), torch_(torch), scope_(*nest), values_(nest, &scope_) {}

  void compile(std::size_t output) {
    const OutputSpec& out = nest_.binding.form->output(output);
    if (out.value.empty()) throw CompileError{"the form has no value"};
    for (std::size_t i = 0; i < out.value.size(); ++i) {
      definition(out.value[i], i + 1 == out.value.size());
    }
    accuracy(out);
    clauses(out);
  }

  void compile_condition(const Expr& e) {
    scope_.restart(0);
    NestDefinition p;
    p.name = "condition";
    p.body = values_.condition(e);
    nest_.definitions.push_back(std::move(p));
  }

 private:
  void definition(const Definition& d, bool is_out) {
    scope_.restart(nest_.definitions.size());
    NestDefinition p;
    p.name = d.name;
    const auto packs = std::count_if(d.indices.begin(), d.indices.end(),
                                     [](const Binder& b) { return b.pack; });
    const auto singles = static_cast<std::ptrdiff_t>(d.indices.size()) - packs;
    Shape sizes = nest_.type.sizes;
    if (nest_.is_complex) sizes.pop_back();
    const auto rank = static_cast<std::ptrdiff_t>(sizes.size());
    if (is_out &&
        (packs > 1 || singles > rank || (packs == 0 && singles != rank))) {
      throw CompileError{fmt::format(
          "the indices of 'out' do not fit a result of rank {}", rank)};
    }
    for (const Binder& b : d.indices) {
      Shape extents;
      if (is_out) {
        const std::ptrdiff_t n = b.pack ? rank - singles : 1;
        const auto first =
            sizes.begin() + static_cast<std::ptrdiff_t>(p.extents.size());
        extents.assign(first, first + n);
      } else if (!b.to || b.from) {
        throw CompileError{
            fmt::format("index '{}' of definition '{}' needs a range from zero",
                        b.name, d.name)};
      } else {
        extents = b.pack ? scope_.shape(*b.to) : Shape{scope_.integer(*b.to)};
      }
      NestScope::Variable v{b.name, b.pack, {}};
      for (const std::int64_t n : extents) {
        if (n < 0)
          throw CompileError{"a range of '" + d.name + "' is negative"};
        v.slots.push_back(scope_.new_slot());
        p.extents.push_back(n);
      }
      scope_.enter(std::move(v));
    }
    if (is_out && nest_.is_complex) {
      nest_.indices.push_back({IndexNode::Op::slot, scope_.new_slot()});
      values_.set_part(static_cast<int>(nest_.indices.size()) - 1);
      p.extents.push_back(2);
    }
    p.body = values_.value(*d.body);
    nest_.definitions.push_back(std::move(p));
  }

  void accuracy(const OutputSpec& out) {
    const DType t = nest_.type.dtype;
    const Accuracy* chosen = nullptr;
    for (const Accuracy& a : out.accuracy) {
      const auto& list = a.for_dtypes;
      if (!list.empty() &&
          std::find(list.begin(), list.end(), t) == list.end()) {
        continue;
      }
      if (a.torch && !a.torch->contains(torch_)) continue;
      if (a.when && !scope_.truth(*a.when)) continue;
      chosen = &a;
      break;
    }
    if (chosen == nullptr) {
      throw CompileError{fmt::format(
          "no accuracy entry applies to a result of {}", dtype_name(t))};
    }
    using Bound = Accuracy::Bound;
    const bool tolerant =
        chosen->bound == Bound::tolerance || chosen->bound == Bound::dot;
    if (tolerant && !is_float(t)) {
      throw CompileError{chosen->id +
                         " grants a tolerance to an integer result"};
    }
    if (tolerant && is_float8(t)) {
      throw CompileError{
          fmt::format("{}: results in {} are exact, cast or correctly rounded",
                      chosen->id, dtype_name(t))};
    }
    NestAccuracy p;
    p.spec = chosen;
    p.measured = t;
    if (chosen->measured_in == "opmath") {
      p.measured = opmath(t);
    } else if (chosen->measured_in != "result") {
      const auto named = parse_dtype(chosen->measured_in);
      if (!named)
        throw CompileError{"'" + chosen->measured_in + "' is no dtype"};
      p.measured = *named;
    }
    if (tolerant && !is_float(p.measured)) {
      throw CompileError{chosen->id + " is measured in an integer type"};
    }
    // What a definition sees, its accuracy sees too, `out` aside.
    scope_.see_definitions(nest_.definitions.size() - 1);
    p.ulp = optional_value(chosen->ulp);
    p.subnormal_ulp = optional_value(chosen->subnormal_ulp);
    p.absolute = optional_value(chosen->abs);
    p.height = optional_value(chosen->height);
    p.tree = optional_value(chosen->tree);
    p.operations = count_operations(nest_, nest_.out().body);
    p.underflows = can_underflow(nest_, nest_.out().body);
    nest_.accuracy = p;
    nest_.clauses.push_back(nest_.binding.spec->name + "/" + chosen->id);

    nest_.out_of_range = OutOfRange::wraps;
    if (chosen->bound == Bound::cast) {
      for (const auto& [name, a] : nest_.binding.actuals) {
        const auto* tensor = std::get_if<TensorArg>(&a);
        if (tensor != nullptr && is_float(tensor->type.dtype)) {
          nest_.out_of_range = OutOfRange::unspecified;
        }
      }
    }
  }

  void clauses(const OutputSpec& out) {
    const std::string prefix = nest_.binding.spec->name + "/";
    for (const Special& s : out.special) {
      const int when = s.when ? values_.condition(*s.when) : -1;
      nest_.special.push_back({s.id, when, optional_value(s.then)});
      nest_.clauses.push_back(prefix + s.id);
    }
    for (const Undefined& u : out.undefined) {
      nest_.undefined.push_back({u.id, values_.condition(*u.when), -1});
      nest_.clauses.push_back(prefix + u.id);
    }
  }

  int optional_value(const ExprPtr& e) { return e ? values_.value(*e) : -1; }

  Nest& nest_;
  TorchVersion torch_;
  NestScope scope_;
  ValueCompiler values_;
};

}  // namespace

Result<std::unique_ptr<Nest>> compile_nest(Binding binding, TensorType type,
                                           int value, std::size_t output,
                                           TorchVersion torch) {
  auto nest = std::make_unique<Nest>();
  nest->value = value;
  nest->binding = std::move(binding);
  nest->type = components(type);
  nest->is_complex = is_complex(type.dtype);
  try {
    Compiler(nest.get(), torch).compile(output);
  } catch (const CompileError& e) {
    return Error{nest->binding.spec->name + ": the oracle cannot evaluate " +
                 e.message};
  }
  return nest;
}

Result<std::unique_ptr<Nest>> compile_condition(Binding binding,
                                                const Expr& condition) {
  auto nest = std::make_unique<Nest>();
  nest->binding = std::move(binding);
  nest->type.dtype = DType::boolean;
  try {
    Compiler(nest.get(), kDefaultTorch).compile_condition(condition);
  } catch (const CompileError& e) {
    return Error{e.message};
  }
  return nest;
}

}  // namespace assay::language
