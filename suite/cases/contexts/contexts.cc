#include "suite/cases/contexts/contexts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "core/writes.h"
#include "suite/cases/contexts/step_node.h"

namespace assay::cases {
namespace {

constexpr const char* kCall = "op";
constexpr const char* kRest = "rest...";
// Producers that give back what they are given: an even number of negations,
// a cast to the type that the operand has, a copy.
constexpr const char* kNegate = "aten.neg.default";
constexpr const char* kFill = "aten.full_like.default";
constexpr const char* kCast = "aten._to_copy.default";
constexpr const char* kClone = "aten.clone.default";
// Elements of what comes back may be one in memory: nobody writes to them.
constexpr const char* kExpand = "aten.expand.default";

bool mentions(const language::StepArg& arg, const std::string& name) {
  if (const auto* text = std::get_if<std::string>(&arg.value)) {
    return *text == name;
  }
  const auto* list = std::get_if<language::StepArgList>(&arg.value);
  return list != nullptr && std::any_of(list->begin(), list->end(),
                                        [&](const language::StepArg& member) {
                                          return mentions(member, name);
                                        });
}

bool mentions(const language::Step& step, const std::string& name) {
  return std::any_of(
             step.args.begin(), step.args.end(),
             [&](const language::StepArg& a) { return mentions(a, name); }) ||
         std::any_of(step.kwargs.begin(), step.kwargs.end(),
                     [&](const auto& a) { return mentions(a.second, name); });
}

bool any_step(const language::ContextSpec& context, const std::string& name,
              bool calls_too) {
  const bool returned =
      calls_too && std::find(context.returns.begin(), context.returns.end(),
                             name) != context.returns.end();
  return returned ||
         std::any_of(context.steps.begin(), context.steps.end(),
                     [&](const language::Step& s) {
                       return (calls_too || s.op != kCall) && mentions(s, name);
                     });
}

// in0's values in another dtype of the same category, to be cast to it.
DType other_dtype(DType t) {
  switch (t) {
    case DType::f16:
    case DType::bf16:
    case DType::f64:
    case DType::f8e4m3fn:
    case DType::f8e5m2:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0fnu:
      return DType::f32;
    case DType::f32:
      return DType::f64;
    case DType::i64:
    case DType::i16:
    case DType::u16:
    case DType::u32:
    case DType::u64:
    case DType::u8:
    case DType::i8:
      return DType::i32;
    case DType::i32:
      return DType::i64;
    case DType::boolean:
      return DType::u8;
    case DType::c64:
      return DType::c128;
    case DType::c128:
      return DType::c64;
  }
  return t;
}

// What code that computes in it holds such an element in before it is rounded.
DType wider_dtype(DType t) {
  return is_float(t) && float_format(t).storage_bits <= 16 ? DType::f32
                                                           : DType::f64;
}

// Does that dtype hold the elements that were replaced, one by one, too?
bool other_dtype_holds_pokes(const Operand& o) {
  if (is_float(o.dtype) || is_complex(o.dtype)) return true;
  return std::all_of(o.pokes.begin(), o.pokes.end(), [&o](const Poke& p) {
    return holds_integer(other_dtype(o.dtype), p.value.integer);
  });
}

// Assembles the program of one call in one context.
class Builder {
 public:
  Builder(const language::ContextSpec& context, const Call& call,
          std::size_t in0, std::size_t output)
      : context_(context), call_(call), in0_(in0), output_(output) {}

  Result<CaseProgram> run() {
    declare();
    for (const language::Step& step : context_.steps) {
      Result<Node> node =
          step.op == kCall ? call(step) : step_node(step, names_);
      if (!node) return fault(node.error().message);
      ValueRef value{out_.program.value_count()};
      out_.program.nodes.push_back(std::move(*node));
      if (step.op == kCall) {
        if (!call_.spec->writes.empty() && !context_.writes) {
          rename(operands_[*call_.written_operand()], value);
        }
        value = outputs_of(value);
      }
      names_[step.name] = value;
    }
    for (const std::string& name : context_.returns) {
      const auto it = names_.find(name);
      const auto* ref =
          it == names_.end() ? nullptr : std::get_if<ValueRef>(&it->second);
      if (ref == nullptr) return fault("nothing is called '" + name + "'");
      out_.program.outputs.push_back(*ref);
    }
    out_.program.outputs.insert(out_.program.outputs.end(), others_.begin(),
                                others_.end());
    return std::move(out_);
  }

 private:
  Error fault(const std::string& what) const {
    return Error{"context " + context_.name + ": " + what};
  }

  // Names all outputs of the call; the one that plays its result.
  ValueRef outputs_of(ValueRef call) {
    out_.call = call.id;
    std::vector<ValueRef> all = {call};
    for (const ValueRef v :
         add_further_outputs(returned_tensors(call_), &out_.program)) {
      all.push_back(v);
    }
    const ValueRef chosen = all.at(output_);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(output_));
    others_ = std::move(all);
    return chosen;
  }

