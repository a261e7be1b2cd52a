#include "suite/language/read/read_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "suite/language/read/read_literal.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

std::vector<std::string> param_names(const OpSpec& op, bool tensors) {
  std::vector<std::string> names;
  for (const Param& p : op.params) {
    if (is_tensor(p) == tensors) names.push_back(p.name);
  }
  return names;
}

const Param* tensor_param(const YamlNode& key, const OpSpec& op,
                          Faults* faults) {
  const Param* p = op.param(key.text.text);
  if (p != nullptr && is_tensor(*p)) return p;
  faults->push_back(
      {key.pos, "'" + key.text.text + "' is no tensor parameter" +
                    did_you_mean(key.text.text, param_names(op, true))});
  return nullptr;
}

const std::vector<DType>& types_of(const OpSpec& op,
                                   const std::string& symbol) {
  static const std::vector<DType> kNone;
  const auto it = op.dtypes.find(symbol);
  if (it == op.dtypes.end()) return kNone;
  if (it->second.follows.empty() || it->second.follows == symbol) {
    return it->second.types;
  }
  const auto root = op.dtypes.find(it->second.follows);
  return root == op.dtypes.end() ? kNone : root->second.types;
}

void read_case_dtypes(const YamlNode& n, const OpSpec& op, CaseGroup* group,
                      Faults* faults) {
  if (!n.is_map()) {
    faults->push_back({n.pos,
                       "expected element types by symbol, {T: [f32]}, "
                       "found " +
                           n.describe()});
    return;
  }
  std::vector<std::string> symbols;
  for (const auto& s : op.dtypes) symbols.push_back(s.first);
  for (const auto& [key, body] : n.fields) {
    const std::string symbol = without_member(key.text.text);
    std::vector<DType> types = read_dtypes(body, faults);
    if (!op.dtypes.contains(symbol)) {
      faults->push_back({key.pos, "unknown dtype symbol '" + symbol + "'" +
                                      did_you_mean(symbol, symbols)});
      continue;
    }
    const std::vector<DType>& all = types_of(op, symbol);
    for (const DType t : types) {
      if (all.empty() || std::find(all.begin(), all.end(), t) != all.end()) {
        continue;
      }
      faults->push_back({body.pos, std::string(dtype_name(t)) +
                                       " is not among the dtypes of " + symbol +
                                       "; add it there or remove it "
                                       "here"});
    }
    group->dtypes[key.text.text] = std::move(types);
  }
}

void read_scalars(const YamlNode& n, const OpSpec& op, CaseGroup* group,
                  Faults* faults) {
  if (!n.is_map()) {
    faults->push_back({n.pos,
                       "expected Python numbers by parameter, "
                       "{b: [2, 0.5]}, found " +
                           n.describe()});
    return;
  }
  for (const auto& [key, body] : n.fields) {
    const Param* p = tensor_param(key, op, faults);
    if (p == nullptr) continue;
    if (!p->scalar) {
      faults->push_back({key.pos, "parameter '" + p->name +
                                      "' takes no Python number; it has no "
                                      "'scalar: true'"});
      continue;
    }
    for (const YamlNode& item :
         read_list(body, "a list of Python numbers", faults)) {
      if (auto a = read_arg(item, *p, faults)) {
        group->scalars[p->name].push_back(*a);
      }
    }
  }
}

const char* category_of(DType t) {
  return is_float(t) ? "float" : t == DType::boolean ? "bool" : "int";
}

// The generator for an operand out of generators by type. All of the operand's
// types must choose the same one.
const YamlNode* by_type(const YamlNode& n, SourcePos use, const Param& p,
                        const OpSpec& op, const CaseGroup& group,
                        Faults* faults) {
  const auto own = group.dtypes.find(p.dtype_symbol);
  const std::vector<DType>& types =
      own != group.dtypes.end() ? own->second : types_of(op, p.dtype_symbol);
  std::map<std::string, const YamlNode*> chosen;
  for (const DType t : types) {
    for (const auto& [key, body] : n.fields) {
      const std::string& name = key.text.text;
      if (name == dtype_name(t)) chosen[name] = &body;
    }
    if (chosen.contains(std::string(dtype_name(t)))) continue;
    for (const auto& [key, body] : n.fields) {
      if (key.text.text == category_of(t)) chosen[key.text.text] = &body;
    }
    if (!chosen.contains(category_of(t))) {
      faults->push_back({use, fmt::format("nothing is given for {} of '{}' "
                                          "in case {}",
                                          dtype_name(t), p.name, group.id)});
      return nullptr;
    }
  }
  if (chosen.size() == 1) return chosen.begin()->second;
  faults->push_back(
      {use, fmt::format("the types of '{}' in case {} take different inputs; "
                        "use 'each: {}'",
                        p.name, group.id, p.dtype_symbol)});
  return nullptr;
}

