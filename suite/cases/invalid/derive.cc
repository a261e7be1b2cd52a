#include "suite/cases/invalid/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "suite/cases/invalid/mutate.h"
#include "suite/cases/invalid/sharing.h"
#include "suite/cases/path.h"
#include "suite/cases/quota.h"
#include "suite/cases/select.h"

namespace assay::cases {
namespace {

// What is known of a requirement while inputs are tried.
struct Search {
  const language::Requirement* requirement = nullptr;
  std::vector<Negative> found;
  std::set<std::string> paths;
  bool settled = false;  // single changes were enough
  // Inputs that broke it, but others with it: id of the other, how often.
  std::map<std::string, int> in_company;
};

class Deriver {
 public:
  Deriver(const language::OpSpec& spec, const std::vector<BaseCase>& bases,
          bool complex_elsewhere)
      : spec_(spec), bases_(bases), complex_elsewhere_(complex_elsewhere) {
    for (const language::Requirement& r : spec.requires_) {
      if (!r.derive) continue;
      searches_[r.id].requirement = &r;
    }
  }

  Derivation run() {
    if (searches_.empty()) return {};
    choose_bases();
    for (const std::size_t base : chosen_) single_changes(base);
    for (const language::Requirement& r : spec_.requires_) refused_types(r);
    for (auto& [id, search] : searches_) {
      search.settled = !search.found.empty();
    }
    for (const language::Requirement& r : spec_.requires_) {
      const auto it = searches_.find(r.id);
      if (it != searches_.end() && !it->second.settled && r.types.empty()) {
        pairs_of_changes(r);
      }
    }
    Derivation out = collect();
    for (const language::Requirement& r : spec_.requires_) {
      if (!r.derive) continue;
      for (const auto special : {is_empty, is_zero_dim}) {
        add_special(r, special, &out);
      }
      if (!complex_elsewhere_) add_complex(r, &out);
    }
    out.controls = std::move(controls_);
    return out;
  }

 private:
  static bool is_empty(const Operand& o) { return element_count(o.sizes) == 0; }
  static bool is_zero_dim(const Operand& o) { return o.sizes.empty(); }

  // Checks are forgotten where there is nothing to compute or next to nothing:
  // public reports tell of it.
  void add_special(const language::Requirement& r,
                   bool (*special)(const Operand&), Derivation* out) {
    const auto suits = [special](const Call& call) {
      const auto operands = call.operands();
      return !operands.empty() &&
             std::all_of(operands.begin(), operands.end(),
                         [&](const Operand* o) { return special(*o); });
    };
    for (const Negative& n : out->negatives) {
      if (n.clause == r.id && suits(n.call)) return;
    }
    Search& search = anew(r);
    for (std::size_t n = 0; n < bases_.size(); ++n) {
      const BaseCase& b = bases_[n];
      if (b.layout != language::Layout::contiguous || b.boundary ||
          !suits(b.call)) {
        continue;
      }
      single_changes(n);
      std::erase_if(search.found,
                    [&](const Negative& found) { return !suits(found.call); });
      if (search.found.empty()) continue;
      add_beside(varied(std::move(search.found)), out);
      return;
    }
  }

  // A compiler that computes with complex numbers may do so where the operation
  // is not one of them (pytorch#198155). Beside the others: few subjects know
  // the type.
  void add_complex(const language::Requirement& r, Derivation* out) {
    const Search& search = anew(r);
    for (const std::size_t base : chosen_) {
      for (const Mutation& m : complex_operands(bases_[base].call)) {
        try_change(base, m);
      }
      if (search.found.empty()) continue;
      add_beside(search.found, out);
      return;
    }
  }

  // The search, as if nothing had been found, and from now on no other.
  Search& anew(const language::Requirement& r) {
    sought_ = &r;
    Search& search = searches_.at(r.id);
    search.settled = false;
    search.found.clear();
    return search;
  }

  static void add_beside(const std::vector<Negative>& found, Derivation* out) {
    out->negatives.push_back(found.front());
    out->negatives.back().beside = true;
  }

  void choose_bases() {
    std::vector<Candidate> candidates;
    std::vector<std::size_t> index;
    for (std::size_t n = 0; n < bases_.size(); ++n) {
      const BaseCase& b = bases_[n];
      const std::int64_t numel = b.call.numel();
      if (b.layout != language::Layout::contiguous || b.boundary ||
          numel > kCompanyElements) {
        continue;
      }
      Candidate c{b.path, {}};
      // A check that is skipped on empty operands is found on others.
      if (numel > 2) c.bonus = 6;
      for (const Operand* o : b.call.operands()) {
        const std::string at = std::to_string(c.features.size());
        c.features.emplace_back(at + " rank " + std::to_string(o->sizes.size()),
                                4);
        c.features.emplace_back(at + " " + std::string(dtype_name(o->dtype)),
                                3);
      }
      c.features.emplace_back(shape_segment(b.call), 1);
      c.features.emplace_back(attr_segment(b.call), 2);
      // Which arguments are given at all, and as what.
      std::string kinds = "given";
      for (const CallArg& a : b.call.args) {
        kinds += " " + std::to_string(a.index());
      }
      c.features.emplace_back(kinds, 6);
      candidates.push_back(std::move(c));
      index.push_back(n);
    }
    for (const std::size_t n :
         select_varied(candidates, kNegativeBases, true)) {
      chosen_.push_back(index[n]);
    }
  }

