#include "suite/cases/expand/negative_cases.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "suite/cases/invalid/derive.h"
#include "suite/cases/path.h"
#include "suite/cases/quota.h"

namespace assay::cases {
namespace {

using Negatives = std::vector<const Negative*>;

class NegativeCases {
 public:
  explicit NegativeCases(OpCases* cases) : cases_(*cases) {}

  void run(std::vector<std::string>* uncovered) {
    Derivation derived =
        derive_negatives(cases_.spec(), cases_.bases(), !refuses_complex());
    cases_.add_bases(std::move(derived.controls));
    uncovered->insert(uncovered->end(), derived.uncovered.begin(),
                      derived.uncovered.end());
    std::map<std::string, Negatives> by_clause;
    for (const Negative& n : derived.negatives) {
      if (has_specified_views(n.call)) by_clause[n.clause].push_back(&n);
    }
    for (const language::Requirement& r : cases_.spec().requires_) {
      const auto it = by_clause.find(r.id);
      if (it == by_clause.end()) continue;
      add_clause(it->second, r.is_reported());
    }
  }

 private:
  // Do the spec's requirements decide about complex operands, too? Not where a
  // spec of complex ones speaks of the operation, be it of the overload that
  // does not write.
  bool refuses_complex() const {
    if (cases_.spec().omits.contains(language::kComplexOperands)) return false;
    const std::string_view name = operation_of(cases_.spec());
    const auto& ops = cases_.specs().ops;
    return std::none_of(ops.begin(), ops.end(), [&](const auto& other) {
      return operation_of(other) == name && other.is_of_complex();
    });
  }

  // "lerp" of aten.lerp_.Tensor.
  static std::string_view operation_of(const language::OpSpec& spec) {
    std::string_view name = spec.aten;
    name.remove_prefix(std::min(name.size(), name.find('.') + 1));
    name = name.substr(0, name.find('.'));
    if (name.ends_with('_')) name.remove_suffix(1);
    return name;
  }

  // Specs that are read alone know no operations but their own.
  bool has_specified_views(const Call& call) const {
    if (!call.shared) return true;
    for (const auto& [operand, view] : call.shared->views) {
      for (const Node& step : view.steps) {
        if (cases_.specs().find_aten(step.op) == nullptr) return false;
      }
    }
    return true;
  }

  const BaseCase& base(const Negative& n) const {
    return cases_.bases()[n.base];
  }

  const std::vector<DType>& results_of(std::size_t base) {
    const auto [at, fresh] = results_.try_emplace(base);
    if (fresh) at->second = result_dtypes(cases_.bases()[base].call);
    return at->second;
  }

  // Every second one of several standard ones stands in a context.
  void add_clause(const Negatives& negatives, bool reported) {
    const std::size_t standard =
        reported ? kStandardReportedNegatives : kStandardNegatives;
    const std::size_t standard_company = standard / 2;
    const std::size_t standard_alone = standard - standard_company;
    std::size_t n = 0;
    for (const Negative* negative : negatives) {
      CaseNames names;
      names.path = negative->path;
      cases_.add_alone(negative->base);
      names.control = base(*negative).path;
      const bool is_standard =
          negative->beside ? reported : n++ < standard_alone;
      add(*negative, names, alone(negative->call), is_standard);
    }
    n = 0;
    for (const Placement& c : choose_placements(negatives)) {
      const bool chosen = n < standard_company && is_standard(c.context());
      if (add_placed(*negatives[c.host], c, chosen) && chosen) ++n;
    }
  }

  void add(const Negative& negative, CaseNames names, CaseProgram made,
           bool standard) {
    if (cases_.find(names.path) != nullptr) return;
    const language::OpSpec& spec = cases_.spec();
    names.spec = spec.name;
    names.clause = negative.clause;
    names.must_raise = spec.name + "/" + negative.clause;
    if (standard) cases_.find(names.control)->profile = Profile::standard;
    Case c = make_case(names, std::move(made));
    if (standard) c.profile = Profile::standard;
    cases_.add(std::move(c));
  }

