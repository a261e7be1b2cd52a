#include "suite/cases/expand/op_cases.h"

#include <algorithm>
#include <utility>

#include "core/writes.h"
#include "suite/cases/path.h"
#include "suite/cases/quota.h"
#include "suite/language/bind/relations.h"
#include "suite/language/model/value_shape.h"

namespace assay::cases {
namespace {

// Does the program convert floats to integers behind the call? For infinity
// and NaN that means nothing.
bool converts_to_integer(const CaseProgram& made,
                         const language::ProgramTypes& types) {
  const auto type = [&](ValueRef v) {
    return types.types[static_cast<std::size_t>(v.id)].dtype;
  };
  ValueRef value{made.program.first_node_id()};
  for (const Node& node : made.program.nodes) {
    const auto* from =
        node.args.empty() ? nullptr : std::get_if<ValueRef>(&node.args[0]);
    if (value.id > made.call && !further_output(node) &&
        is_integer(type(value)) && from != nullptr && is_float(type(*from))) {
      return true;
    }
    ++value.id;
  }
  return false;
}

// Does a requirement read elements of a float operand?
bool reads_floats(const Call& call) {
  const auto operands = call.operands();
  const auto params = call.operand_params();
  for (std::size_t n = 0; n < operands.size(); ++n) {
    if (params[n]->elements_read && is_float(operands[n]->dtype)) return true;
  }
  return false;
}

std::vector<BaseCase> limited(std::vector<BaseCase> bases) {
  if (bases.size() <= kFullAlone) return bases;
  std::vector<Candidate> candidates;
  for (const BaseCase& b : bases) {
    candidates.push_back(describe_base(b));
    auto& features = candidates.back().features;
    features.emplace_back("types " + dtype_segment(b.call), 3);
    features.emplace_back(b.clause + " " + shape_segment(b.call), 3);
    if (b.boundary) features.emplace_back(b.path, 100);
  }
  std::vector<std::size_t> kept = select_varied(candidates, kFullAlone, true);
  std::sort(kept.begin(), kept.end());
  std::vector<BaseCase> out;
  for (const std::size_t n : kept) out.push_back(std::move(bases[n]));
  return out;
}

// The share of a case whose results all may admit a lazy answer.
constexpr double kNothingAsked = 1.0;

// Of an operation that writes: what its values tell is settled by the cases of
// the operation that does not, which have the same inputs.
double vacuous_share(const BaseCase& b) {
  return b.call.spec->writes.empty() ? b.vacuous : kNothingAsked;
}

bool is_undefined(const language::OutputSpec& out) {
  return !out.open &&
         std::any_of(out.undefined.begin(), out.undefined.end(),
                     [](const language::Undefined& u) {
                       return u.when->kind == language::Expr::Kind::name &&
                              u.when->text == "true";
                     });
}

// Do the sizes of what the call returns hang on elements of its operands?
bool sizes_depend(const Call& call) {
  if (!call.spec->sizes_depend()) return false;
  Result<BoundCall> bound = bind(call);
  return bound && language::select_form(&bound->binding) &&
         bound->binding.form->sizes_depend;
}

// Neighbours in a pack would answer for what is something else each time.
bool can_be_packed(const language::OpSpec& spec) {
  return std::none_of(spec.forms.begin(), spec.forms.end(), is_undefined);
}

Case case_alone(const BaseCase& b) {
  CaseNames names;
  names.path = b.path;
  names.spec = b.call.spec->name;
  names.clause = b.clause;
  Case c = make_case(names, alone(b.call));
  c.vacuous = vacuous_share(b);
  c.unbiased = b.unbiased;
  c.packable = c.packable && can_be_packed(*b.call.spec);
  return c;
}

}  // namespace

// Another value of the operand shows something new only where elements are
// combined or a group asks for it.
OpCases::OpCases(const language::SpecSet& specs, const language::OpSpec& spec)
    : specs_(specs), spec_(spec) {
  const bool combines = language::has_reduction(spec);
  for (const language::ContextSpec& context : specs.contexts) {
    const ContextTraits traits(context);
    if (!is_for(traits, spec)) continue;
    const bool told = combines || context.named || context.everywhere;
    if (!traits.changes_operand || told) contexts_.push_back(traits);
  }
}

Case* OpCases::find(const std::string& path) {
  const auto it = index_.find(path);
  return it == index_.end() ? nullptr : &cases_[it->second];
}

void OpCases::add(Case c) {
  if (!index_.emplace(c.path, cases_.size()).second) {
    errors_.push_back(spec_.file + ": two cases would be called " + c.path +
                      ": change a case group, or remove one of them");
    return;
  }
  cases_.push_back(std::move(c));
}

void OpCases::add_valid() {
  BaseCases made = base_cases(spec_);
  bases_ = limited(std::move(made.cases));
  errors_ = std::move(made.errors);
  for (const BaseCase& b : bases_) add(case_alone(b));
}

void OpCases::add_bases(std::vector<BaseCase> more) {
  for (BaseCase& b : more) bases_.push_back(std::move(b));
}

void OpCases::add_alone(std::size_t base) {
  const BaseCase& b = bases_[base];
  if (find(b.path) == nullptr) add(case_alone(b));
}

bool OpCases::add_placed(const Placement& c) {
  const BaseCase& b = bases_[c.host];
  const std::string path = path_of(c);
  if (find(path) != nullptr) return true;
  Result<CaseProgram> made =
      apply_context(c.context(), b.call, c.in0, c.output);
  if (!made) {
    errors_.push_back(path + ": " + made.error().message);
    return false;
  }
  // What may be a copy or a view cannot be told apart behind a write.
  if (misused_value(made->program)) return false;
  const Result<language::ProgramTypes> types = types_of(*made);
  // Sizes are not known where they hang on what a step computes.
  if (!types && sizes_depend(b.call)) return false;
  if (!types) {
    errors_.push_back(path + ": " + types.error().message);
    return false;
  }
  if (!types->refused.empty() || types->writes_twice) return false;
  // Relations are asked of what comes back.
  if (spec_.has_relations() &&
      !language::related_program(specs_, made->program)) {
    return false;
  }
  if (!has_regular_inputs(b.call) && converts_to_integer(*made, *types)) {
    return false;
  }
  CaseNames names;
  names.path = path;
  names.spec = spec_.name;
  names.clause = b.clause;
  names.context = c.context().name;
  Case placed = make_case(names, std::move(*made));
  // A call that reads one number may return no other.
  const bool asks_nothing =
      c.traits->writes_beside_call || fills_operand(c.context());
  placed.vacuous = asks_nothing ? kNothingAsked : vacuous_share(b);
  add(std::move(placed));
  return true;
}

bool OpCases::add_control(const Placement& c) {
  const std::string path = path_of(c);
  if (find(path) != nullptr) return true;
  if (!add_placed(c)) return false;
  find(path)->vacuous = kNothingAsked;
  return true;
}

std::string OpCases::path_of(const Placement& c) const {
  const BaseCase& b = bases_[c.host];
  return path_below(b.path, context_segment(*c.traits, b.call, c.in0));
}

std::optional<std::size_t> OpCases::suits(
    const ContextTraits& traits, const Call& call,
    const std::vector<DType>& results) const {
  // Another value of the operand is as good as the case's own only where that
  // came from a distribution. A requirement on it needs to know it exactly.
  if (traits.changes_operand &&
      (!has_regular_inputs(call) || reads_floats(call))) {
    return std::nullopt;
  }
  return choose_output(*traits.context, results);
}

Result<language::ProgramTypes> OpCases::types_of(
    const CaseProgram& made) const {
  std::vector<Tensor> inputs;
  if (spec_.reads_elements()) inputs = generate_all(made.inputs);
  return language::type_program(specs_, made.program, inputs);
}

void OpCases::finish(Expansion* out) {
  for (Case& c : cases_) out->cases.push_back(std::move(c));
  out->errors.insert(out->errors.end(), errors_.begin(), errors_.end());
}

std::vector<DType> result_dtypes(const Call& call) {
  Result<BoundCall> bound = bind(call);
  if (!bound || !language::select_form(&bound->binding)) return {};
  std::vector<DType> dtypes;
  const Result<std::size_t> count = language::bound_outputs(bound->binding);
  if (!count) return {};
  for (std::size_t k = 0; k < *count; ++k) {
    const Result<TensorType> type = language::infer_result(bound->binding, k);
    if (!type) return {};
    dtypes.push_back(type->dtype);
  }
  return dtypes;
}

// Single elements and whole vectors show less of a compiler than a vector
// with a tail, empty tensors least. f32 is the type that all compilers have
// most code for, f16 and bf16 come next.
int input_bonus(const Call& call) {
  const std::int64_t numel = call.numel();
  int bonus = numel < 3 ? 0 : 2;
  if (numel > 16 && numel % 16 != 0) ++bonus;
  const std::string types = dtype_segment(call);
  if (types.find("f32") != std::string::npos) return bonus + 2;
  return types.find("f16") != std::string::npos ? bonus + 1 : bonus;
}

Candidate describe_base(const BaseCase& b) {
  Candidate c{b.path, {{"clause " + b.clause, 4}}, input_bonus(b.call)};
  for (const Operand* o : b.call.operands()) {
    c.features.emplace_back(std::to_string(c.features.size()) + " " +
                                std::string(dtype_name(o->dtype)),
                            2);
  }
  c.features.emplace_back("shape " + shape_segment(b.call), 1);
  c.features.emplace_back("attrs " + attr_segment(b.call), 1);
  c.features.emplace_back("layout " + laid_segment(b), 2);
  return c;
}

}  // namespace assay::cases
