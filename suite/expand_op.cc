#include "suite/expand_op.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "suite/base_cases.h"
#include "suite/contexts.h"
#include "suite/derive.h"
#include "suite/layouts.h"
#include "suite/make_case.h"
#include "suite/program_types.h"
#include "suite/quota.h"
#include "suite/select.h"

namespace assay {
namespace {

// What a case in company can be called and chosen by.
struct Company {
  std::size_t base;
  const ContextSpec* context;
  std::size_t in0;
};

class OpExpander {
 public:
  OpExpander(const SpecSet& specs, const OpSpec& spec, Expansion* out)
      : specs_(specs), spec_(spec), out_(out) {}

  void run() {
    BaseCases made = base_cases(spec_);
    bases_ = std::move(made.cases);
    errors_ = std::move(made.errors);
    limit_alone();
    for (const BaseCase& b : bases_) add_alone(b);
    mark_quick(false, kQuickAlone);
    mark_quick(true, kQuickBoundaries);
    add_contexts();
    add_negatives();
    for (Case& c : cases_) out_->cases.push_back(std::move(c));
    out_->errors.insert(out_->errors.end(), errors_.begin(), errors_.end());
  }

 private:
  Case* find(const std::string& path) {
    const auto it = index_.find(path);
    return it == index_.end() ? nullptr : &cases_[it->second];
  }

  void add(Case c) {
    if (!index_.emplace(c.path, cases_.size()).second) {
      errors_.push_back(spec_.file + ": two cases would be called " + c.path +
                        ": change a case group, or remove one of them");
      return;
    }
    cases_.push_back(std::move(c));
  }

  void add_alone(const BaseCase& b) {
    CaseNames names;
    names.path = b.path;
    names.spec = spec_.name;
    names.clause = b.clause;
    add(make_case(names, alone(b.plan)));
  }

  // Single elements and whole vectors show less of a compiler than a vector
  // with a tail, empty tensors least. f32 is the type that all compilers have
  // most code for, f16 and bf16 come next.
  static int bonus(const CallPlan& plan) {
    const std::int64_t numel = plan.numel();
    int bonus = numel < 3 ? 0 : 2;
    if (numel > 16 && numel % 16 != 0) ++bonus;
    const std::string types = dtype_segment(plan);
    if (types.find("f32") != std::string::npos) return bonus + 2;
    return types.find("f16") != std::string::npos ? bonus + 1 : bonus;
  }

  static Candidate describe(const BaseCase& b) {
    Candidate c{b.path, {{"clause " + b.clause, 4}}, bonus(b.plan)};
    for (const OperandPlan* o : b.plan.operands()) {
      c.features.emplace_back(std::to_string(c.features.size()) + " " +
                                  std::string(dtype_name(o->dtype)),
                              2);
    }
    c.features.emplace_back("shape " + shape_segment(b.plan), 1);
    c.features.emplace_back("attrs " + attr_segment(b.plan), 1);
    c.features.emplace_back("layout " + std::string(layout_name(b.layout)), 2);
    return c;
  }

  void limit_alone() {
    if (bases_.size() <= kFullAlone) return;
    std::vector<Candidate> candidates;
    for (const BaseCase& b : bases_) {
      candidates.push_back(describe(b));
      auto& features = candidates.back().features;
      features.emplace_back("types " + dtype_segment(b.plan), 3);
      features.emplace_back(b.clause + " " + shape_segment(b.plan), 3);
      if (b.boundary) features.emplace_back(b.path, 100);
    }
    std::vector<std::size_t> kept = select_varied(candidates, kFullAlone, true);
    std::sort(kept.begin(), kept.end());
    std::vector<BaseCase> bases;
    for (const std::size_t n : kept) bases.push_back(std::move(bases_[n]));
    bases_ = std::move(bases);
  }

  void mark_quick(bool boundary, std::size_t limit) {
    std::vector<Candidate> candidates;
    for (const BaseCase& b : bases_) {
      if (b.quick && b.boundary == boundary) candidates.push_back(describe(b));
    }
    for (const std::size_t n : select_varied(candidates, limit, false)) {
      find(candidates[n].key)->quick = true;
    }
  }

