// assay baseline: keeps the statuses of a run, and compares a run with them.
#include "harness/records/baseline.h"

#include <fmt/format.h>

#include <memory>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/results_file.h"
#include "harness/records/shard.h"
#include "harness/report/baseline_gate.h"

namespace assay::harness {
namespace {

struct BaselineOptions {
  std::filesystem::path results, baseline, out, replaces;
  std::string reason;
};

Result<Baseline> baseline_of(const std::filesystem::path& results) {
  Result<ResultsFile> read = read_results(results);
  if (!read) return read.error();
  if (const auto shard = shard_of(read->header)) {
    return Error{
        fmt::format("{} is shard {} of a run: join it with the others "
                    "first (assay merge)",
                    results.string(), to_string(*shard))};
  }
  return make_baseline(read->header, read->results);
}

// A baseline may only shrink, unless a reason is given, which it then keeps.
Status take_over(const BaselineOptions& o, Baseline* made) {
  const Result<Baseline> old = read_baseline(o.replaces);
  if (!old) return old.error();
  nlohmann::ordered_json reasons =
      old->header.value("reasons", nlohmann::ordered_json::array());
  const std::vector<std::string> more = growth(*old, *made);
  if (!more.empty() && o.reason.empty()) {
    std::string text = fmt::format(
        "{} results fail that {} has as good; a baseline may only shrink, "
        "unless --reason says why:",
        more.size(), o.replaces.string());
    for (std::size_t i = 0; i < more.size() && i < 10; ++i) {
      text += "\n  " + more[i];
    }
    return Error{text};
  }
  if (!more.empty()) {
    reasons.push_back({{"reason", o.reason}, {"failures", more.size()}});
  }
  if (!reasons.empty()) made->header["reasons"] = reasons;
  return success();
}

int make(const BaselineOptions& o) {
  Result<Baseline> made = baseline_of(o.results);
  if (!made) return complain(made.error().message);
  std::error_code error;
  std::filesystem::path old = o.replaces;
  if (old.empty() && std::filesystem::exists(o.out, error)) old = o.out;
  if (!old.empty()) {
    BaselineOptions with = o;
    with.replaces = old;
    const Status taken = take_over(with, &made.value());
    if (!taken) return complain(taken.error().message, kDoesNotConform);
  }
  const Status written = write_baseline(o.out, *made);
  if (!written) return complain(written.error().message, kIncomplete);
  return print(
      fmt::format("{}: {} results\n", o.out.string(), made->entries.size()));
}

int diff(const BaselineOptions& o) {
  const Result<Baseline> before = read_baseline(o.baseline);
  if (!before) return complain(before.error().message);
  const Result<Baseline> now = baseline_of(o.results);
  if (!now) return complain(now.error().message);
  const GateDecision d =
      decide_by_baseline(diff_baseline(*before, *now), o.baseline.string());
  return print(to_string(d) + "\n", d.exit_code);
}

}  // namespace

void add_baseline_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<BaselineOptions>();
  CLI::App* c = app.add_subcommand(
      "baseline",
      "Keep the exact statuses of a run, and compare other runs with them.");
  c->require_subcommand(1);
  CLI::App* m = c->add_subcommand("make", "Write the baseline of a run.");
  m->add_option("RESULTS", o->results, "results.jsonl of a run")->required();
  m->add_option("--out", o->out,
                "the file to write; one that is there is replaced, if nothing "
                "fails that did not")
      ->required()
      ->type_name("FILE");
  m->add_option("--replaces", o->replaces,
                "the baseline before, if it stands elsewhere")
      ->type_name("FILE");
  m->add_option("--reason", o->reason, "why more may fail than before");
  m->callback([=] { *exit_code = make(*o); });
  CLI::App* d = c->add_subcommand(
      "diff", "Say what a run does otherwise: exit 1 if more fails.");
  d->add_option("BASELINE", o->baseline, "what assay baseline make wrote")
      ->required();
  d->add_option("RESULTS", o->results, "results.jsonl of a run")->required();
  d->callback([=] { *exit_code = diff(*o); });
}

}  // namespace assay::harness
