#include "harness/commands/run/outcome.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "harness/commands/common.h"
#include "harness/records/files.h"
#include "harness/records/shard.h"
#include "harness/report/baseline_gate.h"
#include "harness/report/brief.h"
#include "harness/report/fold.h"
#include "harness/report/gate.h"
#include "harness/report/json.h"
#include "harness/report/matrix.h"
#include "harness/report/text.h"

namespace assay::harness {
namespace {

// Reports to files; what could not be written.
std::string write_files(const OutcomeOptions& o, const Report& report,
                        const GateDecision& decision, const Session& session,
                        const std::string& label) {
  if (!o.files.any()) return {};
  PageInput page = page_input(session, report, decision);
  page.runs.emplace_back(label, report.header);
  return write_report_files(o.files, report, o.unfold ? report : folded(report),
                            decision, page);
}

// A run that is not whole, or in which something of ours is at fault, is never
// good.
GateDecision decision_of(const OutcomeOptions& o, const Report& report,
                         const std::optional<Baseline>& baseline) {
  GateDecision usual = decide(report);
  if (!baseline || usual.exit_code > kDoesNotConform) return usual;
  const Baseline now = make_baseline(report.header, report.results);
  GateDecision d =
      decide_by_baseline(diff_baseline(*baseline, now), o.baseline.string());
  d.counts.insert(d.counts.begin(), usual.counts.begin(), usual.counts.end());
  return d;
}

// Whoever reads the end of a log alone must not take a part for the whole.
std::string last_line(const Report& report) {
  const std::optional<Shard> shard = shard_of(report.header);
  if (!shard) return {};
  return fmt::format(
      "This was shard {} of a run, {} of {} cases: `./assay merge` judges the "
      "whole.\n",
      to_string(*shard), report.cases.size(),
      report.header.value("cases", std::size_t{0}));
}

}  // namespace

void add_outcome_options(CLI::App* c, OutcomeOptions* o) {
  c->add_flag("--unfold", o->unfold,
              "print equal CUDA columns one by one, not as one");
  c->add_flag("--json", o->json, "print the report as JSON");
  add_report_file_options(c, &o->files);
  c->add_option("--baseline", o->baseline,
                "exit 0 if nothing fails that does not fail there "
                "(./assay baseline)")
      ->type_name("FILE");
}

Status check_outcome(const OutcomeOptions& o) {
  const std::string fault = unwritable(o.files);
  if (!fault.empty()) return Error{fault};
  return success();
}

Result<std::optional<Baseline>> baseline_of(const OutcomeOptions& o) {
  if (o.baseline.empty()) return std::optional<Baseline>();
  Result<Baseline> read = read_baseline(o.baseline);
  if (!read) return read.error();
  return std::optional(std::move(*read));
}

bool wants_colour() { return std::getenv("NO_COLOR") == nullptr; }

int conclude(const OutcomeOptions& o, const Report& report,
             const Session& session, const std::filesystem::path& dir,
             const std::optional<Baseline>& baseline) {
  const GateDecision decision = decision_of(o, report, baseline);
  const std::string faults =
      write_files(o, report, decision, session, dir.filename().string());
  TextOptions text;
  text.colour = ::isatty(STDOUT_FILENO) != 0 && wants_colour();
  const Report shown = o.unfold ? report : folded(report);
  // What is too long for a terminal stands beside the records.
  const std::filesystem::path rest = dir / "report.txt";
  const Status kept = replace_file(rest, text_report(shown, decision, {}));
  const bool brief = make_matrix(shown).size() > kBriefRows && kept.ok();
  const int code = print(o.json  ? json_report(report, decision)
                         : brief ? brief_report(shown, decision, rest.string())
                                 : text_report(shown, decision, text),
                         decision.exit_code);
  if (!o.json) {
    fmt::print(stderr, "results: {}\n", (dir / "results.jsonl").string());
    if (const std::string last = last_line(report); !last.empty()) {
      if (print(last) != 0) return kIncomplete;
    }
  }
  return faults.empty() ? code : complain(faults, kIncomplete);
}

}  // namespace assay::harness