  // The dtype of the call's result, nothing if it cannot be worked out.
  static std::optional<DType> result_dtype(const CallPlan& plan) {
    Result<BoundPlan> bound = bind_plan(plan);
    if (!bound || !select_form(&bound->binding)) return std::nullopt;
    const Result<TensorType> type = infer_result(bound->binding);
    if (!type) return std::nullopt;
    return type->dtype;
  }

  static bool suits(const ContextSpec& context, std::optional<DType> result) {
    if (!uses_result(context) || context.applies_to == "any") return true;
    return result && dtype_category(*result) == context.applies_to;
  }

  bool wanted(const BaseCase& b, const ContextSpec& context) const {
    return b.all_contexts || std::find(b.contexts.begin(), b.contexts.end(),
                                       context.name) != b.contexts.end();
  }

  std::string path_of(const Company& c) const {
    return bases_[c.base].path + "/" +
           context_segment(*c.context, bases_[c.base].plan, c.in0);
  }

  // Adds the case unless it is there. False: the context does not suit it.
  bool add_company(const Company& c) {
    const BaseCase& b = bases_[c.base];
    const std::string path = path_of(c);
    if (find(path) != nullptr) return true;
    Result<PlannedProgram> planned = apply_context(*c.context, b.plan, c.in0);
    if (!planned) {
      errors_.push_back(path + ": " + planned.error().message);
      return false;
    }
    const Result<ProgramTypes> types =
        type_program(specs_, planned->program, known_inputs(*planned));
    if (!types) {
      errors_.push_back(path + ": " + types.error().message);
      return false;
    }
    if (!types->refused.empty()) return false;
    CaseNames names;
    names.path = path;
    names.spec = spec_.name;
    names.clause = b.clause;
    names.context = c.context->name;
    add(make_case(names, std::move(*planned)));
    return true;
  }

  // Elements, where a requirement of the operation reads some.
  std::vector<Tensor> known_inputs(const PlannedProgram& planned) const {
    std::vector<Tensor> inputs;
    if (!reads_elements(spec_)) return inputs;
    for (const OperandPlan& o : planned.inputs) inputs.push_back(generate(o));
    return inputs;
  }

  void add_contexts() {
    std::vector<Candidate> hosts;
    std::vector<std::size_t> host_index;
    for (std::size_t n = 0; n < bases_.size(); ++n) {
      const BaseCase& b = bases_[n];
      if (!b.all_contexts && b.contexts.empty()) continue;
      const std::int64_t numel = b.plan.numel();
      if (numel == 0 || numel > kCompanyElements) continue;
      Candidate c{b.path, {}, bonus(b.plan)};
      c.features.emplace_back(b.clause + " " + dtype_segment(b.plan), 4);
      c.features.emplace_back(b.clause + " " + attr_segment(b.plan), 2);
      hosts.push_back(std::move(c));
      host_index.push_back(n);
    }
    std::vector<Candidate> quick;
    for (const std::size_t h : select_varied(hosts, kFullContextBases, false)) {
      const std::size_t n = host_index[h];
      const std::optional<DType> result = result_dtype(bases_[n].plan);
      for (const ContextSpec& context : specs_.contexts) {
        if (!wanted(bases_[n], context) || !suits(context, result)) continue;
        const auto in0 = choose_operand(context, bases_[n].plan);
        if (!in0) continue;
        const Company c{n, &context, *in0};
        if (!add_company(c)) continue;
        if (!bases_[n].quick) continue;
        Candidate q = describe(bases_[n]);
        q.key = path_of(c);
        q.features.emplace_back("context " + context.name, 8);
        quick.push_back(std::move(q));
      }
    }
    for (const std::size_t n : select_varied(quick, kQuickContexts, false)) {
      find(quick[n].key)->quick = true;
    }
  }

  void add_negatives() {
    Derivation derived = derive_negatives(spec_, bases_);
    out_->uncovered.insert(out_->uncovered.end(), derived.uncovered.begin(),
                           derived.uncovered.end());
    std::map<std::string, std::vector<const Negative*>> by_clause;
    for (const Negative& n : derived.negatives) {
      by_clause[n.clause].push_back(&n);
    }
    for (const Requirement& r : spec_.requires_) {
      const auto it = by_clause.find(r.id);
      if (it == by_clause.end()) continue;
      const std::size_t quick =
          r.source.empty() ? kQuickNegatives : kQuickSourcedNegatives;
      add_clause(it->second, quick);
    }
  }