  // Inputs: the operands in order, in0 only where it is used as itself or
  // (in its place) in another dtype; then the constant.
  // Of operands that lie in one tensor, that is what is declared.
  void declare() {
    const std::vector<const Operand*> operands = call_.operands();
    names_["wider0"] = DType::f64;
    for (std::size_t n = 0; n < operands.size(); ++n) {
      if (n != in0_) {
        operands_.push_back(call_.is_view(n) ? ValueRef{}
                                             : input(*operands[n]));
        continue;
      }
      operands_.emplace_back();  // what op() is given
      const Operand& o = call_.shared ? call_.shared->base : *operands[n];
      names_["dtype0"] = o.dtype;
      names_["wider0"] = wider_dtype(o.dtype);
      names_["shape0"] = o.sizes;
      if (any_step(context_, "in0", true)) names_["in0"] = input(o);
      if (any_step(context_, "cast0", true)) {
        Operand other = o;
        other.dtype = other_dtype(o.dtype);
        if (!check_operand(other)) other.data = default_generator(other.dtype);
        names_["cast0"] = input(other);
      }
    }
    if (any_step(context_, "const0", true)) {
      Operand o = *operands[in0_];
      o.layout = language::Layout::contiguous;
      out_.program.constants.push_back(generate(o));
      names_["const0"] = ValueRef{static_cast<int>(out_.program.inputs.size())};
    }
  }

  ValueRef input(const Operand& o) {
    const ValueRef ref{static_cast<int>(out_.program.inputs.size())};
    out_.program.inputs.push_back(operand_type(o));
    out_.inputs.push_back(o);
    return ref;
  }

  // op(X, rest...): X in in0's place.
  Result<Node> call(const language::Step& step) {
    const auto* rest = step.args.size() == 2
                           ? std::get_if<std::string>(&step.args[1].value)
                           : nullptr;
    if (rest == nullptr || *rest != kRest || !step.kwargs.empty()) {
      return Error{"the call is written op(X, rest...)"};
    }
    if (operands_.empty()) return call_node(call_, {});
    const Result<Arg> first = step_arg(step.args[0], names_);
    if (!first) return first.error();
    std::vector<Arg> operands(operands_.begin(), operands_.end());
    operands[in0_] = *first;
    if (call_.shared) {
      add_views(call_, std::get<ValueRef>(*first), &out_.program, &operands);
      operands_[in0_] = std::get<ValueRef>(operands[in0_]);
    } else if (const auto* ref = std::get_if<ValueRef>(&*first)) {
      operands_[in0_] = *ref;
    }
    return call_node(call_, operands);
  }

  // What is written is no longer what it was: later steps read the result, in
  // contexts that do not look at just that.
  void rename(ValueRef written, ValueRef result) {
    for (auto& [name, value] : names_) {
      const auto* ref = std::get_if<ValueRef>(&value);
      if (ref != nullptr && *ref == written) value = result;
    }
  }

  const language::ContextSpec& context_;
  const Call& call_;
  std::size_t in0_, output_;
  std::vector<ValueRef> others_;
  CaseProgram out_;
  std::vector<ValueRef> operands_;
  StepNames names_;
};

}  // namespace

CaseProgram alone(const Call& call) {
  CaseProgram out;
  out.program = call_program(call);
  for (const Operand* o : call.given()) out.inputs.push_back(*o);
  out.call = out.program.outputs.front().id;
  return out;
}

bool uses_operand(const language::ContextSpec& context) {
  return any_step(context, "in0", false) || any_step(context, "cast0", false);
}

bool casts_operand(const language::ContextSpec& context) {
  return any_step(context, "cast0", false);
}

bool uses_result(const language::ContextSpec& context) {
  return std::any_of(context.steps.begin(), context.steps.end(),
                     [&](const language::Step& s) {
                       return s.op == kCall && any_step(context, s.name, false);
                     });
}

bool is_observer(const language::ContextSpec& context) {
  return uses_result(context) &&
         std::any_of(context.steps.begin(), context.steps.end(),
                     [&](const language::Step& s) {
                       return s.op == kCall &&
                              std::find(context.returns.begin(),
                                        context.returns.end(),
                                        s.name) != context.returns.end();
                     });
}

bool makes_written_operand(const language::ContextSpec& context) {
  return context.writes &&
         std::any_of(context.steps.begin(), context.steps.end(),
                     [](const language::Step& s) {
                       return s.op == kCall && !mentions(s, "in0");
                     });
}

bool is_about_views(const language::OpSpec& spec) {
  const Node call = {spec.aten, {}, {}};
  return may_be_view(call) || copies_view(call);
}

bool writes_beside_call(const language::ContextSpec& context) {
  return std::any_of(context.steps.begin(), context.steps.end(),
                     [](const language::Step& s) {
                       return s.op != kCall && writes_operand({s.op, {}, {}});
                     });
}

