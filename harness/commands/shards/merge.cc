// assay merge: the shards of a run, joined to what one run would have left.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/run/out_folder.h"
#include "harness/commands/run/outcome.h"
#include "harness/records/identity.h"
#include "harness/records/known.h"
#include "harness/records/recording.h"
#include "harness/records/results_file.h"
#include "harness/report/gate.h"
#include "harness/run/run.h"
#include "harness/run/session.h"
#include "harness/shard/costs.h"
#include "harness/shard/join.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct MergeOptions {
  std::vector<fs::path> dirs;
  fs::path out;
  bool no_known = false;
  OutcomeOptions outcome;
  fs::path specs, known;
  bool other_specs = false;
};

// What the header says was asked for.
struct Asked {
  std::vector<std::string> filters;
  cases::Profile profile = cases::Profile::quick;
  std::string numerics;
  std::vector<ColumnInfo> columns;
  std::vector<std::map<std::string, std::string>> facts;  // per column
};

Result<Asked> asked_in(const ordered_json& header) {
  try {
    Asked out;
    out.filters = header.at("filters").get<std::vector<std::string>>();
    out.numerics = header.at("numerics").get<std::string>();
    const auto profile =
        cases::parse_profile(header.at("profile").get<std::string>());
    if (!profile) return Error{"unknown profile"};
    out.profile = *profile;
    for (const auto& c : header.at("columns")) {
      out.columns.push_back({c.at("column").get<std::string>(),
                             c.at("subject").get<std::string>()});
      out.facts.push_back(
          c.at("facts").get<std::map<std::string, std::string>>());
    }
    return out;
  } catch (const std::exception& e) {
    return Error{fmt::format("the shards' header is not whole: {}", e.what())};
  }
}

// The command that runs a shard, or what is left of it.
std::string shard_command(const MergeOptions& o, const Asked& asked,
                          const JoinFault& fault, bool recorded) {
  std::string out = "./assay run";
  for (const std::string& f : asked.filters) out += " " + shell_quoted(f);
  for (const ColumnInfo& c : asked.columns) {
    out += " --subject " + shell_quoted(c.spelling);
  }
  out += fmt::format(" --profile {}", profile_name(asked.profile));
  if (asked.numerics == "strict") out += " --strict";
  if (o.other_specs) out += " --specs " + shell_quoted(o.specs.string());
  out += fmt::format(" --shard {}", to_string(fault.shard));
  const fs::path dir = fault.dir.empty() ? "DIR" : fault.dir;
  if (recorded) {
    out += " --record " + shell_quoted((dir / kRecordingFile).string());
  }
  return out + " --resume --out " + shell_quoted(dir.string());
}

// All faults, and how to mend those that a run mends.
int refuse(const MergeOptions& o, const Asked* asked, bool recorded,
           const std::vector<JoinFault>& faults) {
  for (const JoinFault& fault : faults) {
    complain(fault.text);
    if (!fault.rerun || asked == nullptr) continue;
    complain("complete it with\n  " +
             shard_command(o, *asked, fault, recorded));
  }
  return complain("the shards do not make a whole run; nothing was written",
                  kIncomplete);
}

