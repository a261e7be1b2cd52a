#include "suite/cases/expand/expand.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/in_parallel.h"
#include "core/writes.h"
#include "suite/cases/contexts/contexts.h"
#include "suite/cases/expand/negative_cases.h"
#include "suite/cases/expand/op_cases.h"
#include "suite/cases/expand/program_cases.h"
#include "suite/cases/path.h"
#include "suite/cases/quota.h"
#include "suite/language/syntax/located_text.h"

namespace assay::cases {
namespace {

void mark_standard(std::size_t limit, OpCases* cases,
                   const std::function<bool(const BaseCase&)>& among) {
  std::vector<Candidate> candidates;
  for (const BaseCase& b : cases->bases()) {
    if (b.standard && among(b)) candidates.push_back(describe_base(b));
  }
  for (const std::size_t n : select_varied(candidates, limit, false)) {
    cases->find(candidates[n].key)->profile = Profile::standard;
  }
}

// Cases that may be put into contexts, by their index.
struct Hosts {
  std::vector<Candidate> candidates;
  std::vector<std::size_t> index;

  void select(std::size_t limit, std::vector<std::size_t>* out) const {
    for (const std::size_t n : select_varied(candidates, limit, false)) {
      if (std::find(out->begin(), out->end(), index[n]) == out->end()) {
        out->push_back(index[n]);
      }
    }
  }
};

bool is_few_narrow(const Call& call) {
  const auto operands = call.operands();
  const std::int64_t numel = call.numel();
  return numel > 1 && numel <= kFewElements &&
         std::all_of(operands.begin(), operands.end(), [](const Operand* o) {
           return is_integer(o->dtype) && size_bytes(o->dtype) < 4;
         });
}

bool has_no_dimension(const Call& call) {
  const auto operands = call.operands();
  return !operands.empty() && operands[0]->sizes.empty();
}

bool asks_for_contexts(const BaseCase& b) {
  return b.all_contexts || !b.contexts.empty();
}

// Which contexts are placed together: those that groups ask for, those for
// calls that return views, and those that stand around calls of each group.
enum class Company { asked, views, everywhere };

Company company_of(const language::ContextSpec& context) {
  if (context.views.value_or(false)) return Company::views;
  return context.everywhere ? Company::everywhere : Company::asked;
}

// The valid cases that are put into contexts: a few of each group and type, of
// the groups that ask for it, or of any.
std::vector<std::size_t> context_hosts(const OpCases& cases, bool any,
                                       Company company) {
  const bool everywhere = company == Company::everywhere;
  Hosts all, few;
  for (std::size_t n = 0; n < cases.bases().size(); ++n) {
    const BaseCase& b = cases.bases()[n];
    if (!any && !asks_for_contexts(b)) continue;
    const std::int64_t numel = b.call.numel();
    const bool empty = numel == 0 && !b.call.operands().empty();
    if (empty || numel > kCompanyElements) continue;
    Candidate c{b.path, {}, input_bonus(b.call)};
    if (everywhere) {
      c.features.emplace_back("attrs " + attr_segment(b.call), 4);
      c.features.emplace_back("types " + dtype_segment(b.call), 3);
      if (has_no_dimension(b.call)) c.features.emplace_back("0d", 8);
    } else {
      c.features.emplace_back(b.clause + " " + dtype_segment(b.call), 4);
      c.features.emplace_back(b.clause + " " + attr_segment(b.call), 2);
    }
    for (Hosts* hosts : {&all, is_few_narrow(b.call) ? &few : nullptr}) {
      if (hosts == nullptr) continue;
      hosts->candidates.push_back(c);
      hosts->index.push_back(n);
    }
  }
  std::vector<std::size_t> hosts;
  all.select(everywhere ? kFullEverywhereBases : kFullContextBases, &hosts);
  few.select(kFullFewContextBases, &hosts);
  return hosts;
}

bool wanted(const BaseCase& b, const language::ContextSpec& context) {
  return context.writes || company_of(context) != Company::asked ||
         (b.all_contexts && !context.named) ||
         std::find(b.contexts.begin(), b.contexts.end(), context.name) !=
             b.contexts.end();
}

Candidate describe(const BaseCase& b, const language::ContextSpec& context,
                   const std::string& path) {
  Candidate c = describe_base(b);
  c.key = path;
  c.features.emplace_back("context " + context.name, 8);
  // What observers look for is among the special values.
  if (is_observer(context) && !has_regular_inputs(b.call)) c.bonus += 3;
  return c;
}

// Placed cases of which some are standard ones: those whose operand is one
// number beside all others, as they ask what the others do not.
struct Placed {
  std::vector<Candidate> others, filled;
};

void place_in_contexts(bool any, Company company, OpCases* cases,
                       Placed* standard) {
  for (const std::size_t n : context_hosts(*cases, any, company)) {
    const BaseCase& b = cases->bases()[n];
    const std::vector<DType> results = result_dtypes(b.call);
    for (const ContextTraits& traits : cases->contexts()) {
      const language::ContextSpec& context = *traits.context;
      if (company_of(context) != company || !wanted(b, context)) continue;
      const auto output = cases->suits(traits, b.call, results);
      const auto in0 = choose_operand(traits, b.call);
      if (!output || !in0 || reads_filled(context, b.call, *in0)) continue;
      const Placement c{n, &traits, *in0, *output};
      if (!cases->add_placed(c) || !b.standard || !is_standard(context)) {
        continue;
      }
      auto& list = fills_operand(context) ? standard->filled : standard->others;
      list.push_back(describe(b, context, cases->path_of(c)));
    }
  }
}

// Calls that write are for the contexts that look at it, and views for those
// that write into them, whether a group asks for contexts or not.
void add_context_cases(OpCases* cases) {
  const bool writes = !cases->spec().writes.empty();
  const bool any =
      writes && std::none_of(cases->bases().begin(), cases->bases().end(),
                             asks_for_contexts);
  Placed standard;
  place_in_contexts(any, Company::asked, cases, &standard);
  place_in_contexts(true, Company::everywhere, cases, &standard);
  if (is_about_views(cases->spec())) {
    place_in_contexts(true, Company::views, cases, &standard);
  }
  const auto mark = [&](const std::vector<Candidate>& list, std::size_t limit) {
    for (const std::size_t n : select_varied(list, limit, false)) {
      cases->find(list[n].key)->profile = Profile::standard;
    }
  };
  mark(standard.others, kStandardContexts);
  mark(standard.filled, kStandardFilled);
}

// Cases of the standard profile and their controls are marked.
void add_op(const language::SpecSet& specs, const language::OpSpec& spec,
            Expansion* out) {
  OpCases cases(specs, spec);
  cases.add_valid();
  mark_standard(kStandardAlone, &cases,
                [](const BaseCase& b) { return !b.boundary; });
  mark_standard(kStandardBoundaries, &cases,
                [](const BaseCase& b) { return b.boundary && !b.solved; });
  mark_standard(kStandardSolved, &cases,
                [](const BaseCase& b) { return b.solved; });
  add_context_cases(&cases);
  add_negative_cases(&cases, &out->uncovered);
  cases.finish(out);
}

// Null if there is none; `out` is in path order.
Case* find_case(Expansion* out, const std::string& path) {
  const auto at = std::lower_bound(
      out->cases.begin(), out->cases.end(), path,
      [](const Case& c, const std::string& p) { return c.path < p; });
  return at != out->cases.end() && at->path == path ? &*at : nullptr;
}

// An operation or a program.
struct Row {
  const language::OpSpec* op = nullptr;
  const language::ProgramSpec* program = nullptr;
  const std::string& name() const { return op ? op->name : program->name; }
};

std::vector<Row> rows_of(const language::SpecSet& specs,
                         const RowFilter& wanted) {
  std::vector<Row> rows;
  for (const language::OpSpec& op : specs.ops) rows.push_back({&op, nullptr});
  for (const language::ProgramSpec& p : specs.programs) {
    rows.push_back({nullptr, &p});
  }
  if (wanted) {
    std::erase_if(rows, [&](const Row& r) { return !wanted(r.name()); });
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.name() < b.name();
  });
  return rows;
}

Expansion expand_row(const language::SpecSet& specs, const Row& row) {
  Expansion out;
  if (row.op != nullptr) {
    add_op(specs, *row.op, &out);
  } else {
    add_program_cases(specs, *row.program, &out.cases, &out.errors);
  }
  std::stable_sort(
      out.cases.begin(), out.cases.end(),
      [](const Case& a, const Case& b) { return a.path < b.path; });
  return out;
}

template <class T>
void move_to(std::vector<T>* to, std::vector<T>* from) {
  to->insert(to->end(), std::make_move_iterator(from->begin()),
             std::make_move_iterator(from->end()));
}

}  // namespace

