#include "suite/lint.h"

#include <algorithm>
#include <map>
#include <set>

#include "suite/bind.h"
#include "suite/program_types.h"

namespace assay {
namespace {

// What the cases of one operation have reached.
struct Reached {
  bool any = false;
  std::set<const Form*> forms;
  std::set<const Accuracy*> accuracy;
  std::map<std::string, std::set<DType>> dtypes;
  // Result dtypes without an accuracy, with a case that shows it.
  std::map<const OutputSpec*, std::map<DType, std::string>> bare;
};

class Linter {
 public:
  Linter(const SpecSet& specs, const Expansion& cases)
      : specs_(specs), cases_(cases) {}

  std::vector<Diagnostic> run() {
    for (const Case& c : cases_.cases) {
      const OpSpec* op = specs_.find_op(c.spec);
      if (op != nullptr && c.must_raise.empty()) visit(c, *op);
    }
    for (const OpSpec& op : specs_.ops) report(op, reached_[&op]);
    return std::move(out_);
  }

 private:
  void visit(const Case& c, const OpSpec& op) {
    const Result<ProgramTypes> types = type_program(specs_, c.program);
    if (!types || !types->refused.empty()) return;  // the expansion's fault
    std::map<int, TensorArg> values;
    for (std::size_t n = 0; n < types->types.size(); ++n) {
      TensorArg t;
      t.type = types->types[n];
      const std::size_t first = c.program.inputs.size();
      if (n >= first && n - first < c.program.constants.size()) {
        t.value = &c.program.constants[n - first];
      }
      values[static_cast<int>(n)] = t;
    }
    for (const Node& node : c.program.nodes) {
      if (node.op != op.aten) continue;
      Result<Binding> b = bind_call(op, node, values);
      if (b && select_form(&*b)) count(c, *b);
    }
  }

  void count(const Case& c, const Binding& b) {
    Reached& r = reached_[b.spec];
    r.any = true;
    r.forms.insert(b.form);
    for (const Param& p : b.spec->params) {
      const Actual& a = b.actuals.at(p.name);
      if (const auto* t = std::get_if<TensorArg>(&a)) {
        r.dtypes[p.dtype_symbol].insert(t->type.dtype);
      }
      if (const auto* list = std::get_if<std::vector<TensorArg>>(&a)) {
        for (const TensorArg& t : *list) {
          r.dtypes[p.dtype_symbol].insert(t.type.dtype);
        }
      }
    }
    for (std::size_t k = 0; k < b.form->output_count(); ++k) {
      count_output(c, b, k, &r);
    }
  }

  static void count_output(const Case& c, const Binding& b, std::size_t k,
                           Reached* r) {
    const Result<TensorType> result = infer_result(b, k);
    if (!result) return;
    const OutputSpec& out = b.form->output(k);
    for (const TorchVersion v : editions(*b.spec)) {
      const auto decides = std::find_if(
          out.accuracy.begin(), out.accuracy.end(), [&](const Accuracy& a) {
            return (!a.torch || a.torch->contains(v)) &&
                   applies(a, result->dtype, b);
          });
      if (decides == out.accuracy.end()) {
        r->bare[&out].emplace(result->dtype, c.path);
      } else {
        r->accuracy.insert(&*decides);
      }
    }
  }

  static bool applies(const Accuracy& a, DType t, const Binding& b) {
    if (!a.for_dtypes.empty() &&
        std::find(a.for_dtypes.begin(), a.for_dtypes.end(), t) ==
            a.for_dtypes.end()) {
      return false;
    }
    if (!a.when) return true;
    const Result<StaticValue> v = evaluate_static(*a.when, b);
    // A condition over elements may hold for some of them.
    return !v || *v == StaticValue(true);
  }

  void report(const OpSpec& op, const Reached& r) {
    const auto say = [&](SourcePos pos, std::string message) {
      if (pos.line == 0) pos = {1, 1};
      out_.push_back({op.file, pos, std::move(message)});
    };
    if (!r.any) return say({}, op.name + " has no case that returns");
    for (const Form& f : op.forms) {
      if (!r.forms.contains(&f)) {
        say(f.pos, "no case reaches form " + f.id + "; add one");
        continue;
      }
      for (std::size_t k = 0; k < f.output_count(); ++k) {
        const OutputSpec& out = f.output(k);
        for (const Accuracy& a : out.accuracy) {
          if (r.accuracy.contains(&a)) continue;
          say(a.pos, "no case is judged by accuracy " + a.id +
                         "; add one or remove the entry");
        }
        const auto bare = r.bare.find(&out);
        if (bare == r.bare.end()) continue;
        for (const auto& [t, path] : bare->second) {
          say(out.pos, "no accuracy is declared for results of dtype " +
                           std::string(dtype_name(t)) + ", as in " + path);
        }
      }
    }
    for (const auto& [symbol, d] : op.dtypes) {
      const auto seen = r.dtypes.find(symbol);
      for (const DType t : d.types) {
        if (seen != r.dtypes.end() && seen->second.contains(t)) continue;
        say(d.pos, "no case has " + std::string(dtype_name(t)) + " for " +
                       symbol + "; add one or remove the dtype");
      }
    }
  }

  const SpecSet& specs_;
  const Expansion& cases_;
  std::map<const OpSpec*, Reached> reached_;
  std::vector<Diagnostic> out_;
};

}  // namespace

std::vector<Diagnostic> lint(const SpecSet& specs, const Expansion& cases) {
  return Linter(specs, cases).run();
}

}  // namespace assay
