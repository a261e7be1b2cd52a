#include "suite/language/check/check_set.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "suite/language/bind/bind.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

// Values of a program or context while its steps are walked.
struct Values {
  std::set<std::string> known;
  std::set<std::string> used;
};

class SetChecker {
 public:
  SetChecker(const SpecSet& specs, const Places& places,
             std::vector<Diagnostic>* errors)
      : specs_(specs), places_(places), errors_(errors) {
    for (const OpSpec& op : specs.ops) atens_.push_back(op.aten);
  }

  void run() {
    unique_names();
    for (const OpSpec& op : specs_.ops) contexts_of(op);
    for (const ProgramSpec& p : specs_.programs) program(p);
    for (const ContextSpec& c : specs_.contexts) context(c);
  }

 private:
  void error(const std::string& file, SourcePos pos, std::string message) {
    errors_->push_back({file, pos, std::move(message)});
  }

  SourcePos place(const std::string& file, const char* field) const {
    const auto it = places_.field.find({file, field});
    return it == places_.field.end() ? SourcePos{1, 1} : it->second;
  }

  void unique_names() {
    std::map<std::string, std::string> names;
    std::map<std::string, std::string> atens, of_complex;
    const auto check = [this](std::map<std::string, std::string>* seen,
                              const std::string& name, const std::string& file,
                              const char* field, const char* what) {
      if (name.empty()) return;
      const auto [it, fresh] = seen->emplace(name, file);
      if (fresh) return;
      error(file, place(file, field),
            std::string(what) + " '" + name + "' has a spec already, " +
                it->second + "; rename or remove one");
    };
    for (const OpSpec& op : specs_.ops) {
      check(&names, op.name, op.file, "op", "the name");
      check(op.is_of_complex() ? &of_complex : &atens, op.aten, op.file, "aten",
            "the overload");
    }
    for (const ProgramSpec& p : specs_.programs) {
      check(&names, p.name, p.file, "program", "the name");
    }
  }

  void contexts_of(const OpSpec& op) {
    std::vector<std::string> known;
    for (const ContextSpec& c : specs_.contexts) known.push_back(c.name);
    for (const CaseGroup& c : op.cases) {
      for (const std::string& name : c.contexts) {
        if (std::find(known.begin(), known.end(), name) != known.end()) {
          continue;
        }
        error(op.file, c.pos,
              "case " + c.id + " names the unknown context '" + name + "'" +
                  did_you_mean(name, known) +
                  "; contexts stand in specs/contexts.yaml");
      }
    }
  }

  // A step's operation, or null after an error. `op` stands in contexts for
  // the case's own call.
  const OpSpec* operation(const std::string& file, const Step& s) {
    const OpSpec* op = specs_.find_aten(s.op);
    if (op != nullptr) return op;
    error(file, s.pos,
          "no spec for the operation '" + s.op + "'" +
              did_you_mean(s.op, atens_) + "; add one under specs/ops");
    return nullptr;
  }

  void argument(const std::string& file, const Step& s, const StepArg& a,
                Values* values) {
    if (const auto* list = std::get_if<StepArgList>(&a.value)) {
      for (const StepArg& item : *list) argument(file, s, item, values);
      return;
    }
    const auto* name = std::get_if<std::string>(&a.value);
    if (name == nullptr) return;
    if (values->known.contains(*name)) {
      values->used.insert(*name);
      return;
    }
    error(
        file, s.pos,
        "step '" + s.name + "' uses '" + *name +
            "', which is not defined before it" +
            did_you_mean(*name, {values->known.begin(), values->known.end()}));
  }

  void arguments(const std::string& file, const Step& s, Values* values) {
    for (const StepArg& a : s.args) argument(file, s, a, values);
    for (const auto& k : s.kwargs) argument(file, s, k.second, values);
  }