int merge(const MergeOptions& o) {
  const Status usage = check_outcome(o.outcome);
  if (!usage) return complain(usage.error().message);
  const Result<std::optional<Baseline>> baseline = baseline_of(o.outcome);
  if (!baseline) return complain(baseline.error().message);
  std::error_code error;
  if (fs::exists(o.out / "results.jsonl", error)) {
    return complain(
        fmt::format("{} holds results already: name another folder with --out",
                    o.out.string()));
  }
  std::vector<JoinFault> faults;
  const ShardFolders shards = read_shards(o.dirs, &faults);
  if (shards.folders.empty()) return refuse(o, nullptr, false, faults);
  const Result<Asked> asked = asked_in(shards.header);
  if (!asked) return complain(asked.error().message, kIncomplete);
  bool recorded = false;
  for (const ShardFolder& f : shards.folders) {
    recorded = recorded || !f.recordings.empty();
  }

  Result<std::unique_ptr<Session>> opened = open_session(o.specs);
  if (!opened) return complain(opened.error().message);
  const Session& session = **opened;
  const std::string hash = fmt::format("{:016x}", session.specs.hash);
  if (const auto there = shards.header.value("spec_hash", ""); there != hash) {
    faults.push_back({fmt::format("the shards are of the specs {}, {} holds {}",
                                  there, o.specs.string(), hash),
                      {},
                      {},
                      false});
    return refuse(o, &asked.value(), recorded, faults);
  }
  const Result<std::vector<const cases::Case*>> cases =
      select_cases(session, asked->filters, asked->profile);
  if (!cases) return complain(cases.error().message, kIncomplete);
  const Result<CostTable> costs = load_costs(costs_file());
  if (!costs) return complain(costs.error().message);
  const ShardPlan plan = plan_shards(
      *cases, costs_of(*cases, shards.columns, *costs), shards.count);
  const ordered_json planned = shard_header(plan, shards.folders[0].shard);
  if (planned != shards.folders[0].header.at(kShardField)) {
    faults.push_back(
        {fmt::format("the shards follow another plan than this program with {} "
                     "makes ({}, not {}): join them with what ran them",
                     costs_file().string(),
                     shards.folders[0].header[kShardField].value("plan", ""),
                     planned.value("plan", "")),
         {},
         {},
         false});
    return refuse(o, &asked.value(), recorded, faults);
  }
  std::vector<CaseResult> results = join(shards, *cases, plan, &faults);
  if (!faults.empty()) return refuse(o, &asked.value(), recorded, faults);

  std::vector<KnownList> known(asked->columns.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (o.no_known || o.known.empty()) continue;
    Result<KnownList> list =
        load_known_of(o.known, asked->columns[i].name, asked->facts[i],
                      shards.header.value("cpu", ""));
    if (!list) return complain(list.error().message);
    known[i] = std::move(list.value());
  }
  std::vector<std::string> paths;
  for (const cases::Case* c : *cases) paths.push_back(c->path);
  finalise(paths, shards.columns, known, today_utc(), &results);

  Result<Records> records = Records::open(o.out, shards.header, nullptr);
  if (!records) return complain(records.error().message);
  const Status joined =
      join_recordings(shards, *cases, plan, o.out / kRecordingFile, &faults);
  if (!joined) return complain(joined.error().message, kIncomplete);
  if (!faults.empty()) {
    fs::remove(records->file(), error);
    return refuse(o, &asked.value(), recorded, faults);
  }
  const Status kept = records->finish(results);
  if (!kept) return complain(kept.error().message, kIncomplete);
  point_latest_to(o.out);

  Report report;
  report.header = shards.header;
  report.version = program_version();
  report.profile = profile_name(asked->profile);
  report.numerics = asked->numerics;
  report.filters = asked->filters;
  report.cases_in_suite = count_cases(session, asked->filters);
  report.cases = case_infos(session.specs, *cases);
  report.columns = asked->columns;
  report.results = std::move(results);
  report.stale = all_stale_entries(shards.columns, known, report.results,
                                   extent_of(report), today_utc());
  return conclude(o.outcome, report, session, o.out, *baseline);
}

}  // namespace

void add_merge_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<MergeOptions>();
  CLI::App* c = app.add_subcommand(
      "merge",
      "Join the shards of a run (`assay run --shard I/N`) to what one run "
      "would have left, and judge that. Exit 3 names what is missing, twice, "
      "or of another run.");
  c->add_option("DIR", o->dirs, "the folders that the shards left")
      ->required()
      ->type_name("DIR");
  c->add_option("--out", o->out, "folder for the whole run")
      ->required()
      ->type_name("DIR");
  c->add_flag("--no-known", o->no_known,
              "judge as if results/known were empty");
  add_outcome_options(c, &o->outcome);
  add_specs_option(c, &o->specs);
  CLI::Option* known =
      c->add_option("--known", o->known,
                    "folder of known failures; default results/known, none "
                    "if --specs is given")
          ->type_name("DIR");
  c->callback([=] {
    o->other_specs = !c->get_option("--specs")->empty();
    if (known->empty() && !o->other_specs) {
      o->known = home() / "results" / "known";
    }
    *exit_code = merge(*o);
  });
}

}  // namespace assay::harness
