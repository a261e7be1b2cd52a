#include "harness/certify/level_run.h"

#include <fmt/format.h>

#include "harness/judge/adjudicate.h"
#include "harness/records/identity.h"
#include "harness/records/recording.h"
#include "harness/records/results_file.h"
#include "harness/run/interrupt.h"
#include "harness/run/run.h"

namespace assay::harness {
namespace {

nlohmann::ordered_json header_of(const LevelRun& run,
                                 const StartedColumn& column) {
  HeaderFacts facts;
  facts.spec_hash = run.session.specs.hash;
  facts.profile = cases::profile_name(run.level.parts.front().profile);
  facts.numerics = run.level.numerics;
  facts.cases = run.duties.size();
  facts.jobs = run.jobs;
  facts.columns.push_back({column.config.spelling, column.identity});
  nlohmann::ordered_json header = make_header(facts);
  header["level"] = run.level.name;
  return header;
}

std::string log_of(const nlohmann::ordered_json& header,
                   const RunOutcome& outcome) {
  const ScheduleStats& stats = outcome.stats;
  std::string out = fmt::format(
      "assay {}, build {}\nstarted {}, finished {}\n{} results\n",
      header.value("program", ""), header.value("build", ""),
      header.value("started", ""), now_utc(), outcome.results.size());
  for (std::size_t i = 0; i < stats.column_seconds.size(); ++i) {
    out += fmt::format("workers busy {:.1f} s, {} programs\n",
                       stats.column_seconds[i], stats.programs[i]);
  }
  out += fmt::format("oracle {:.1f} s, the longest:\n", stats.golden_seconds);
  for (const auto& [seconds, path] : stats.slowest_goldens) {
    out += fmt::format("  {:.2f} s {}\n", seconds, path);
  }
  return out;
}

}  // namespace

Status run_level(const LevelRun& run, bool* interrupted) {
  *interrupted = false;
  Result<std::vector<StartedColumn>> columns = start_columns({run.subject});
  if (!columns) return columns.error();
  const nlohmann::ordered_json header = header_of(run, columns->front());
  Result<Records> records = Records::open(run.dir, header, nullptr);
  if (!records) return records.error();
  Result<RecordingWriter> recording =
      RecordingWriter::create(run.dir / kRunRecording, header);
  if (!recording) return recording.error();
  const auto oracle = live_oracle(run.session.specs);
  const Adjudicator adjudicator(*oracle,
                                run.level.numerics == "strict"
                                    ? reference::Numerics::strict
                                    : reference::Numerics::fused,
                                &run.session.specs);
  RunSetup setup;
  for (const Duty& d : run.duties) setup.cases.push_back(d.source);
  setup.columns = plans_of(&columns.value());
  setup.records = &records.value();
  setup.recording = &recording.value();
  setup.options.jobs = run.jobs;
  setup.options.stop = &interrupt_flag();
  if (run.deadline.count() > 0) {
    setup.options.deadline = setup.options.slow_deadline = run.deadline;
  }
  setup.today = today_utc();
  setup.on_result = run.on_result;
  const RunOutcome outcome = run_cases(std::move(setup), adjudicator);
  if (!outcome.lost.empty()) return Error{outcome.lost};
  if (!outcome.complete) {
    *interrupted = true;
    return Error{fmt::format("{} of {} cases have run; the rest was not asked",
                             outcome.results.size(), run.duties.size())};
  }
  return replace_file(run.dir / kRunLog, log_of(header, outcome));
}

}  // namespace assay::harness
