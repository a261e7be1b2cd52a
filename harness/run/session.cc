#include "harness/run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "core/program_text.h"
#include "core/text.h"
#include "harness/records/files.h"
#include "harness/subject/places.h"
#include "harness/subject/worker.h"
#include "reference/golden/vacuity.h"
#include "suite/cases/filter.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

std::string did_you_mean(const std::string& word,
                         const std::set<std::string>& candidates) {
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const std::string& c : candidates) {
    order.emplace_back(edit_distance(word, c), c);
  }
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

std::set<std::string> rows(const language::SpecSet& specs) {
  std::set<std::string> names;
  for (const language::OpSpec& op : specs.ops) names.insert(op.name);
  for (const language::ProgramSpec& p : specs.programs) names.insert(p.name);
  return names;
}

std::string no_match(const Session& session, const std::string& filter,
                     cases::Profile profile) {
  const auto& cases = session.expansion.cases;
  const cases::Filters by_path({filter});
  for (const cases::Profile wider :
       {cases::Profile::standard, cases::Profile::full}) {
    const auto any =
        std::count_if(cases.begin(), cases.end(), [&](const cases::Case& c) {
          return c.is_in(wider) && !by_path.matching(c.path).empty();
        });
    if (any == 0 || wider <= profile) continue;
    return fmt::format(
        "'{}' matches no case of the {} profile, but {} of the {} one: add "
        "--profile {}",
        filter, profile_name(profile), any, profile_name(wider),
        profile_name(wider));
  }
  const std::string row = filter.substr(0, filter.find('/'));
  const std::set<std::string> all = rows(session.specs);
  if (all.contains(row)) {
    return fmt::format(
        "'{}' matches no case of {} (./assay list {} prints them)", filter, row,
        row);
  }
  return fmt::format("'{}' matches no case{} (./assay list prints them)",
                     filter, did_you_mean(row, all));
}

void add_scripts(const fs::path& folder, std::vector<fs::path>* files) {
  std::error_code error;
  std::set<fs::path> scripts;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".py") scripts.insert(entry.path());
  }
  files->insert(files->end(), scripts.begin(), scripts.end());
}

// A file that cannot be read has no hash.
std::vector<std::uint64_t> hashes_of(const std::vector<fs::path>& files) {
  std::vector<std::uint64_t> hashes;
  for (const fs::path& file : files) {
    if (const Result<std::string> text = read_file(file)) {
      hashes.push_back(fnv1a(*text));
    }
  }
  return hashes;
}

class OracleSource : public GoldenSource {
 public:
  explicit OracleSource(const language::SpecSet& specs) : oracle_(specs) {}
  Result<reference::Golden> golden(
      const Program& program, const std::vector<Tensor>& inputs,
      const reference::OracleOptions& options) const override {
    return oracle_.golden(program, inputs, options);
  }
  std::string vacuity(const reference::Golden& golden, const Program& program,
                      const std::vector<Tensor>& inputs,
                      double share) const override {
    return assay::reference::vacuity(golden, program, inputs, share);
  }

 private:
  reference::Oracle oracle_;
};

Error spec_errors(const std::vector<std::string>& faults) {
  return Error{fmt::format("{}\n{} spec error{}; nothing was run",
                           fmt::join(faults, "\n"), faults.size(),
                           faults.size() == 1 ? "" : "s")};
}

}  // namespace

Result<std::unique_ptr<Session>> load_session(const fs::path& specs_dir) {
  std::error_code error;
  if (!fs::is_directory(specs_dir, error)) {
    return Error{fmt::format("{}: there is no such folder of specs",
                             specs_dir.string())};
  }
  // Workers that derive code from specs read the same.
  ::setenv("ASSAY_SPECS", fs::absolute(specs_dir).c_str(), 1);
  language::LoadResult loaded = language::load_specs(specs_dir);
  std::vector<std::string> faults;
  for (const language::Diagnostic& d : loaded.errors)
    faults.push_back(language::to_string(d));
  if (!faults.empty()) return spec_errors(faults);
  auto session = std::make_unique<Session>();
  session->specs = std::move(loaded.specs);
  return session;
}

