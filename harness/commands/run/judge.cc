// assay judge: recorded observations judged without any subject.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "harness/certify/records_check.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/run/report_files.h"
#include "harness/judge/adjudicate.h"
#include "harness/records/identity.h"
#include "harness/records/known.h"
#include "harness/records/recording.h"
#include "harness/report/json.h"
#include "harness/report/text.h"
#include "harness/run/run.h"
#include "harness/run/session.h"
#include "harness/subject/observation.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

struct JudgeOptions {
  std::filesystem::path recording;
  bool no_known = false;
  bool json = false;
  int jobs = 0;
  ReportFiles files;
  std::filesystem::path specs, known;
};

// A recording as it is read: what was asked for, and what was seen.
struct Recorded {
  std::string profile, numerics;
  std::vector<std::string> filters;
  nlohmann::ordered_json header;
  std::vector<ColumnInfo> columns;
  std::vector<std::map<std::string, std::string>> facts;  // per column
  std::map<std::string, std::vector<RecordedObservation>> by_case;
};

// "the quick profile, filters neg abs, fused numerics"
std::string extent_text(const std::string& profile, const std::string& numerics,
                        const std::vector<std::string>& filters) {
  return fmt::format("the {} profile{}, {} numerics", profile,
                     filters.empty()
                         ? ""
                         : fmt::format(", filters {}", fmt::join(filters, " ")),
                     numerics);
}

Status take_header(const nlohmann::ordered_json& h, Recorded* out) {
  try {
    const auto profile = h.at("profile").get<std::string>();
    const auto numerics = h.at("numerics").get<std::string>();
    const auto filters = h.at("filters").get<std::vector<std::string>>();
    if (!out->header.is_null() &&
        (profile != out->profile || numerics != out->numerics ||
         filters != out->filters)) {
      return Error{fmt::format(
          "this recording is of {}, those before it are of {}: judge its file "
          "by itself",
          extent_text(profile, numerics, filters),
          extent_text(out->profile, out->numerics, out->filters))};
    }
    if (!cases::parse_profile(profile) ||
        (numerics != "fused" && numerics != "strict")) {
      return Error{"unknown profile or numerics"};
    }
    out->profile = profile;
    out->numerics = numerics;
    out->filters = filters;
    if (out->header.is_null()) out->header = h;
    for (const auto& c : h.at("columns")) {
      const auto name = c.at("column").get<std::string>();
      const bool there = std::any_of(
          out->columns.begin(), out->columns.end(),
          [&](const ColumnInfo& known) { return known.name == name; });
      if (there)
        return Error{
            fmt::format("column {} is in a recording before this one, too: "
                        "judge its file by itself",
                        name)};
      out->columns.push_back({name, c.at("subject").get<std::string>()});
      out->facts.push_back(
          c.at("facts").get<std::map<std::string, std::string>>());
    }
    return success();
  } catch (const std::exception& e) {
    return Error{fmt::format("the header is not whole: {}", e.what())};
  }
}

Result<Recorded> read(const std::filesystem::path& path,
                      const Session& session) {
  std::map<std::string, const cases::Case*> cases;
  for (const cases::Case& c : session.expansion.cases)
    cases.emplace(c.path, &c);
  std::map<std::string, std::uint64_t> hashes;
  Recorded out;
  RecordingReader reader;
  reader.on_header = [&](const nlohmann::ordered_json& h) {
    return take_header(h, &out);
  };
  reader.on_observation = [&](RecordedObservation o) -> Status {
    const auto c = cases.find(o.case_path);
    if (c == cases.end()) {
      return Error{fmt::format("the specs have no case {}", o.case_path)};
    }
    const auto [hash, fresh] = hashes.emplace(o.case_path, 0);
    if (fresh) {
      hash->second = identity_of(*c->second, c->second->make_inputs());
    }
    if (hash->second != o.case_hash) {
      return Error{
          fmt::format("{} was recorded with another program or other "
                      "inputs than the specs give now: record it "
                      "again",
                      o.case_path)};
    }
    const auto known_column = std::find_if(
        out.columns.begin(), out.columns.end(),
        [&](const ColumnInfo& known) { return known.name == o.column; });
    if (known_column == out.columns.end()) {
      return Error{fmt::format("column {} is not in the header", o.column)};
    }
    const auto& facts =
        out.facts[static_cast<std::size_t>(known_column - out.columns.begin())];
    o.observation.torch = followed_release(facts);
    o.observation.flush = declared_flush(facts);
    out.by_case[o.case_path].push_back(std::move(o));
    return success();
  };
  const Status done = read_recording(path, reader);
  if (!done.ok()) return done.error();
  return out;
}