bool changes_operand(const language::ContextSpec& context) {
  if (context.writes) return false;
  // From the call backwards, through the steps that made what it is given.
  std::set<std::string> given;
  for (auto s = context.steps.rbegin(); s != context.steps.rend(); ++s) {
    if (s->op != kCall && given.count(s->name) == 0) continue;
    if (s->op != kCall && s->op != kNegate && s->op != kCast &&
        s->op != kClone) {
      return true;
    }
    for (const language::Step& other : context.steps) {
      if (mentions(*s, other.name)) given.insert(other.name);
    }
  }
  return false;
}

bool is_standard(const language::ContextSpec& context) {
  return context.views.value_or(!context.everywhere);
}

bool fills_operand(const language::ContextSpec& context) {
  return std::any_of(context.steps.begin(), context.steps.end(),
                     [](const language::Step& s) { return s.op == kFill; });
}

bool reads_filled(const language::ContextSpec& context, const Call& call,
                  std::size_t in0) {
  if (!fills_operand(context)) return false;
  const auto params = call.operand_params();
  return call.shared.has_value() ||
         (in0 < params.size() && params[in0]->elements_read);
}

bool has_regular_inputs(const Call& call) {
  const auto operands = call.operands();
  return std::none_of(operands.begin(), operands.end(), [](const Operand* o) {
    const language::Generator::Kind kind = o->data->kind;
    return kind == language::Generator::Kind::special ||
           kind == language::Generator::Kind::values ||
           kind == language::Generator::Kind::all_bits;
  });
}

std::string dtype_category(DType t) {
  if (t == DType::boolean) return "bool";
  if (is_complex(t)) return "complex";
  return is_float(t) ? "float" : "int";
}

ContextTraits::ContextTraits(const language::ContextSpec& of)
    : context(&of),
      uses_operand(cases::uses_operand(of)),
      casts_operand(cases::casts_operand(of)),
      changes_operand(cases::changes_operand(of)),
      writes_beside_call(cases::writes_beside_call(of)),
      has_constant(any_step(of, "const0", true)),
      expands(std::any_of(of.steps.begin(), of.steps.end(),
                          [](const auto& s) { return s.op == kExpand; })) {}

bool is_for(const ContextTraits& traits, const language::OpSpec& spec) {
  const language::ContextSpec& context = *traits.context;
  if (context.writes && spec.writes.empty()) return false;
  if (context.resizes && !spec.writes_out()) return false;
  if (!context.writes && !spec.writes.empty() && traits.writes_beside_call) {
    return false;
  }
  return !context.views || *context.views == is_about_views(spec);
}

std::optional<std::size_t> choose_operand(const ContextTraits& traits,
                                          const Call& call,
                                          std::optional<std::size_t> wanted) {
  const language::ContextSpec& context = *traits.context;
  if (!is_for(traits, *call.spec)) return std::nullopt;
  const std::vector<const Operand*> operands = call.operands();
  const bool any = context.applies_to == "any" || !traits.uses_operand;
  const std::optional<std::size_t> written = call.written_operand();
  if (context.writes && (!written || wanted.value_or(*written) != *written)) {
    return std::nullopt;
  }
  if (context.resizes && call.shared) return std::nullopt;
  const bool unchanged = !context.writes && traits.writes_beside_call;
  // A view is of the first operand.
  if (context.views.value_or(false)) {
    if (wanted.value_or(0) != 0) return std::nullopt;
    wanted = 0;
  }
  // Which operand op() is given by itself makes no difference, nor whether it
  // has one.
  if (!traits.uses_operand && !traits.has_constant) {
    if (operands.empty()) return 0;
    wanted = std::nullopt;
  }
  // A captured tensor stays as it is from call to call.
  const bool may_be_written =
      call.spec->writes.empty() || (!traits.has_constant && !traits.expands);
  const auto fits = [&](std::size_t n) {
    // Of operands that lie in one tensor the one that is written stands for it.
    const bool alone = !call.shared || n == written;
    // Nobody writes to what repeats an element.
    const bool repeats = unchanged && n < operands.size() &&
                         operands[n]->layout == language::Layout::expanded;
    return n < operands.size() && alone && !repeats &&
           (!traits.casts_operand || other_dtype_holds_pokes(*operands[n])) &&
           (n == written ? may_be_written : !context.writes) &&
           (any || dtype_category(operands[n]->dtype) == context.applies_to);
  };
  if (wanted) return fits(*wanted) ? wanted : std::nullopt;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    if (fits(n)) return n;
  }
  return std::nullopt;
}

Result<CaseProgram> apply_context(const language::ContextSpec& context,
                                  const Call& call, std::size_t in0,
                                  std::size_t output) {
  return Builder(context, call, in0, output).run();
}

std::optional<std::size_t> choose_output(const language::ContextSpec& context,
                                         const std::vector<DType>& results) {
  if (!uses_result(context) || context.applies_to == "any") return 0;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (dtype_category(results[k]) == context.applies_to) return k;
  }
  return std::nullopt;
}

}  // namespace assay::cases