  // Alone first, then in company; of the quick ones with a source every
  // second stands in company.
  void add_clause(const std::vector<const Negative*>& negatives,
                  std::size_t quick) {
    const std::size_t quick_company = quick / 2;
    const std::size_t quick_alone = quick - quick_company;
    std::size_t n = 0;
    for (const Negative* negative : negatives) {
      CaseNames names;
      names.path = negative->path;
      names.control = bases_[negative->base].path;
      add_negative(*negative, names, alone(negative->plan), n++ < quick_alone);
    }
    n = 0;
    for (const Company& c : negative_company(negatives)) {
      const Negative& negative = *negatives[c.base];
      if (add_negative_company(negative, c, n < quick_company)) ++n;
    }
  }

  void add_negative(const Negative& negative, CaseNames names,
                    PlannedProgram planned, bool quick) {
    if (find(names.path) != nullptr) return;
    names.spec = spec_.name;
    names.clause = negative.clause;
    names.must_raise = spec_.name + "/" + negative.clause;
    Case c = make_case(names, std::move(planned));
    c.quick = quick;
    if (quick) find(names.control)->quick = true;
    add(std::move(c));
  }

  // (index into negatives, context, operand), varied: producers around the
  // operand that is wrong, observers behind the call. The same context serves
  // control and negative, so it must suit the valid case too.
  std::vector<Company> negative_company(
      const std::vector<const Negative*>& negatives) const {
    std::vector<Candidate> candidates;
    std::vector<Company> all;
    for (std::size_t n = 0; n < negatives.size(); ++n) {
      const Negative& negative = *negatives[n];
      if (negative.plan.numel() > kCompanyElements) continue;
      const BaseCase& base = bases_[negative.base];
      const std::optional<DType> result = result_dtype(base.plan);
      for (const ContextSpec& context : specs_.contexts) {
        if (!suits(context, result)) continue;
        // An operand that changed its category has no common context; one
        // whose list or presence changed has no common position.
        std::optional<std::size_t> in0;
        if (same_operands(negative, base)) {
          in0 = choose_operand(context, negative.plan, negative.operand);
          if (in0) in0 = choose_operand(context, base.plan, in0);
        }
        if (!in0) continue;
        Candidate c{negative.path + "/" + context.name,
                    {{"context " + context.name, 4},
                     {"kind " + negative.kind, 2},
                     {negative.path, 1}}};
        if (uses_operand(context)) c.features.emplace_back("operand", 6);
        if (uses_result(context)) c.features.emplace_back("result", 6);
        // A type that is wrong because of a cast in the same program is what
        // people write by mistake.
        if (negative.kind == "dtype" && casts_operand(context)) c.bonus = 5;
        candidates.push_back(std::move(c));
        all.push_back({n, &context, *in0});
      }
    }
    std::vector<Company> out;
    for (const std::size_t n : select_varied(candidates, kFullCompany, true)) {
      out.push_back(all[n]);
    }
    return out;
  }

  static bool same_operands(const Negative& negative, const BaseCase& base) {
    return negative.plan.operand_names() == base.plan.operand_names();
  }

  bool add_negative_company(const Negative& negative, const Company& c,
                            bool quick) {
    const Company control{negative.base, c.context, c.in0};
    Result<PlannedProgram> planned =
        apply_context(*c.context, negative.plan, c.in0);
    if (!planned) return false;
    const Result<ProgramTypes> types =
        type_program(specs_, planned->program, known_inputs(*planned));
    const std::string raises = spec_.name + "/" + negative.clause;
    // What elements decide, the oracle finds out when it evaluates them.
    const bool refused =
        types.ok() && (types->refused == raises ||
                       (types->refused.empty() && types->undecided));
    if (!refused || !add_company(control)) return false;
    CaseNames names;
    names.path =
        negative.path + "/" + context_segment(*c.context, negative.plan, c.in0);
    names.context = c.context->name;
    names.control = path_of(control);
    add_negative(negative, names, std::move(*planned), quick);
    return true;
  }

  const SpecSet& specs_;
  const OpSpec& spec_;
  Expansion* out_;
  std::vector<BaseCase> bases_;
  std::vector<Case> cases_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::string> errors_;
};

}  // namespace

void expand_op(const SpecSet& specs, const OpSpec& spec, Expansion* out) {
  OpExpander(specs, spec, out).run();
}

}  // namespace assay
