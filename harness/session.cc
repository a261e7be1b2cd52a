#include "harness/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "harness/live.h"
#include "suite/load.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Edit distance, for suggestions only.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min(
          {above + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row.back();
}

std::string nearest(const std::string& word,
                    const std::set<std::string>& candidates) {
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const std::string& c : candidates)
    order.emplace_back(distance(word, c), c);
  std::sort(order.begin(), order.end());
  std::vector<std::string> out;
  for (const auto& [d, name] : order) {
    if (out.size() == 3 || d > std::max<std::size_t>(2, word.size() / 2)) break;
    out.push_back(name);
  }
  return out.empty()
             ? ""
             : fmt::format("; did you mean {}?", fmt::join(out, " or "));
}

std::string no_match(const Session& session, const std::string& filter,
                     bool full) {
  const auto& cases = session.expansion.cases;
  const auto any =
      std::count_if(cases.begin(), cases.end(),
                    [&](const Case& c) { return matches(c.path, {filter}); });
  if (any > 0 && !full) {
    return fmt::format(
        "'{}' matches no case of the quick profile, but {} of "
        "the full one: add --profile full",
        filter, any);
  }
  std::set<std::string> rows;
  for (const Case& c : cases) rows.insert(c.spec);
  return fmt::format(
      "'{}' matches none of the {} cases{} (./assay list "
      "prints them)",
      filter, cases.size(), nearest(filter.substr(0, filter.find('/')), rows));
}

}  // namespace

fs::path home() {
  const char* set = std::getenv("ASSAY_HOME");
  return set != nullptr && *set != '\0' ? fs::path(set)
                                        : fs::path(ASSAY_SOURCE_DIR);
}

Result<std::unique_ptr<Session>> open_session(const fs::path& specs_dir) {
  std::error_code error;
  if (!fs::is_directory(specs_dir, error)) {
    return Error{fmt::format("{}: there is no such folder of specs",
                             specs_dir.string())};
  }
  LoadResult loaded = load_specs(specs_dir);
  std::vector<std::string> faults;
  for (const Diagnostic& d : loaded.errors) faults.push_back(to_string(d));
  auto session = std::make_unique<Session>();
  session->specs = std::move(loaded.specs);
  if (faults.empty()) {
    session->expansion = expand(session->specs);
    faults = session->expansion.errors;
  }
  if (!faults.empty()) {
    return Error{fmt::format("{}\n{} spec error{}; nothing was run",
                             fmt::join(faults, "\n"), faults.size(),
                             faults.size() == 1 ? "" : "s")};
  }
  if (session->expansion.cases.empty()) {
    return Error{
        fmt::format("{} holds no spec with cases", specs_dir.string())};
  }
  return session;
}

Result<std::vector<const Case*>> select_cases(
    const Session& session, const std::vector<std::string>& filters,
    bool full) {
  std::vector<const Case*> out;
  std::vector<bool> used(filters.size(), false);
  for (const Case& c : session.expansion.cases) {
    if (!full && !c.quick) continue;
    bool wanted = filters.empty();
    for (std::size_t i = 0; i < filters.size(); ++i) {
      if (!matches(c.path, {filters[i]})) continue;
      used[i] = true;
      wanted = true;
    }
    if (wanted) out.push_back(&c);
  }
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (!used[i]) faults.push_back(no_match(session, filters[i], full));
  }
  if (!faults.empty()) {
    return Error{fmt::format("{}", fmt::join(faults, "\n"))};
  }
  if (out.empty()) return Error{"the quick profile is empty: --profile full"};
  return out;
}

Result<const Case*> find_case(const Session& session, const std::string& path) {
  std::set<std::string> near;
  for (const Case& c : session.expansion.cases) {
    if (c.path == path) return &c;
    if (matches(c.path, {path})) near.insert(c.path);
  }
  if (!near.empty()) {
    return Error{fmt::format("'{}' names {} cases, not one; the first is {}",
                             path, near.size(), *near.begin())};
  }
  std::set<std::string> all;
  const std::string row = path.substr(0, path.find('/'));
  for (const Case& c : session.expansion.cases) {
    if (c.spec == row) all.insert(c.path);
  }
  if (all.empty()) {
    for (const Case& c : session.expansion.cases) all.insert(c.spec);
    return Error{
        fmt::format("there is no case '{}'{}", path, nearest(row, all))};
  }
  return Error{
      fmt::format("there is no case '{}'{}", path, nearest(path, all))};
}

std::vector<CaseInfo> case_infos(const Session& session,
                                 const std::vector<const Case*>& cases) {
  std::set<std::string> programs;
  for (const ProgramSpec& p : session.specs.programs) programs.insert(p.name);
  std::vector<CaseInfo> out;
  for (const Case* c : cases) out.push_back({c->path, c->spec});
  std::stable_sort(out.begin(), out.end(),
                   [&](const CaseInfo& a, const CaseInfo& b) {
                     const bool pa = programs.count(a.row) != 0;
                     const bool pb = programs.count(b.row) != 0;
                     return pa != pb ? pa : a.row < b.row;
                   });
  return out;
}

Result<std::vector<StartedColumn>> start_columns(
    const std::vector<std::string>& spellings) {
  std::vector<StartedColumn> columns(spellings.size());
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    Result<SubjectConfig> config = parse_subject(spellings[i]);
    if (config) {
      columns[i].config = std::move(config.value());
    } else {
      faults.push_back(config.error().message);
    }
  }
  if (!faults.empty()) {
    return Error{fmt::format("{}", fmt::join(faults, "\n"))};
  }
  std::vector<std::string> fault(columns.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    threads.emplace_back([&, i] {
      columns[i].executor = live_executor(columns[i].config);
      Result<Identity> identity = columns[i].executor->identify();
      if (identity) {
        columns[i].identity = std::move(identity.value());
      } else {
        fault[i] = fmt::format("subject {} cannot be started: {}", spellings[i],
                               identity.error().message);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!fault[i].empty()) {
      faults.push_back(fault[i]);
      continue;
    }
    const auto [at, fresh] =
        names.emplace(columns[i].identity.column, spellings[i]);
    if (!fresh) {
      faults.push_back(fmt::format(
          "subjects {} and {} are one column, {}: name only one of them",
          at->second, spellings[i], at->first));
    }
  }
  if (!faults.empty()) {
    return Error{fmt::format("{}", fmt::join(faults, "\n"))};
  }
  return columns;
}

}  // namespace assay