void read_input(const YamlNode& n, const Param& p, const OpSpec& op,
                const NamedNodes& named, CaseGroup* group, Faults* faults) {
  const YamlNode* found = &n;
  if (n.is_scalar()) {
    const auto it = named.find(n.text.text);
    if (it != named.end()) found = &it->second;
  }
  if (is_by_type(*found)) found = by_type(*found, n.pos, p, op, *group, faults);
  if (found == nullptr) return;
  if (const auto g = read_generator(*found, faults)) group->inputs[p.name] = *g;
}

// Is it a generator for all operands, and no mapping by operand?
bool is_for_all(const YamlNode& n, const OpSpec& op) {
  if (!n.is_map()) return n.is_scalar();
  const auto tensor = [&op](const auto& f) {
    const Param* p = op.param(f.first.text.text);
    return f.first.text.text == "*" || (p != nullptr && is_tensor(*p));
  };
  return std::none_of(n.fields.begin(), n.fields.end(), tensor) &&
         (is_by_type(n) ||
          std::any_of(n.fields.begin(), n.fields.end(), [](const auto& f) {
            return is_generator(f.first.text.text);
          }));
}

void read_inputs(const YamlNode& n, const OpSpec& op, const NamedNodes& named,
                 CaseGroup* group, Faults* faults) {
  const bool for_all = is_for_all(n, op);
  if (!for_all && !n.is_map()) {
    faults->push_back({n.pos,
                       "expected generators by parameter, "
                       "{x: {normal: [0, 1]}}, found " +
                           n.describe()});
    return;
  }
  for (const auto& [key, generator] : n.fields) {
    if (for_all || key.text.text == "*") continue;
    const Param* p = tensor_param(key, op, faults);
    if (p) read_input(generator, *p, op, named, group, faults);
  }
  const auto rest =
      std::find_if(n.fields.begin(), n.fields.end(),
                   [](const auto& f) { return f.first.text.text == "*"; });
  if (!for_all && rest == n.fields.end()) return;
  for (const Param& p : op.params) {
    const bool named_itself =
        !for_all &&
        std::any_of(n.fields.begin(), n.fields.end(), [&p](const auto& f) {
          return f.first.text.text == p.name;
        });
    // Whatever stands where the result is written.
    const bool is_out = op.writes_out() && p.name == op.writes;
    if (!is_tensor(p) || named_itself || is_out ||
        group->scalars.contains(p.name)) {
      continue;
    }
    read_input(for_all ? n : rest->second, p, op, named, group, faults);
  }
}

std::vector<Layout> read_layouts(const YamlNode& n, Faults* faults) {
  std::vector<Layout> out = {Layout::contiguous, Layout::transposed,
                             Layout::offset, Layout::strided, Layout::expanded};
  if (n.is_scalar() && n.text.text == "all") return out;
  if (n.is_scalar() && n.text.text == "others") {
    out.erase(out.begin());
    return out;
  }
  out.clear();
  for (const YamlNode& item :
       read_list(n, "'all', 'others' (than contiguous) or a list of layouts",
                 faults)) {
    if (auto l = read_layout(item, faults)) out.push_back(*l);
  }
  return out;
}

// More than half would leave a case of which most tells nothing.
double read_vacuous(const YamlNode& n, Faults* faults) {
  const std::string range = "a share of elements, above 0 and at most 0.5";
  const auto share =
      read_number(n, (range + " (0.2 for 20 %)").c_str(), faults);
  if (!share) return kVacuousShare;
  if (*share > 0 && *share <= kAnyAnswer) return *share;
  faults->push_back(
      {n.pos, "'vacuous' is " + range + ", found " + n.describe() +
                  (*share > kAnyAnswer
                       ? "; choose inputs for which fewer answers are admitted"
                       : "; leave it out for the default")});
  return kVacuousShare;
}

void read_case_contexts(const YamlNode& n, CaseGroup* group, Faults* faults) {
  if (n.is_sequence()) {
    group->contexts = read_texts(n, "the name of a context", faults);
    return;
  }
  const auto word = read_choice(n, "contexts", {"all", "none"}, faults);
  group->all_contexts = word && *word == "all";
}

