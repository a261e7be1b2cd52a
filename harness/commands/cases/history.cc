// assay history: the same cases on one subject in several releases of torch.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/history/timeline.h"
#include "harness/judge/judge.h"
#include "harness/records/files.h"
#include "harness/records/result_json.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

struct HistoryOptions {
  std::vector<std::string> filters;
  std::string subject = "torch:inductor";
  std::vector<std::string> versions;
  std::filesystem::path out;
  cases::Profile profile = cases::Profile::full;
  int jobs = 0;
  bool markdown = false;
  bool strict = false;
  std::filesystem::path specs;
};

// The versions that env/ pins.
std::vector<std::string> pinned_versions() {
  std::vector<std::string> out;
  std::error_code failed;
  for (const auto& entry :
       std::filesystem::directory_iterator(home() / "env", failed)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kBefore = "torch-", kAfter = ".lock";
    if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) continue;
    out.push_back(name.substr(kBefore.size(),
                              name.size() - kBefore.size() - kAfter.size()));
  }
  return out;
}

// "torch:inductor{...}" of a version: "torch:inductor@2.12.0{...}".
std::string spelling_of(const std::string& subject,
                        const std::string& version) {
  const std::size_t at = std::min(subject.find('{'), subject.size());
  return subject.substr(0, at) + "@" + version + subject.substr(at);
}

// Those that the filters name; a case's whole path names it alone, not what
// contexts make of it.
Result<std::vector<const cases::Case*>> chosen_cases(const Session& session,
                                                     const HistoryOptions& o) {
  std::set<const cases::Case*> wanted;
  for (const std::string& filter : o.filters) {
    if (const auto one = find_case(session, filter)) {
      wanted.insert(*one);
      continue;
    }
    const auto some = select_cases(session, {filter}, o.profile);
    if (!some) return some.error();
    wanted.insert(some->begin(), some->end());
  }
  std::vector<const cases::Case*> out;
  for (const cases::Case& c : session.expansion.cases) {
    if (wanted.contains(&c)) out.push_back(&c);
  }
  return out;
}

CaseResult not_run(const cases::Case& c, const std::string& why) {
  CaseResult r;
  r.case_path = c.path;
  r.status = CellStatus::not_run;
  r.reason = why;
  return r;
}

class Historian {
 public:
  Historian(const HistoryOptions& o, const Session& session,
            std::vector<const cases::Case*> cases)
      : options_(o),
        cases_(std::move(cases)),
        oracle_(live_oracle(session.specs)),
        adjudicator_(
            *oracle_,
            o.strict ? reference::Numerics::strict : reference::Numerics::fused,
            &session.specs) {
    history_.subject = o.subject;
    for (const cases::Case* c : cases_) {
      history_.cases.push_back({c->path, {}});
    }
  }