  // The operand that plays in0 in control and negative alike: the one that is
  // wrong, if the context is for its category before and after the change.
  std::optional<std::size_t> common_operand(const Negative& n,
                                            const ContextTraits& traits) const {
    const auto in0 = choose_operand(traits, n.call, n.operand);
    return in0 ? choose_operand(traits, base(n).call, in0) : std::nullopt;
  }

  // Varied: producers around the operand that is wrong, observers behind the
  // call. `host` is an index into `negatives`.
  std::vector<Placement> choose_placements(const Negatives& negatives) {
    std::vector<Candidate> candidates;
    std::vector<Placement> all;
    for (std::size_t n = 0; n < negatives.size(); ++n) {
      const Negative& negative = *negatives[n];
      if (negative.beside || negative.call.numel() > kCompanyElements) continue;
      const Call& valid = base(negative).call;
      if (negative.call.operand_names() != valid.operand_names()) continue;
      const std::vector<DType>& results = results_of(negative.base);
      for (const ContextTraits& traits : cases_.contexts()) {
        const language::ContextSpec& context = *traits.context;
        if (context.named) continue;
        // A copy of an operand does not lie as that does.
        if (makes_written_operand(context) && negative.kind == "layout") {
          continue;
        }
        const auto output = cases_.suits(traits, valid, results);
        if (!output) continue;
        const auto in0 = common_operand(negative, traits);
        if (!in0) continue;
        candidates.push_back(describe(negative, traits));
        all.push_back({n, &traits, *in0, *output});
      }
    }
    std::vector<Placement> out;
    std::set<const ContextTraits*> made;
    const auto take = [&](std::size_t n) {
      out.push_back(all[n]);
      if (makes_written_operand(all[n].context())) made.insert(all[n].traits);
    };
    for (const std::size_t n : select_varied(candidates, kFullCompany, true)) {
      take(n);
    }
    // Compilers check what is written into tensors of theirs otherwise than
    // what is written into those that they are given: each is asked for.
    for (std::size_t n = 0; n < all.size(); ++n) {
      const bool makes = makes_written_operand(all[n].context());
      if (makes && made.count(all[n].traits) == 0) take(n);
    }
    return out;
  }

  static Candidate describe(const Negative& negative,
                            const ContextTraits& traits) {
    const language::ContextSpec& context = *traits.context;
    Candidate c{negative.path + "/" + context.name,
                {{"context " + context.name, 4},
                 {"kind " + negative.kind, 2},
                 {negative.path, 1}}};
    if (traits.uses_operand) c.features.emplace_back("operand", 6);
    if (uses_result(context)) c.features.emplace_back("result", 6);
    // A type that is wrong because of a cast in the same program is what
    // people write by mistake.
    if (negative.kind == "dtype" && traits.casts_operand) c.bonus = 5;
    return c;
  }

  bool add_placed(const Negative& negative, const Placement& c, bool standard) {
    Result<CaseProgram> made =
        apply_context(c.context(), negative.call, c.in0, c.output);
    if (!made || reads_filled(c.context(), negative.call, c.in0)) return false;
    const Result<language::ProgramTypes> types = cases_.types_of(*made);
    if (!types) return false;
    const std::string raises = cases_.spec().name + "/" + negative.clause;
    // What elements decide, the oracle finds out when it evaluates them.
    const bool refused = types->refused == raises ||
                         (types->refused.empty() && types->undecided);
    // Elements drawn in another type are others: only one that was put there
    // is sure to stay wrong.
    if (types->undecided && c.traits->casts_operand &&
        negative.kind != "value") {
      return false;
    }
    const Placement control{negative.base, c.traits, c.in0, c.output};
    if (!refused || !cases_.add_control(control)) return false;
    CaseNames names;
    names.path = path_below(negative.path,
                            context_segment(*c.traits, negative.call, c.in0));
    names.context = c.context().name;
    names.control = cases_.path_of(control);
    add(negative, names, std::move(*made), standard);
    return true;
  }

  OpCases& cases_;
  std::map<std::size_t, std::vector<DType>> results_;  // by base
};

}  // namespace

void add_negative_cases(OpCases* cases, std::vector<std::string>* uncovered) {
  NegativeCases(cases).run(uncovered);
}

}  // namespace assay::cases