// The sizes of a dimension symbol or pack as a parameter's value, where all
// bindings agree.
std::optional<YamlNode> sizes_as_value(const YamlNode& n, const Param& p,
                                       const CaseGroup& group, Faults* faults) {
  std::set<Shape> found;
  for (const SymbolSizes& sizes : group.shapes) {
    const auto it = sizes.find(n.text.text);
    if (it != sizes.end()) found.insert(it->second);
  }
  if (found.size() != 1) {
    faults->push_back(
        {n.pos, found.empty()
                    ? fmt::format("the bindings of case {} give '{}' no sizes",
                                  group.id, n.text.text)
                    : fmt::format("the bindings of case {} give '{}' several "
                                  "sizes; use 'each: shapes'",
                                  group.id, n.text.text)});
    return std::nullopt;
  }
  const auto text = [&n](std::int64_t size) {
    YamlNode one = n;
    one.text.text = std::to_string(size);
    return one;
  };
  const Shape& sizes = *found.begin();
  if (p.kind == Param::Kind::integer && sizes.size() == 1) {
    return text(sizes[0]);
  }
  YamlNode list = n;
  list.kind = YamlNode::Kind::sequence;
  for (const std::int64_t s : sizes) list.items.push_back(text(s));
  return list;
}

// Names of symbols begin with a capital, and no value of such a parameter does.
bool names_sizes(const YamlNode& n, const Param& p) {
  return (p.kind == Param::Kind::integer || p.kind == Param::Kind::integers) &&
         n.is_scalar() && is_identifier(n.text.text) && n.text.text[0] >= 'A' &&
         n.text.text[0] <= 'Z';
}

}  // namespace

// {param: value} for parameters that are no tensors.
std::map<std::string, Arg> read_attrs(const YamlNode& n, const OpSpec& op,
                                      const CaseGroup* group, Faults* faults) {
  std::map<std::string, Arg> out;
  if (!n.is_map()) {
    faults->push_back({n.pos,
                       "expected values of parameters, {alpha: 2}, "
                       "found " +
                           n.describe()});
    return out;
  }
  for (const auto& [key, body] : n.fields) {
    const Param* p = op.param(key.text.text);
    if (p == nullptr) {
      std::vector<std::string> names;
      for (const Param& q : op.params) names.push_back(q.name);
      faults->push_back({key.pos, "no parameter '" + key.text.text + "'" +
                                      did_you_mean(key.text.text, names)});
      continue;
    }
    std::optional<YamlNode> value = body;
    if (group != nullptr && names_sizes(body, *p)) {
      value = sizes_as_value(body, *p, *group, faults);
    }
    if (!value) continue;
    if (auto a = read_arg(*value, *p, faults)) out[p->name] = *a;
  }
  return out;
}

CaseGroup read_case_group(const std::string& id, const YamlNode& key,
                          const YamlNode& body, const OpSpec& op,
                          const Shared& shared, Faults* faults) {
  CaseGroup group;
  group.id = id;
  group.pos = key.pos;
  const Fields f(body, "case " + id,
                 {"shapes", "dtypes", "attrs", "inputs", "layouts", "scalars",
                  "contexts", "profile", "vacuous", "unbiased"},
                 faults);
  if (const YamlNode* n = f.find("scalars")) {
    read_scalars(*n, op, &group, faults);
  }
  if (const YamlNode* n = f.required("shapes")) {
    read_shapes(*n, op, shared.shapes, &group, faults);
  }
  if (const YamlNode* n = f.find("dtypes")) {
    read_case_dtypes(*n, op, &group, faults);
  }
  if (const YamlNode* n = f.find("attrs")) {
    for (const YamlNode& item :
         read_list(*n, "a list of values, [{alpha: 2}]", faults)) {
      group.attrs.push_back(read_attrs(item, op, &group, faults));
    }
  }
  if (const YamlNode* n = f.find("inputs")) {
    read_inputs(*n, op, shared.inputs, &group, faults);
  }
  if (const YamlNode* n = f.find("layouts")) {
    group.layouts = read_layouts(*n, faults);
  }
  if (group.layouts.empty()) group.layouts = {Layout::contiguous};
  if (const YamlNode* n = f.find("contexts")) {
    read_case_contexts(*n, &group, faults);
  }
  if (const YamlNode* n = f.find("profile")) {
    group.standard =
        read_choice(*n, "profile", {"standard", "full"}, faults) != "full";
  }
  if (const YamlNode* n = f.find("vacuous")) {
    group.vacuous = read_vacuous(*n, faults);
  }
  if (const YamlNode* n = f.find("unbiased")) {
    group.unbiased = read_bool(*n, faults).value_or(false);
  }
  return group;
}