  // Of a call without complex operands another spec of the overload decides.
  static bool is_of_real_spec(const Call& call) {
    if (!call.spec->is_of_complex()) return false;
    const auto operands = call.operands();
    return std::none_of(operands.begin(), operands.end(),
                        [](const Operand* o) { return is_complex(o->dtype); });
  }

  // Files the input under the requirement that it breaks, if it is one alone.
  void try_input(Negative n, const std::string& segment) {
    if (is_of_real_spec(n.call)) return;
    if (sought_ != nullptr && is_met(n.call, *sought_)) return;
    const Result<Violations> v = violations(n.call);
    ++tried_;
    if (!v || v->failing.empty()) return;
    const auto it = searches_.find(v->failing[0]->id);
    if (it == searches_.end() || !v->first_decides) return;
    Search& search = it->second;
    if (search.settled) return;
    if (v->failing.size() > 1) {
      ++search.in_company[v->failing[1]->id];
      return;
    }
    n.clause = it->first;
    n.path = path_below(call_path(n.call, n.clause), segment);
    if (search.paths.insert(n.path).second) {
      search.found.push_back(std::move(n));
    }
  }

  void single_changes(std::size_t base) {
    changes_.push_back(mutations(bases_[base].call));
    for (const Mutation& m : changes_.back()) try_change(base, m);
    for (const Mutation& m : sharings(bases_[base].call)) try_change(base, m);
  }

  // Operands of the first types that no kernel knows: the others are of a kind
  // with these.
  void refused_types(const language::Requirement& r) {
    const std::size_t count = std::min<std::size_t>(r.types.size(), 2);
    for (const DType t : std::span(r.types).first(count)) {
      for (const std::size_t base : chosen_) {
        for (const Mutation& m : operands_of_type(bases_[base].call, t)) {
          try_change(base, m);
        }
      }
    }
  }

  // The index of the change's control; nothing where that is no valid case.
  std::optional<std::size_t> control_of(std::size_t base, const Mutation& m) {
    if (!m.control) return base;
    BaseCase c;
    c.clause = bases_[base].clause;
    c.vacuous = bases_[base].vacuous;
    c.call = bases_[base].call;
    m.control(&c.call);
    c.path = path_below(call_path(c.call, c.clause), m.control_segment);
    const auto [at, is_new] = control_at_.emplace(c.path, std::nullopt);
    if (is_new && call_fault(c.call).empty() && is_meant(c.call)) {
      at->second = bases_.size() + controls_.size();
      controls_.push_back(std::move(c));
    }
    return at->second;
  }

  void try_change(std::size_t base, const Mutation& m) {
    const std::optional<std::size_t> control = control_of(base, m);
    if (!control) return;
    Negative n;
    n.base = *control;
    n.kind = m.kind;
    n.operand = m.operand;
    n.call = bases_[base].call;
    m.apply(&n.call);
    try_input(std::move(n), m.segment);
  }

  void try_changes(std::size_t base, const Mutation& a, const Mutation& b) {
    Negative n;
    n.base = base;
    n.kind = a.kind + "+" + b.kind;
    n.operand = b.operand ? b.operand : a.operand;
    n.call = bases_[base].call;
    a.apply(&n.call);
    b.apply(&n.call);
    try_input(std::move(n), a.segment.empty() ? b.segment : a.segment);
  }

  // A rule over several arguments may need two of them changed, both of which
  // it names. Pairs are taken in a fixed scattered order, so that a budget
  // that ends early has seen all kinds.
  void pairs_of_changes(const language::Requirement& r) {
    if (chosen_.empty()) return;
    std::set<std::string> names;
    collect_names(*r.that, &names);
    const bool shapes =
        reads_any(names, {"rank", "dim", "shape", "size", "numel", "length"});
    std::vector<std::vector<const Mutation*>> relevant;
    for (const auto& changes : changes_) {
      relevant.emplace_back();
      for (const Mutation& m : changes) {
        if (!shapes && (m.kind == "rank" || m.kind == "size")) continue;
        if (m.param.empty() || is_named(m.param, names)) {
          relevant.back().push_back(&m);
        }
      }
    }
    constexpr std::uint64_t kScatter = 1000003;  // a prime above any count
    const Search& search = searches_.at(r.id);
    for (std::size_t k = 0; k < kPairBudget; ++k) {
      if (search.found.size() >= kFullNegatives) return;
      const std::size_t which = k % chosen_.size();
      const auto& list = relevant[which];
      // Unordered pairs: (a, b) with a < b at row b of a triangle.
      const std::uint64_t pairs = list.size() * (list.size() - 1) / 2;
      const std::uint64_t turn = k / chosen_.size();
      if (turn >= pairs) continue;
      std::uint64_t place = turn * kScatter % pairs;
      std::size_t row = 1;
      while (place >= row) place -= row++;
      try_changes(chosen_[which], *list[place], *list[row]);
    }
  }