// The results of one case: one per column that has observations of it. Where
// a column has several that differ in kind, the case is flaky there.
std::vector<CaseResult> judge_case(
    const cases::Case& c, const std::vector<RecordedObservation>& observations,
    const Adjudicator& adjudicator) {
  const auto prepared = adjudicator.prepare(c);
  std::map<std::string, std::vector<RecordedObservation>> by_column;
  for (const RecordedObservation& o : observations) {
    by_column[o.column].push_back(o);
  }
  std::vector<CaseResult> out;
  for (const auto& [column, own] : by_column) {
    out.push_back(judge_observations(*prepared, own, adjudicator));
    out.back().column = column;
  }
  return out;
}

std::vector<CaseResult> judge_all(const Recorded& recorded,
                                  const std::vector<const cases::Case*>& cases,
                                  const Adjudicator& adjudicator, int jobs) {
  std::vector<std::vector<CaseResult>> parts(cases.size());
  in_parallel(cases.size(), jobs, [&](std::size_t i) {
    const auto at = recorded.by_case.find(cases[i]->path);
    if (at == recorded.by_case.end()) return;
    parts[i] = judge_case(*cases[i], at->second, adjudicator);
  });
  std::vector<CaseResult> out;
  for (auto& part : parts) {
    for (CaseResult& r : part) out.push_back(std::move(r));
  }
  return out;
}

int judge(JudgeOptions o) {
  if (const std::string fault = unwritable(o.files); !fault.empty()) {
    return complain(fault);
  }
  Result<std::unique_ptr<Session>> opened = open_session(o.specs);
  if (!opened) return complain(opened.error().message);
  const Session& session = **opened;
  const Result<Recorded> recorded = read(o.recording, session);
  if (!recorded) return complain(recorded.error().message);
  Result<std::vector<const cases::Case*>> cases = select_cases(
      session, recorded->filters, *cases::parse_profile(recorded->profile));
  if (!cases) return complain(cases.error().message);
  std::vector<KnownList> known(recorded->columns.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (o.no_known || o.known.empty()) continue;
    Result<KnownList> list =
        load_known_of(o.known, recorded->columns[i].name, recorded->facts[i],
                      recorded->header.value("cpu", ""));
    if (!list) return complain(list.error().message);
    known[i] = std::move(list.value());
  }
  const auto oracle = live_oracle(session.specs);
  const Adjudicator adjudicator(*oracle,
                                recorded->numerics == "strict"
                                    ? reference::Numerics::strict
                                    : reference::Numerics::fused,
                                &session.specs);
  Report report;
  report.header = recorded->header;
  report.version = program_version();
  report.profile = recorded->profile;
  report.numerics = recorded->numerics;
  report.filters = recorded->filters;
  report.cases_in_suite = count_cases(session, recorded->filters);
  report.cases = case_infos(session.specs, *cases);
  report.columns = recorded->columns;
  report.results = judge_all(*recorded, *cases, adjudicator, o.jobs);
  std::vector<std::string> order, names;
  for (const cases::Case* c : *cases) order.push_back(c->path);
  for (const ColumnInfo& c : report.columns) names.push_back(c.name);
  finalise(order, names, known, today_utc(), &report.results);
  report.stale = all_stale_entries(names, known, report.results,
                                   extent_of(report), today_utc());
  const GateDecision decision = decide(report);
  PageInput page = page_input(session, report, decision);
  page.runs.emplace_back(o.recording.filename().string(), report.header);
  const std::string faults =
      write_report_files(o.files, report, report, decision, page);
  const int code = print(o.json ? json_report(report, decision)
                                : text_report(report, decision, {}),
                         decision.exit_code);
  return faults.empty() ? code : complain(faults, kIncomplete);
}

}  // namespace

void add_judge_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<JudgeOptions>();
  CLI::App* c = app.add_subcommand(
      "judge",
      "Judge recorded observations without any subject. `assay run "
      "--record FILE` makes a recording.");
  c->add_option("RECORDING", o->recording, "a recording, or a folder of them")
      ->required();
  c->add_flag("--no-known", o->no_known,
              "judge as if results/known were empty");
  c->add_flag("--json", o->json, "print the report as JSON");
  add_report_file_options(c, &o->files);
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024));
  add_specs_option(c, &o->specs);
  CLI::Option* known =
      c->add_option("--known", o->known,
                    "folder of known failures; default results/known, none "
                    "if --specs is given");
  c->callback([=] {
    if (known->empty() && c->get_option("--specs")->empty()) {
      o->known = home() / "results" / "known";
    }
    *exit_code = judge(*o);
  });
}

}  // namespace assay::harness