  // The argument as a program holds it; names stand for values of no
  // particular type.
  static Arg plain(const StepArg& a) {
    if (const auto* arg = std::get_if<Arg>(&a.value)) return *arg;
    if (std::holds_alternative<std::string>(a.value)) return ValueRef{0};
    std::vector<ValueRef> refs;
    for (const StepArg& item : std::get<StepArgList>(a.value)) {
      if (!std::holds_alternative<std::string>(item.value)) {
        return std::string();  // a mixed list fits no parameter
      }
      refs.push_back(ValueRef{0});
    }
    return refs;
  }

  // Does the call fit the operation's parameters?
  void fits(const std::string& file, const Step& s, const OpSpec& op) {
    Node node;
    node.op = s.op;
    for (const StepArg& a : s.args) node.args.push_back(plain(a));
    for (const auto& k : s.kwargs) {
      node.kwargs.emplace_back(k.first, plain(k.second));
    }
    const Result<Binding> b = bind_call(op, node, {{0, TensorArg{}}});
    if (!b) {
      error(file, s.pos, "step '" + s.name + "': " + b.error().message);
    }
  }

  void define(const std::string& file, const Step& s, Values* values) {
    if (!values->known.insert(s.name).second) {
      error(file, s.pos, "'" + s.name + "' is defined twice; rename the step");
    }
  }

  void returned(const std::string& file, SourcePos pos,
                const std::vector<std::string>& names, Values* values) {
    std::set<std::string> seen;
    for (const std::string& name : names) {
      if (!values->known.contains(name)) {
        error(file, pos,
              "returns '" + name + "', which is not defined" +
                  did_you_mean(name,
                               {values->known.begin(), values->known.end()}));
      } else if (!seen.insert(name).second) {
        error(file, pos, "returns '" + name + "' twice; remove one");
      }
      values->used.insert(name);
    }
  }

  // m: aten.max.dim(x, 1) names the first output, i: getitem(m, 1) the second.
  void getitem(const std::string& file, const Step& s,
               const std::map<std::string, const OpSpec*>& calls,
               std::set<std::string>* taken_apart) {
    const auto* name = s.args.size() == 2 && s.kwargs.empty()
                           ? std::get_if<std::string>(&s.args[0].value)
                           : nullptr;
    const auto* arg =
        name != nullptr ? std::get_if<Arg>(&s.args[1].value) : nullptr;
    const auto* output =
        arg != nullptr ? std::get_if<std::int64_t>(arg) : nullptr;
    const auto call = name != nullptr ? calls.find(*name) : calls.end();
    if (output == nullptr || call == calls.end()) {
      return error(file, s.pos,
                   "step '" + s.name +
                       "': expected getitem(STEP, OUTPUT), an earlier call "
                       "and one of its outputs from 1");
    }
    taken_apart->insert(*name);
    const auto count = static_cast<std::int64_t>(call->second->output_count());
    // How many members a list has, its operands say.
    if (*output >= 1 && (*output < count || call->second->returns_list())) {
      return;
    }
    error(file, s.pos,
          "step '" + s.name + "': " + call->second->name + " has no output " +
              std::to_string(*output) + " beside its first; it has " +
              std::to_string(count));
  }

  void program(const ProgramSpec& p) {
    for (const ProgramVariant& v : p.variants) variant(p, v);
  }

  void variant(const ProgramSpec& p, const ProgramVariant& v) {
    Values values;
    for (const auto* list : {&v.inputs, &v.consts}) {
      for (const TensorDecl& t : *list) {
        if (values.known.insert(t.name).second) continue;
        error(p.file, t.pos,
              "'" + t.name + "' is an input and a constant; rename one");
      }
    }
    std::map<std::string, const OpSpec*> calls;
    std::set<std::string> taken_apart;
    for (const Step& s : v.steps) {
      arguments(p.file, s, &values);
      if (s.op == kGetitem) {
        getitem(p.file, s, calls, &taken_apart);
      } else if (!s.op.empty()) {
        const OpSpec* op = operation(p.file, s);
        if (op != nullptr) {
          fits(p.file, s, *op);
          calls[s.name] = op;
        }
      }
      define(p.file, s, &values);
    }
    for (const Step& s : v.steps) {
      const auto call = calls.find(s.name);
      if (call == calls.end() || call->second->output_count() == 1 ||
          taken_apart.contains(s.name)) {
        continue;
      }
      error(p.file, s.pos,
            "step '" + s.name +
                "' has several outputs; name at least one "
                "more, as in " +
                s.name + "1: getitem(" + s.name + ", 1)");
    }
    returned(p.file, place(p.file, "returns"), v.returns, &values);
    for (const auto* list : {&v.inputs, &v.consts}) {
      for (const TensorDecl& t : *list) {
        if (values.used.contains(t.name)) continue;
        error(p.file, t.pos, "'" + t.name + "' is never used; remove it");
      }
    }
    if (!v.raises.empty()) raises(p, v);
  }

