#include "suite/cases/lint.h"

#include <algorithm>
#include <map>
#include <set>

#include "suite/language/bind/bind_program.h"

namespace assay::cases {
namespace {

// What the cases of one operation have reached.
struct Reached {
  bool any = false;
  std::set<const language::Form*> forms;
  std::set<const language::Accuracy*> accuracy;
  std::map<std::string, std::set<DType>> dtypes;
  // Result dtypes without an accuracy, with a case that shows it.
  std::map<const language::OutputSpec*, std::map<DType, std::string>> bare;
};

class Linter {
 public:
  Linter(const language::SpecSet& specs, const Expansion& cases)
      : specs_(specs), cases_(cases) {}

  std::vector<language::Diagnostic> run() {
    for (const Case& c : cases_.cases) {
      const language::OpSpec* op = specs_.find_op(c.spec);
      if (op != nullptr && c.must_raise.empty()) visit(c, *op);
    }
    for (const language::OpSpec& op : specs_.ops) report(op, reached_[&op]);
    return std::move(out_);
  }

 private:
  void visit(const Case& c, const language::OpSpec& op) {
    const std::vector<Tensor> no_inputs;
    language::ProgramBinder binder(specs_, c.program, no_inputs);
    while (!binder.done()) {
      const Result<language::BoundNode> node = binder.next();
      // The expansion's fault.
      if (!node || node->broken != nullptr) return;
      if (node->output == 0 && node->binding.spec == &op) {
        count(c, node->binding);
      }
    }
  }

  void count(const Case& c, const language::Binding& b) {
    Reached& r = reached_[b.spec];
    r.any = true;
    r.forms.insert(b.form);
    for (const language::Param& p : b.spec->params) {
      const language::Actual& a = b.actuals.at(p.name);
      if (const auto* t = std::get_if<language::TensorArg>(&a)) {
        r.dtypes[p.dtype_symbol].insert(t->type.dtype);
      }
      if (const auto* list =
              std::get_if<std::vector<language::TensorArg>>(&a)) {
        for (const language::TensorArg& t : *list) {
          r.dtypes[p.dtype_symbol].insert(t.type.dtype);
        }
      }
    }
    const Result<std::size_t> count = language::bound_outputs(b);
    for (std::size_t k = 0; count && k < *count; ++k) {
      count_output(c, b, k, &r);
    }
  }

  static void count_output(const Case& c, const language::Binding& b,
                           std::size_t k, Reached* r) {
    const Result<TensorType> result = language::infer_result(b, k);
    if (!result) return;
    const language::OutputSpec& out = b.form->output(k);
    for (const TorchVersion v : language::editions(*b.spec)) {
      const auto decides =
          std::find_if(out.accuracy.begin(), out.accuracy.end(),
                       [&](const language::Accuracy& a) {
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

  static bool applies(const language::Accuracy& a, DType t,
                      const language::Binding& b) {
    if (!a.for_dtypes.empty() &&
        std::find(a.for_dtypes.begin(), a.for_dtypes.end(), t) ==
            a.for_dtypes.end()) {
      return false;
    }
    if (!a.when) return true;
    const Result<language::StaticValue> v =
        language::evaluate_static(*a.when, b);
    // A condition over elements may hold for some of them.
    return !v || *v == language::StaticValue(true);
  }

  void report(const language::OpSpec& op, const Reached& r) {
    const auto say = [&](language::SourcePos pos, std::string message) {
      if (pos.line == 0) pos = {1, 1};
      out_.push_back({op.file, pos, std::move(message)});
    };
    if (!r.any) return say({}, op.name + " has no case that returns");
    for (const language::Form& f : op.forms) {
      if (!r.forms.contains(&f)) {
        say(f.pos, "no case reaches form " + f.id + "; add one");
        continue;
      }
      for (std::size_t k = 0; k < f.output_count(); ++k) {
        const language::OutputSpec& out = f.output(k);
        for (const language::Accuracy& a : out.accuracy) {
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

  const language::SpecSet& specs_;
  const Expansion& cases_;
  std::map<const language::OpSpec*, Reached> reached_;
  std::vector<language::Diagnostic> out_;
};

}  // namespace

std::vector<language::Diagnostic> lint(const language::SpecSet& specs,
                                       const Expansion& cases) {
  return Linter(specs, cases).run();
}

}  // namespace assay::cases
