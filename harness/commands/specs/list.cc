// assay list: the cases, one path per line.
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/result_json.h"
#include "harness/run/session.h"

namespace assay::harness {
namespace {

struct ListOptions {
  std::vector<std::string> filters;
  cases::Profile profile = cases::Profile::full;
  bool rows = false;
  bool json = false;
  std::filesystem::path specs;
};

std::string rows_text(const std::vector<const cases::Case*>& cases) {
  std::map<std::string, std::array<std::size_t, 3>> rows;
  for (const cases::Case* c : cases) {
    auto& counts = rows[c->spec];
    ++counts[0];
    counts[1] += c->is_in(cases::Profile::standard) ? 1 : 0;
    counts[2] += c->is_in(cases::Profile::quick) ? 1 : 0;
  }
  std::string out;
  for (const auto& [row, counts] : rows) {
    out += fmt::format("{} {} {} {}\n", row, counts[2], counts[1], counts[0]);
  }
  return out;
}

int list(const ListOptions& o) {
  Result<std::unique_ptr<Session>> session = open_session(o.specs, o.filters);
  if (!session) return complain(session.error().message);
  Result<std::vector<const cases::Case*>> cases =
      select_cases(**session, o.filters, o.profile);
  if (!cases) return complain(cases.error().message);
  if (o.rows) return print(rows_text(*cases));
  std::string out;
  for (const cases::Case* c : *cases) {
    if (!o.json) {
      out += c->path + "\n";
      continue;
    }
    out += json_line({{"case", c->path},
                      {"row", c->spec},
                      {"clause", c->clause},
                      {"context", c->context},
                      {"profile", cases::profile_name(c->profile)},
                      {"must_raise", c->must_raise},
                      {"control", c->control}}) +
           "\n";
  }
  return print(out);
}

}  // namespace

void add_list_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ListOptions>();
  CLI::App* c = app.add_subcommand("list", "Print the paths of cases.");
  c->add_option("FILTER", o->filters, "globs over case paths");
  add_profile_option(c, &o->profile);
  c->add_flag("--rows", o->rows,
              "a line per operation: name, cases of the quick, the standard "
              "and the full profile");
  c->add_flag("--json", o->json, "a JSON record per case");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = list(*o); });
}

}  // namespace assay::harness