// Rows one after another are in the order of paths: a path goes on from its
// row's name with '/', which comes before all that longer names go on with.
Expansion expand_by_quota(const language::SpecSet& specs,
                          const RowFilter& wanted) {
  const std::vector<Row> rows = rows_of(specs, wanted);
  std::vector<Expansion> parts(rows.size());
  in_parallel(rows.size(), 0,
              [&](std::size_t i) { parts[i] = expand_row(specs, rows[i]); });
  Expansion out;
  for (Expansion& part : parts) {
    move_to(&out.cases, &part.cases);
    move_to(&out.errors, &part.errors);
    move_to(&out.uncovered, &part.uncovered);
  }
  for (std::size_t n = 1; n < out.cases.size(); ++n) {
    if (out.cases[n].path == out.cases[n - 1].path) {
      out.errors.push_back("two cases are called " + out.cases[n].path +
                           ": rename an operation or a program");
    }
  }
  return out;
}

void mark_quick(const language::QuickCases& quick, const RowFilter& wanted,
                Expansion* out) {
  for (Case& c : out->cases) {
    const bool chosen = quick.rows.contains(c.spec);
    if (!chosen && c.profile == Profile::standard) c.profile = Profile::quick;
  }
  for (const auto& [row, names] : quick.rows) {
    if (wanted && !wanted(row)) continue;
    for (const language::QuickCase& name : names) {
      const std::string path =
          name.name == "." ? row : path_below(row, name.name);
      if (Case* chosen = find_case(out, path)) {
        chosen->profile = Profile::quick;
        Case* control = find_case(out, chosen->control);
        if (control != nullptr && !control->is_in(Profile::standard)) {
          control->profile = Profile::standard;
        }
        continue;
      }
      const language::Diagnostic gone = {
          quick.file, name.pos,
          "there is no case '" + path +
              "' any more: choose the quick profile anew, see ./assay "
              "profile --help"};
      out->outdated.push_back(language::to_string(gone));
    }
  }
}

Expansion expand(const language::SpecSet& specs, const RowFilter& wanted) {
  Expansion out = expand_by_quota(specs, wanted);
  mark_quick(specs.quick, wanted, &out);
  return out;
}

}  // namespace assay::cases