Result<std::unique_ptr<Session>> open_session(
    const fs::path& specs_dir, const std::vector<std::string>& filters) {
  Result<std::unique_ptr<Session>> loaded = load_session(specs_dir);
  if (!loaded) return loaded;
  std::unique_ptr<Session> session = std::move(*loaded);
  const Status expanded =
      expand_rows(session.get(), [&](const std::string& row) {
        return cases::may_match_row(row, filters);
      });
  if (!expanded) return expanded.error();
  if (filters.empty() && session->expansion.cases.empty()) {
    return Error{
        fmt::format("{} holds no spec with cases", specs_dir.string())};
  }
  return session;
}

Status expand_rows(Session* session,
                   const std::function<bool(const std::string& row)>& wanted) {
  session->expansion = cases::expand(session->specs, wanted);
  const std::vector<std::string>& faults = session->expansion.errors;
  return faults.empty() ? success() : Status(spec_errors(faults));
}

Result<std::vector<language::FaultSpec>> load_faults(
    const fs::path& specs_dir) {
  language::LoadResult loaded = language::load_specs_and_faults(specs_dir);
  if (loaded.errors.empty()) return std::move(loaded.faults);
  std::vector<std::string> lines;
  for (const language::Diagnostic& d : loaded.errors) {
    lines.push_back(language::to_string(d));
  }
  return Error{fmt::format("{}", fmt::join(lines, "\n"))};
}

Result<std::vector<const cases::Case*>> select_cases(
    const Session& session, const std::vector<std::string>& filters,
    cases::Profile profile) {
  std::vector<const cases::Case*> out;
  const cases::Filters by_path(filters);
  std::vector<bool> used(filters.size(), false);
  for (const cases::Case& c : session.expansion.cases) {
    if (!c.is_in(profile)) continue;
    const std::vector<std::size_t> matching = by_path.matching(c.path);
    for (const std::size_t n : matching) used[n] = true;
    if (filters.empty() || !matching.empty()) out.push_back(&c);
  }
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (!used[i]) faults.push_back(no_match(session, filters[i], profile));
  }
  if (!faults.empty()) {
    return Error{fmt::format("{}", fmt::join(faults, "\n"))};
  }
  if (out.empty()) {
    return Error{fmt::format("the {} profile is empty: --profile full",
                             profile_name(profile))};
  }
  return out;
}

std::size_t count_cases(const Session& session,
                        const std::vector<std::string>& filters) {
  const auto& cases = session.expansion.cases;
  if (filters.empty()) return cases.size();
  const cases::Filters by_path(filters);
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(),
      [&](const cases::Case& c) { return !by_path.matching(c.path).empty(); }));
}

Result<const cases::Case*> find_case(const Session& session,
                                     const std::string& path) {
  std::set<std::string> near;
  for (const cases::Case& c : session.expansion.cases) {
    if (c.path == path) return &c;
    if (cases::matches(c.path, {path})) near.insert(c.path);
  }
  if (!near.empty()) {
    return Error{fmt::format("'{}' names {} cases, not one; the first is {}",
                             path, near.size(), *near.begin())};
  }
  std::set<std::string> all;
  const std::string row = path.substr(0, path.find('/'));
  for (const cases::Case& c : session.expansion.cases) {
    if (c.spec == row) all.insert(c.path);
  }
  return Error{fmt::format("there is no case '{}'{}", path,
                           all.empty() ? did_you_mean(row, rows(session.specs))
                                       : did_you_mean(path, all))};
}

std::unique_ptr<GoldenSource> live_oracle(const language::SpecSet& specs) {
  return std::make_unique<OracleSource>(specs);
}