  void raises(const ProgramSpec& p, const ProgramVariant& v) {
    const SourcePos pos = place(p.file, "raises");
    const std::size_t slash = v.raises.find('/');
    if (slash == std::string::npos) {
      return error(p.file, pos,
                   "expected operation/clause, such as bmm/E4, "
                   "found '" +
                       v.raises + "'");
    }
    const std::string name = v.raises.substr(0, slash);
    const std::string clause = v.raises.substr(slash + 1);
    const OpSpec* op = specs_.find_op(name);
    if (op == nullptr) {
      std::vector<std::string> names;
      for (const OpSpec& o : specs_.ops) names.push_back(o.name);
      return error(p.file, pos,
                   "raises a clause of the unknown operation '" + name + "'" +
                       did_you_mean(name, names));
    }
    std::vector<std::string> clauses;
    for (const Requirement& r : op->requires_) clauses.push_back(r.id);
    if (std::find(clauses.begin(), clauses.end(), clause) == clauses.end()) {
      return error(p.file, pos,
                   "'" + clause + "' is no requirement of '" + name +
                       "'; it has " + join(clauses));
    }
    if (std::none_of(v.steps.begin(), v.steps.end(),
                     [op](const Step& s) { return s.op == op->aten; })) {
      error(p.file, pos,
            "raises '" + v.raises + "', but no step calls " + op->aten);
    }
  }

  void context(const ContextSpec& c) {
    const auto it = places_.context.find(c.name);
    if (it == places_.context.end()) return;
    const auto& [file, pos] = it->second;
    Values values;
    values.known = {"in0",    "const0", "cast0",  "dtype0",
                    "wider0", "shape0", "rest..."};
    int calls = 0;
    for (const Step& s : c.steps) {
      if (s.op == "op") {
        ++calls;
      } else if (!s.op.empty()) {
        const OpSpec* op = operation(file, s);
        const bool spreads = uses(s, "rest...") || uses(s, "dtype0") ||
                             uses(s, "wider0") || uses(s, "shape0");
        if (op != nullptr && !spreads) fits(file, s, *op);
      }
      arguments(file, s, &values);
      define(file, s, &values);
    }
    if (calls != 1) {
      error(file, pos,
            "context '" + c.name + "' calls op(...) " + std::to_string(calls) +
                " times; it is about exactly one call");
    }
    returned(file, pos, c.returns, &values);
  }

  static bool uses(const Step& s, const std::string& name) {
    const auto is = [&name](const StepArg& a) {
      const auto* n = std::get_if<std::string>(&a.value);
      return n != nullptr && *n == name;
    };
    return std::any_of(s.args.begin(), s.args.end(), is) ||
           std::any_of(s.kwargs.begin(), s.kwargs.end(),
                       [&is](const auto& k) { return is(k.second); });
  }

  const SpecSet& specs_;
  const Places& places_;
  std::vector<Diagnostic>* errors_;
  std::vector<std::string> atens_;
};

}  // namespace

void check_set(const SpecSet& specs, const Places& places,
               std::vector<Diagnostic>* errors) {
  SetChecker(specs, places, errors).run();
}

}  // namespace assay::language