  bool is_named(const std::string& param,
                const std::set<std::string>& names) const {
    const language::Param* p = spec_.param(param);
    return names.contains(param) ||
           (p != nullptr && names.contains(p->dtype_symbol));
  }

  static bool reads_any(const std::set<std::string>& names,
                        std::initializer_list<const char*> wanted) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const char* w) { return names.contains(w); });
  }

  // Names of values and functions that the expression mentions.
  static void collect_names(const language::Expr& e,
                            std::set<std::string>* names) {
    using Kind = language::Expr::Kind;
    language::each_part(e, [names](const language::Expr& part) {
      if (part.kind == Kind::name || part.kind == Kind::call) {
        names->insert(part.text);
      }
      if (part.kind == Kind::access) names->insert("shape");
    });
  }

  Derivation collect() {
    Derivation out;
    for (const language::Requirement& r : spec_.requires_) {
      const auto it = searches_.find(r.id);
      if (it == searches_.end()) continue;
      if (it->second.found.empty()) {
        out.uncovered.push_back(why_uncovered(it->second));
        continue;
      }
      for (Negative& n : varied(std::move(it->second.found))) {
        out.negatives.push_back(std::move(n));
      }
    }
    return out;
  }

  static std::vector<Negative> varied(std::vector<Negative> found) {
    std::vector<Candidate> candidates;
    for (const Negative& n : found) candidates.push_back(describe(n));
    std::vector<Negative> out;
    for (const std::size_t n :
         select_varied(candidates, kFullNegatives, true)) {
      out.push_back(std::move(found[n]));
    }
    return out;
  }

  static Candidate describe(const Negative& n) {
    Candidate c{n.path, {{"kind " + n.kind, 6}}};
    const std::string operand =
        n.operand ? n.call.operand_names()[*n.operand] : "attr";
    c.features.emplace_back("at " + operand + " " + n.kind, 4);
    c.features.emplace_back("dtypes " + dtype_segment(n.call), 2);
    std::string ranks;
    for (const Operand* o : n.call.operands()) {
      ranks += std::to_string(o->sizes.size()) + " ";
    }
    c.features.emplace_back("ranks " + ranks, 2);
    c.features.emplace_back("attrs " + attr_segment(n.call), 1);
    for (const Operand* o : n.call.operands()) {
      for (const Poke& p : o->pokes) {
        // -1 counts from the end in other indexing; a compiler may wrap it.
        c.features.emplace_back("element " + p.text, p.text == "-1" ? 9 : 3);
      }
    }
    const std::int64_t numel = n.call.numel();
    c.bonus = numel == 0 ? 0 : (numel > 8 ? 4 : 3);
    if (is_common_pair(n.call)) c.bonus += 2;
    return c;
  }

  // Types that meet in real programs: f32 with f16 or bf16.
  static bool is_common_pair(const Call& call) {
    std::set<DType> types;
    for (const Operand* o : call.operands()) types.insert(o->dtype);
    return types == std::set<DType>{DType::f32, DType::f16} ||
           types == std::set<DType>{DType::f32, DType::bf16};
  }

  std::string why_uncovered(const Search& search) const {
    std::string why = fmt::format(
        "{}/{}: none of {} changes of {} valid inputs breaks it alone",
        spec_.name, search.requirement->id, tried_, chosen_.size());
    for (const auto& [other, times] : search.in_company) {
      why += fmt::format("; {} break {} as well", times, other);
    }
    return why +
           "; state it so that one change can break it, or say "
           "`derive: false` and why";
  }

  const language::OpSpec& spec_;
  const std::vector<BaseCase>& bases_;
  bool complex_elsewhere_;
  std::vector<std::size_t> chosen_;
  std::vector<std::vector<Mutation>> changes_;  // of each chosen base
  std::map<std::string, Search> searches_;
  std::vector<BaseCase> controls_;
  // By path: the index; nothing of what is no valid case.
  std::map<std::string, std::optional<std::size_t>> control_at_;
  std::size_t tried_ = 0;
  // Inputs that do not break it are of no use; null: each may be of some.
  const language::Requirement* sought_ = nullptr;
};

}  // namespace

Derivation derive_negatives(const language::OpSpec& spec,
                            const std::vector<BaseCase>& bases,
                            bool complex_elsewhere) {
  return Deriver(spec, bases, complex_elsewhere).run();
}

}  // namespace assay::cases