namespace {

// {solved: f} of an operand: its values by type, of every float type that the
// clause is for.
void read_solved_operand(const YamlNode& n, const Param& p, const OpSpec& op,
                         const SolvedSet& solved, Boundary* b, Faults* faults) {
  const Fields f(n, "an operand of literals", {"solved"}, faults);
  const YamlNode* name = f.required("solved");
  if (name == nullptr) return;
  const auto function = read_text(*name, "the name of a function", faults);
  if (!function) return;
  if (!solved.knows(*function)) {
    faults->push_back(
        {name->pos, "nothing is stored of a function '" + *function + "'" +
                        did_you_mean(*function, solved.functions()) +
                        "; specs/boundaries.yaml holds what `assay "
                        "boundaries --write` solved"});
    return;
  }
  b->solved = *function;
  const bool listed = !b->dtypes.empty();
  for (const DType t : listed ? b->dtypes : types_of(op, p.dtype_symbol)) {
    if (!listed && !is_float(t)) continue;
    std::vector<Literal>& values = b->solved_values[t];
    for (const std::uint64_t bits : solved.values(*function, t)) {
      Literal l;
      l.base = Literal::Base::bits;
      l.bits_dtype = t;
      l.bits = bits;
      values.push_back(l);
    }
    if (!values.empty()) continue;
    faults->push_back(
        {name->pos, "specs/boundaries.yaml stores nothing of " + *function +
                        " in " + std::string(dtype_name(t)) +
                        (listed ? "; take it out of dtypes"
                                : "; give boundary " + b->id +
                                      " the dtypes that are stored")});
  }
}

// Literals of one operand after another, side by side.
void read_operands(const Fields& f, const OpSpec& op, const SolvedSet& solved,
                   Boundary* b, Faults* faults) {
  std::size_t length = 0;
  for (const std::string& name : param_names(op, true)) {
    const YamlNode* n = f.find(name);
    if (n == nullptr) continue;
    if (n->is_map()) {
      read_solved_operand(*n, *op.param(name), op, solved, b, faults);
      b->operands[name] = {};
      continue;
    }
    std::vector<Literal> values = read_literals(*n, faults);
    if (length != 0 && n->items.size() != length) {
      faults->push_back({n->pos, "'" + name + "' has " +
                                     std::to_string(n->items.size()) +
                                     " literals, the operand before it " +
                                     std::to_string(length) +
                                     "; they are taken side by side"});
    }
    length = n->items.size();
    b->operands[name] = std::move(values);
  }
  if (!b->solved.empty() && b->operands.size() > 1) {
    faults->push_back({f.pos(), "boundary " + b->id +
                                    " takes what is solved for one operand; "
                                    "the others need a clause of their own"});
  }
}

}  // namespace

Boundary read_boundary(const std::string& id, const YamlNode& key,
                       const YamlNode& body, const OpSpec& op,
                       const SolvedSet& solved, Faults* faults) {
  Boundary b;
  b.id = id;
  b.pos = key.pos;
  std::vector<std::string> known = param_names(op, true);
  known.insert(known.end(), {"dtypes", "attrs", "vacuous", "why"});
  const Fields f(body, "boundary " + id, known, faults);
  if (const YamlNode* n = f.find("dtypes")) b.dtypes = read_dtypes(*n, faults);
  read_operands(f, op, solved, &b, faults);
  if (f.is_map() && b.operands.empty()) {
    faults->push_back({f.pos(), "boundary " + id +
                                    " names no operand; give "
                                    "literals for one of " +
                                    join(param_names(op, true))});
  }
  if (const YamlNode* n = f.find("attrs"))
    b.attrs = read_attrs(*n, op, nullptr, faults);
  for (const auto& [name, values] : b.operands) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::optional<DType> t = values[i].bits_dtype;
      if (!t || b.dtypes == std::vector{*t}) continue;
      const std::string type(dtype_name(*t));
      faults->push_back({f.find(name)->pos, "'" + name + "' holds bits of " +
                                                type + ", so boundary " + id +
                                                " needs dtypes: [" + type +
                                                "]"});
      break;
    }
  }
  if (const YamlNode* n = f.find("vacuous")) {
    b.vacuous = read_vacuous(*n, faults);
  }
  if (const YamlNode* n = f.find("why")) {
    b.why = read_text(*n, "a reason", faults).value_or("");
  }
  return b;
}

}  // namespace assay::language