  // One version after the other: each has workers and an environment of its
  // own. What one version answered is kept before the next is asked.
  int run() {
    for (const std::string& version : options_.versions) {
      const std::map<std::string, CaseResult> results = ask(version);
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        const auto it = results.find(cases_[i]->path);
        CaseResult r = it != results.end()
                           ? it->second
                           : not_run(*cases_[i], history_.absent.back());
        r.column = column_;
        lines_ += json_line(to_json(r)) + "\n";
        history_.cases[i].results.push_back(std::move(r));
      }
      if (const int fault = keep(); fault != 0) return fault;
    }
    return print(
        options_.markdown ? history_markdown(history_) : history_text(history_),
        exit_code());
  }

 private:
  std::map<std::string, CaseResult> ask(const std::string& version) {
    std::map<std::string, CaseResult> results;
    const std::string spelling = spelling_of(options_.subject, version);
    history_.releases.push_back(version);
    history_.absent.emplace_back();
    column_ = spelling;
    if (interrupt_flag()) {
      history_.absent.back() = "interrupted";
      return results;
    }
    fmt::print(stderr, "assay: {}\n", spelling);
    Result<std::vector<StartedColumn>> columns = start_columns({spelling});
    if (!columns) {
      history_.absent.back() = columns.error().message;
      return results;
    }
    column_ = columns->front().identity.column;
    ScheduleOptions schedule;
    schedule.jobs = options_.jobs > 0
                        ? options_.jobs
                        : static_cast<int>(std::max(
                              1u, std::thread::hardware_concurrency()));
    schedule.stop = &interrupt_flag();
    const ScheduleStats stats =
        run_schedule(cases_, plans_of(&*columns), adjudicator_, schedule,
                     [&results](std::size_t, const Finding& f) {
                       results.insert_or_assign(f.result.case_path, f.result);
                       return true;
                     });
    if (results.size() < cases_.size()) {
      history_.absent.back() =
          stats.lacking.empty() ? "interrupted" : stats.lacking;
    }
    return results;
  }

  int keep() const {
    if (options_.out.empty()) return 0;
    for (const auto& [name, text] :
         {std::pair<const char*, std::string>{"history.jsonl", lines_},
          {"history.md", history_markdown(history_)}}) {
      const Status kept = replace_file(options_.out / name, text);
      if (!kept) return complain(kept.error().message, 3);
    }
    return 0;
  }

  // Of the last version: history is no reason to fail.
  int exit_code() const {
    bool broken = false;
    for (const Timeline& t : history_.cases) {
      broken = broken || standing_of(t.results.back()) == Standing::broken;
    }
    const bool incomplete =
        std::any_of(history_.absent.begin(), history_.absent.end(),
                    [](const std::string& why) { return !why.empty(); });
    return incomplete ? 3 : broken ? 1 : 0;
  }

  const HistoryOptions& options_;
  std::vector<const cases::Case*> cases_;
  std::unique_ptr<GoldenSource> oracle_;
  Adjudicator adjudicator_;
  History history_;
  std::string column_;  // of the version that is asked
  std::string lines_;   // a JSON record per case and version
};

int history(HistoryOptions o) {
  if (!o.subject.starts_with("torch:") ||
      o.subject.find('@') != std::string::npos) {
    return complain(fmt::format(
        "'{}' is no backend of torch.compile without a version: --subject "
        "torch:inductor, --versions 2.11.0,2.12.0",
        o.subject));
  }
  if (o.versions.empty()) o.versions = pinned_versions();
  for (const std::string& v : o.versions) {
    if (!is_release(v)) {
      return complain(fmt::format("'{}' is no version, such as 2.12.0", v));
    }
  }
  std::sort(o.versions.begin(), o.versions.end(), is_earlier);
  o.versions.erase(std::unique(o.versions.begin(), o.versions.end()),
                   o.versions.end());
  if (o.versions.empty()) {
    return complain("no version is pinned in env/; name some: --versions");
  }
  Result<std::unique_ptr<Session>> session = open_session(o.specs, o.filters);
  if (!session) return complain(session.error().message);
  auto cases = chosen_cases(**session, o);
  if (!cases) return complain(cases.error().message);
  if (!o.out.empty()) {
    std::error_code failed;
    if (std::filesystem::exists(o.out / "history.jsonl", failed)) {
      return complain(
          fmt::format("{} holds an earlier history; name another "
                      "folder",
                      o.out.string()));
    }
    std::filesystem::create_directories(o.out, failed);
    if (failed) {
      return complain(fmt::format("{}: {}", o.out.string(), failed.message()));
    }
  }
  return Historian(o, **session, std::move(*cases)).run();
}

}  // namespace

void add_history_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<HistoryOptions>();
  CLI::App* c = app.add_subcommand(
      "history",
      "Run cases in several releases of torch, and say which release broke "
      "or mended them.");
  c->add_option("FILTER", o->filters, "cases, as of run")->required();
  c->add_option("--subject", o->subject, "a backend without a version")
      ->capture_default_str()
      ->type_name("S");
  c->add_option("--versions", o->versions,
                "releases of torch; default: those that env/ pins")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("V,V");
  c->add_option("--out", o->out,
                "folder for history.md and history.jsonl, a record per case "
                "and release")
      ->type_name("DIR");
  c->add_flag("--markdown", o->markdown, "print a Markdown table");
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024));
  add_profile_option(c, &o->profile);
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = history(*o); });
}

}  // namespace assay::harness
