#include "harness/fuzz/fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/in_parallel.h"
#include "harness/fuzz/screen.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;

// Programs between two looks at the clock: two packs.
constexpr std::uint64_t kBatch = 60;
constexpr std::chrono::milliseconds kDeadline{30'000};

struct Trial {
  std::uint64_t number = 0;
  Screened screened;
  cases::Case source;
};

// What one column did with one program.
struct Outcome {
  CaseResult result;
  Observation observation;
};

class Fuzzer {
 public:
  explicit Fuzzer(const FuzzSetup& setup)
      : setup_(setup), findings_(findings_setup(setup)) {
    report_.statuses.resize(setup.columns.size());
  }

  FuzzReport run() {
    std::uint64_t next = setup_.first;
    while (next < setup_.end && !stopped() && Clock::now() < setup_.until &&
           report_.lost.empty()) {
      const std::uint64_t count = std::min(kBatch, setup_.end - next);
      batch(next, count);
      next += count;
    }
    report_.interrupted = stopped();
    report_.findings = findings_.found();
    report_.known = findings_.known();
    return std::move(report_);
  }

 private:
  static FindingsSetup findings_setup(const FuzzSetup& s) {
    SearchLimits limits;
    limits.trials = s.reduce_trials;
    limits.stop = [stop = s.stop] { return stop != nullptr && *stop; };
    return {s.templates.specs(), s.adjudicator, s.columns, s.seed, s.out,
            std::move(limits)};
  }

  bool stopped() const { return setup_.stop != nullptr && *setup_.stop; }

  void batch(std::uint64_t first, std::uint64_t count) {
    std::vector<Trial> drawn(count);
    in_parallel(count, setup_.jobs, [&](std::size_t i) {
      Trial& t = drawn[i];
      t.number = first + i;
      if (stopped()) return;
      t.screened = screen(draw_program(setup_.templates, setup_.seed, t.number),
                          setup_.adjudicator);
    });
    if (stopped()) return;
    report_.drawn += count;
    trials_.clear();
    for (Trial& t : drawn) {
      if (count_screened(t)) trials_.push_back(std::move(t));
    }
    if (!trials_.empty()) ask_columns();
  }

  // True: it is worth asking.
  bool count_screened(const Trial& t) {
    using Kind = Screened::Kind;
    switch (t.screened.kind) {
      case Kind::vacuous:
        ++report_.vacuous;
        return false;
      case Kind::undecided:
        ++report_.undecided_count;
        report_.undecided.emplace(t.screened.why, t.number);
        return false;
      case Kind::at_odds:
        report_.at_odds.emplace(t.screened.why, t.number);
        return false;
      case Kind::kept:
        break;
    }
    const bool refused = !t.screened.candidate.must_raise.empty();
    ++(refused ? report_.refused : report_.returned);
    return true;
  }

  void ask_columns() {
    std::vector<const cases::Case*> cases;
    for (Trial& t : trials_) {
      t.source =
          case_of(t.screened.candidate, fuzz_path(setup_.seed, t.number));
      t.source.spec = "fuzz";
      cases.push_back(&t.source);
    }
    std::vector<ColumnPlan> plans;
    for (const FuzzColumn& c : setup_.columns) plans.push_back(plan_of(c));
    ScheduleOptions options;
    options.jobs = setup_.jobs;
    options.deadline = kDeadline;
    options.stop = setup_.stop;
    outcomes_.assign(setup_.columns.size(),
                     std::vector<std::optional<Outcome>>(trials_.size()));
    const ScheduleStats stats = run_schedule(
        cases, std::move(plans), setup_.adjudicator, options,
        [this](std::size_t column, const Finding& f) {
          outcomes_[column][f.case_index] = {f.result, f.observations.front()};
          return true;
        });
    if (!stats.lacking.empty()) report_.lost = stats.lacking;
    for (std::size_t t = 0; t < trials_.size(); ++t) {
      for (std::size_t c = 0; c < setup_.columns.size(); ++c) look_at(c, t);
    }
  }

  static bool is_failure(CellStatus s) {
    return s == CellStatus::fail || s == CellStatus::crash ||
           s == CellStatus::timeout || s == CellStatus::flaky ||
           s == CellStatus::internal_error || s == CellStatus::device_lost;
  }

  void look_at(std::size_t column, std::size_t trial) {
    const std::optional<Outcome>& o = outcomes_[column][trial];
    if (!o) return;  // interrupted
    ++report_.statuses[column][o->result.status];
    if (o->result.status == CellStatus::unsupported) {
      ++report_.unsupported[{column, o->result.reason}];
    }
    const Trial& t = trials_[trial];
    const std::size_t before = findings_.found().size();
    Status added = success();
    const auto twin_of = setup_.columns[column].twin_of;
    const Outcome* other = twin_of && outcomes_[*twin_of][trial]
                               ? &*outcomes_[*twin_of][trial]
                               : nullptr;
    if (is_failure(o->result.status) &&
        (other == nullptr || !is_failure(other->result.status))) {
      added = findings_.add(column, t.number, t.screened.candidate, o->result,
                            o->observation);
    } else if (other != nullptr && differ(*o, *other)) {
      added = findings_.add_difference(column, t.number, t.screened.candidate);
    }
    if (!added) report_.lost = added.error().message;
    if (findings_.found().size() > before && setup_.on_finding) {
      setup_.on_finding(findings_.found().back());
    }
  }

  static bool differ(const Outcome& a, const Outcome& b) {
    return a.observation.kind == Observation::Kind::returned &&
           b.observation.kind == Observation::Kind::returned &&
           a.result.output_hash != b.result.output_hash;
  }

  const FuzzSetup& setup_;
  Findings findings_;
  FuzzReport report_;
  std::vector<Trial> trials_;  // of the batch
  std::vector<std::vector<std::optional<Outcome>>> outcomes_;
};

}  // namespace

std::string fuzz_path(std::uint64_t seed, std::uint64_t number) {
  return fmt::format("fuzz/{}/{}", seed, number);
}

FuzzReport fuzz(const FuzzSetup& setup) { return Fuzzer(setup).run(); }

}  // namespace assay::harness
