// assay widths: how much the acceptance sets leave open, per operation, so
// that who writes a bound sees what it comes to and the loosest stand out.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"
#include "reference/numbers/element_order.h"
#include "reference/numbers/ulp.h"

namespace assay::harness {
namespace {

struct WidthsOptions {
  std::vector<std::string> filters;
  cases::Profile profile = cases::Profile::standard;
  std::string dtype = "f32";
  int jobs = 0;
  std::filesystem::path specs;
};

// Sets that have no width in ulp: anything may be returned, or something beside
// an exact zero may, which has no ulp.
struct Open {
  std::size_t anything = 0, around_zero = 0;
};

struct CaseWidths {
  std::vector<double> widths;
  Open open;
};

// From the least to the greatest admissible number, gaps left out, in ulp of
// the exact value: 0 where one element alone is right, 2 k where a tolerance of
// k ulp is granted. Infinity stands at 2^(emax + 1), as in docs/accuracy.md.
// Requires that the exact value is not zero, or that one element alone is
// right.
double width_of(const reference::GoldenOutput& g, std::size_t i) {
  const reference::ElementSet& e = g.elements[i];
  const DType t = g.type.dtype;
  const double beyond = std::ldexp(1.0, float_format(t).emax) * 2;
  const auto place = [&](std::uint64_t bits) {
    return std::clamp(reference::number_of_bits(t, bits), -beyond, beyond);
  };
  const auto span = [&](std::uint64_t lo, std::uint64_t hi) {
    return lo == hi ? 0.0 : place(hi) - place(lo);
  };
  double sum = 0;
  if (e.pieces) {
    for (const reference::ElementRange& r : *e.pieces) sum += span(r.lo, r.hi);
  } else {
    sum = span(e.lo, e.hi);
  }
  if (sum == 0) return 0;
  return sum / reference::ulp_of_number(float_format(t), std::fabs(g.exact[i]));
}

CaseWidths widths_of(const PreparedCase& p, DType t) {
  CaseWidths out;
  for (const reference::GoldenOutput& g : p.golden.outputs) {
    if (g.type.dtype != t) continue;
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
      const reference::ElementSet& e = g.elements[i];
      if (e.unspecified) ++out.open.anything;
      if (e.unspecified || !e.has_values) continue;
      const double w = width_of(g, i);
      if (w > 0 && g.exact[i] == 0) {
        ++out.open.around_zero;
      } else {
        out.widths.push_back(w);
      }
    }
  }
  return out;
}

struct Row {
  std::string name;
  std::vector<double> widths;  // rising
  Open open;
  double widest = -1;
  std::string widest_case;

  double at(double share) const {
    const auto n = static_cast<double>(widths.size() - 1);
    return widths[static_cast<std::size_t>(share * n)];
  }
};

// By the width that 99 % do not exceed, widest first.
std::vector<Row> rows_of(const std::vector<const cases::Case*>& cases,
                         const std::vector<CaseWidths>& widths) {
  std::map<std::string, Row> by_name;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Row& r = by_name[cases[i]->spec];
    r.name = cases[i]->spec;
    r.open.anything += widths[i].open.anything;
    r.open.around_zero += widths[i].open.around_zero;
    for (const double w : widths[i].widths) {
      r.widths.push_back(w);
      if (w <= r.widest) continue;
      r.widest = w;
      r.widest_case = cases[i]->path;
    }
  }
  std::vector<Row> out;
  for (auto& [name, row] : by_name) {
    if (row.widths.empty()) continue;
    std::sort(row.widths.begin(), row.widths.end());
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const Row& a, const Row& b) {
    return a.at(0.99) > b.at(0.99);
  });
  return out;
}

std::string table_of(const std::vector<Row>& rows, const WidthsOptions& o) {
  std::string out = fmt::format(
      "Widths of the acceptance sets of {} results, in ulp of the exact "
      "value,\n"
      "of operations alone; {} profile. 2 k where k ulp are granted. The last\n"
      "numbers count sets that have no such width.\n\n"
      "| operation | elements | median | p99 | widest | anything | around 0 "
      "| widest in |\n|---|--:|--:|--:|--:|--:|--:|---|\n",
      o.dtype, cases::profile_name(o.profile));
  for (const Row& r : rows) {
    out += fmt::format(
        "| {} | {} | {:.4g} | {:.4g} | {:.4g} | {} | {} | {} |\n", r.name,
        r.widths.size() + r.open.anything + r.open.around_zero, r.at(0.5),
        r.at(0.99), r.widest, r.open.anything, r.open.around_zero,
        r.widest == 0 ? "" : r.widest_case);
  }
  return out;
}

int run_widths(const WidthsOptions& o) {
  const std::optional<DType> t = parse_dtype(o.dtype);
  if (!t || !is_float(*t)) {
    return complain(
        fmt::format("'{}' is no float dtype; the others have no ulp", o.dtype));
  }
  Result<std::unique_ptr<Session>> session = open_session(o.specs, o.filters);
  if (!session) return complain(session.error().message);
  Result<std::vector<const cases::Case*>> selected =
      select_cases(**session, o.filters, o.profile);
  if (!selected) return complain(selected.error().message);
  // Alone: what is computed from a result has the widths of two operations.
  std::vector<const cases::Case*> cases;
  for (const cases::Case* c : *selected) {
    const bool alone =
        c->context.empty() && (*session)->specs.find_op(c->spec) != nullptr;
    if (alone && c->must_raise.empty()) cases.push_back(c);
  }
  const auto oracle = live_oracle((*session)->specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused,
                                &(*session)->specs);
  std::vector<CaseWidths> widths(cases.size());
  in_parallel(cases.size(), o.jobs, [&](std::size_t i) {
    if (interrupt_flag()) return;
    widths[i] = widths_of(*adjudicator.prepare(*cases[i]), *t);
  });
  if (interrupt_flag()) return complain("interrupted", 3);
  const std::vector<Row> rows = rows_of(cases, widths);
  if (rows.empty()) {
    return complain(fmt::format(
        "no case of the {} profile has a result of {}; --dtype names another",
        cases::profile_name(o.profile), o.dtype));
  }
  return print(table_of(rows, o));
}

}  // namespace

void add_widths_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<WidthsOptions>();
  CLI::App* c = app.add_subcommand(
      "widths",
      "Print how wide the acceptance sets are, in ulp, per operation: the "
      "loosest bounds first.");
  c->add_option("FILTER", o->filters, "globs over case paths");
  add_profile_option(c, &o->profile);
  c->add_option("--dtype", o->dtype, "of the results")->capture_default_str();
  c->add_option("-j,--jobs", o->jobs, "threads, 0: one per core");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = run_widths(*o); });
}

}  // namespace assay::harness