std::vector<fs::path> program_files(const std::vector<std::string>& command) {
  std::vector<fs::path> files;
  for (const std::string& word : command) {
    std::error_code error;
    const fs::path file = word;
    if (!fs::is_regular_file(file, error)) continue;
    files.push_back(file);
    if (file.extension() != ".py") continue;
    add_scripts(file.parent_path(), &files);
    const std::string ours = (home() / "").lexically_normal().string();
    if (file.lexically_normal().string().starts_with(ours)) {
      add_scripts(home() / "kit/python/assay_worker", &files);
    }
  }
  return files;
}

std::string program_hash(const std::vector<std::uint64_t>& hashes) {
  std::string all;
  for (const std::uint64_t hash : hashes) all += fmt::format("{:016x}", hash);
  return fmt::format("{:016x}", fnv1a(all));
}

Result<std::vector<StartedColumn>> start_columns(
    const std::vector<std::string>& spellings,
    std::vector<AbsentColumn>* absent) {
  std::vector<StartedColumn> columns(spellings.size());
  std::vector<std::string> fault(columns.size());
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    Result<SubjectConfig> config = parse_subject(spellings[i]);
    if (config) {
      columns[i].config = std::move(config.value());
    } else {
      fault[i] = config.error().message;
      faults.push_back(fault[i]);
    }
  }
  if (absent == nullptr && !faults.empty()) {
    return Error{fmt::format("{}", fmt::join(faults, "\n"))};
  }
  faults.clear();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!fault[i].empty()) continue;
    threads.emplace_back([&, i] {
      columns[i].executor = std::make_unique<Worker>(columns[i].config);
      Result<Identity> identity = columns[i].executor->identify();
      if (identity) {
        columns[i].identity = std::move(identity.value());
        columns[i].identity.facts["program"] =
            program_hash(hashes_of(program_files(columns[i].config.command)));
      } else {
        fault[i] = fmt::format("subject {} cannot be started: {}", spellings[i],
                               identity.error().message);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  if (absent != nullptr) {
    std::vector<StartedColumn> present;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (fault[i].empty()) {
        present.push_back(std::move(columns[i]));
      } else {
        absent->push_back({spellings[i], fault[i]});
        faults.push_back(fault[i]);
      }
    }
    if (present.empty()) {
      return Error{fmt::format("{}", fmt::join(faults, "\n"))};
    }
    faults.clear();
    columns = std::move(present);
    fault.assign(columns.size(), "");
  }
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!fault[i].empty()) {
      faults.push_back(fault[i]);
      continue;
    }
    const auto [at, fresh] =
        names.emplace(columns[i].identity.column, columns[i].config.spelling);
    if (!fresh) {
      faults.push_back(fmt::format(
          "subjects {} and {} are one column, {}: name only one of them",
          at->second, columns[i].config.spelling, at->first));
    }
  }
  if (!faults.empty()) {
    return Error{fmt::format("{}", fmt::join(faults, "\n"))};
  }
  return columns;
}

Result<std::vector<StartedColumn>> start_chosen(
    const ColumnChoice& choice, bool every_target,
    std::vector<AbsentColumn>* absent) {
  if (!choice.subjects.empty()) return start_columns(choice.subjects);
  Result<std::vector<std::string>> subjects =
      subjects_of_device(choice.device, every_target);
  if (!subjects) return subjects.error();
  return start_columns(*subjects, choice.device == "cpu" ? nullptr : absent);
}

std::vector<ColumnPlan> plans_of(std::vector<StartedColumn>* columns) {
  std::vector<ColumnPlan> plans;
  for (StartedColumn& c : *columns) {
    ColumnPlan plan;
    plan.name = c.identity.column;
    plan.slow = c.identity.slow_compile;
    plan.promises_errors = promises_errors(c.identity.facts);
    plan.promises_rows = promises_rows(c.identity.facts);
    // Only the process itself knows whether it allocates its outputs.
    plan.needs_types =
        c.config.plugin || c.config.spelling.rfind("worker:", 0) == 0;
    plan.make = [config = c.config] {
      return std::make_unique<Worker>(config);
    };
    plan.started = std::move(c.executor);
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace assay::harness
