#include "harness/run/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "harness/judge/judge.h"
#include "harness/judge/show.h"
#include "harness/run/golden_shelf.h"
#include "harness/run/observe.h"
#include "harness/run/pack.h"
#include "harness/run/rows.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kSlowest = 8;  // goldens that are named in the stats

struct Unit {
  std::vector<std::size_t> cases;
  std::shared_ptr<FailedPack> from;  // the larger pack that it was part of
  // What this case did in a pack, where it is run again alone.
  std::shared_ptr<const Finding> before;
};

// Programs of a fast column that are worth another worker, which takes some
// seconds to start: where there are more jobs than columns.
constexpr std::size_t kWorthAWorker = 200;

struct Column {
  ColumnPlan plan;
  std::deque<Unit> queue;
  std::vector<std::unique_ptr<Executor>> idle;
  std::size_t busy = 0;
  std::size_t most = 1;   // workers side by side
  std::size_t begun = 0;  // cases, for keeping the columns in step
  std::size_t total = 0;
  double seconds = 0;
  std::size_t programs = 0;
};

class Run {
 public:
  Run(const std::vector<const cases::Case*>& cases,
      std::vector<ColumnPlan> plans, const Adjudicator& adjudicator,
      const ScheduleOptions& options, const FindingSink& sink)
      : cases_(cases),
        adjudicator_(adjudicator),
        options_(options),
        sink_(sink),
        columns_(plans.size()) {
    std::vector<int> readers(cases.size(), 0);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      columns_[i].plan = std::move(plans[i]);
      fill(&columns_[i], &readers);
    }
    shelf_.emplace(adjudicator, cases, std::move(readers));
  }

  ScheduleStats run() {
    const int threads = std::max(1, options_.jobs);
    std::vector<std::thread> pool;
    for (int i = 1; i < threads; ++i) {
      pool.emplace_back([this] { work(); });
    }
    work();
    for (std::thread& t : pool) t.join();
    ScheduleStats stats;
    stats.complete = outstanding_ == 0;
    stats.lacking = lacking_;
    stats.golden_seconds = shelf_->seconds();
    for (const auto& [seconds, index] : shelf_->slowest(kSlowest)) {
      stats.slowest_goldens.emplace_back(seconds, cases_[index]->path);
    }
    for (const Column& c : columns_) {
      stats.column_seconds.push_back(c.seconds);
      stats.programs.push_back(c.programs);
    }
    return stats;
  }

 private:
  void fill(Column* column, std::vector<int>* readers) {
    const ColumnPlan& plan = column->plan;
    const bool given = plan.slow && !options_.packs.empty();
    for (auto unit : given ? options_.packs : make_packs(cases_, plan.slow)) {
      // A pack is run whole, even if only some of its cases are missing: what
      // else is in a program matters.
      const bool needed = std::any_of(
          unit.begin(), unit.end(),
          [&](std::size_t i) { return plan.done.count(cases_[i]->path) == 0; });
      if (!needed) continue;
      for (const std::size_t i : unit) ++(*readers)[i];
      outstanding_ += unit.size();
      column->total += unit.size();
      column->queue.push_back({std::move(unit), nullptr, nullptr});
    }
    const auto jobs = static_cast<std::size_t>(std::max(1, options_.jobs));
    const std::size_t units = column->queue.size();
    column->most = plan.slow
                       ? std::clamp<std::size_t>((units + 1) / 2, 1, jobs)
                       : std::clamp<std::size_t>(
                             jobs / columns_.size(), 1,
                             std::max<std::size_t>(units / kWorthAWorker, 1));
    if (column->plan.started) {
      column->idle.push_back(std::move(column->plan.started));
    }
  }

  bool stopped() const {
    return failed_ || (options_.stop != nullptr && *options_.stop);
  }

  // The column that lags most, of those that have work and a free worker.
  // Requires the lock.
  Column* next_column() {
    Column* best = nullptr;
    double least = 2;
    for (Column& c : columns_) {
      if (c.queue.empty() || c.busy >= c.most) continue;
      // Among equals the one that takes longest begins.
      const double p =
          static_cast<double>(c.begun) / static_cast<double>(c.total) -
          (c.plan.slow ? 1e-9 : 0);
      if (p < least) {
        least = p;
        best = &c;
      }
    }
    return best;
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (outstanding_ > 0 && !stopped()) {
      Column* column = next_column();
      if (column == nullptr) {
        lock.unlock();
        const bool found = shelf_->prefetch();
        lock.lock();
        // The stop flag is set without our lock, so waits are short.
        if (!found) changed_.wait_for(lock, std::chrono::milliseconds(50));
        continue;
      }
      Unit unit = std::move(column->queue.front());
      column->queue.pop_front();
      column->begun += unit.cases.size();
      ++column->busy;
      std::unique_ptr<Executor> executor;
      if (!column->idle.empty()) {
        executor = std::move(column->idle.back());
        column->idle.pop_back();
      }
      lock.unlock();
      if (!executor) executor = column->plan.make();
      execute(column, executor.get(), unit);
      lock.lock();
      column->idle.push_back(std::move(executor));
      --column->busy;
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  std::size_t index_of(const Column* column) const {
    return static_cast<std::size_t>(column - columns_.data());
  }

  void execute(Column* column, Executor* executor, const Unit& unit) {
    if (!column->plan.promises_errors &&
        !cases_[unit.cases[0]]->must_raise.empty()) {
      // Such a case is in no pack.
      deliver(column, unit, unit.cases[0], not_promised(), false);
      return;
    }
    std::vector<TensorType> types;
    if (column->plan.needs_types && !add_types(column, unit, &types)) return;
    std::vector<const Program*> programs;
    std::vector<const cases::Case*> members;
    std::vector<Tensor> inputs;
    for (const std::size_t i : unit.cases) {
      members.push_back(cases_[i]);
      programs.push_back(&cases_[i]->program);
      for (Tensor& t : cases_[i]->make_inputs()) inputs.push_back(std::move(t));
    }
    const auto begin = Clock::now();
    const bool alone = unit.cases.size() == 1;
    Observation o = executor->run(alone ? *programs[0] : pack(programs), inputs,
                                  types, deadline(*column, unit));
    if (alone && column->plan.promises_rows && adjudicator_.specs()) {
      ask_rows(*adjudicator_.specs(), *programs[0], inputs,
               column->plan.needs_types, deadline(*column, unit), *executor,
               &o);
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      column->seconds += took.count();
      ++column->programs;
    }
    if (is_of_a_dead_process(o) && was_interrupted()) return;
    if (o.kind == Observation::Kind::not_run) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (lacking_.empty()) {
        lacking_ = fmt::format("{} could not be asked: {}", column->plan.name,
                               one_line(o.detail));
      }
      failed_ = true;
      return;
    }
    if (alone) {
      deliver(column, unit, unit.cases[0], std::move(o), false);
    } else if (is_whole(o, members)) {
      std::vector<Observation> parts = unpack(o, members);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        deliver(column, unit, unit.cases[k], std::move(parts[k]), true);
      }
    } else {
      take_apart(column, unit, std::move(o));
    }
  }

  // False where a golden is missing, so that there is nothing to run with.
  bool add_types(Column* column, const Unit& unit,
                 std::vector<TensorType>* types) {
    for (const std::size_t i : unit.cases) {
      const PreparedCase& p = shelf_->get(i);
      if (!p.fault.empty()) {
        Observation none;
        none.kind = Observation::Kind::unsupported;
        if (unit.cases.size() == 1) {
          deliver(column, unit, i, std::move(none), false);
        } else {
          take_apart(column, unit, std::move(none));
        }
        return false;
      }
      for (TensorType& t : expected_types(p.golden)) types->push_back(t);
    }
    return true;
  }

  static bool is_of_a_dead_process(const Observation& o) {
    return o.kind == Observation::Kind::crashed ||
           o.kind == Observation::Kind::out_of_memory ||
           o.kind == Observation::Kind::malformed;
  }

  // Ctrl-C reaches the workers too: what died of it did not crash. The signal
  // may arrive there a moment earlier than here.
  bool was_interrupted() const {
    if (options_.stop == nullptr) return false;
    if (!*options_.stop) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return *options_.stop;
  }

  std::chrono::milliseconds deadline(const Column& column,
                                     const Unit& unit) const {
    if (!column.plan.slow) return options_.deadline;
    return options_.slow_deadline +
           std::chrono::seconds(2) * static_cast<int>(unit.cases.size() - 1);
  }

  static bool is_whole(const Observation& o,
                       const std::vector<const cases::Case*>& members) {
    if (o.kind == Observation::Kind::linted) return o.remarks.empty();
    if (o.kind != Observation::Kind::returned || !o.breaches.empty()) {
      return false;
    }
    std::size_t outputs = 0;
    for (const cases::Case* c : members) outputs += c->program.outputs.size();
    return o.outputs.size() == outputs;
  }

  void take_apart(Column* column, const Unit& unit, Observation o) {
    std::vector<Finding> findings;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (unit.from) findings = unit.from->part_failed(unit.cases);
      const auto from = std::make_shared<FailedPack>(unit.cases, std::move(o));
      const auto middle = unit.cases.begin() + static_cast<std::ptrdiff_t>(
                                                   (unit.cases.size() + 1) / 2);
      column->queue.push_front({{middle, unit.cases.end()}, from, nullptr});
      column->queue.push_front({{unit.cases.begin(), middle}, from, nullptr});
      column->begun -= unit.cases.size();
    }
    changed_.notify_all();
    report(column, std::move(findings));
  }

  void deliver(Column* column, const Unit& unit, std::size_t index,
               Observation o, bool in_pack) {
    shelf_->with(index, [this, column, from = unit.from, before = unit.before,
                         index, o = std::move(o),
                         in_pack](const PreparedCase& prepared) mutable {
      Finding finding;
      finding.case_index = index;
      finding.result = adjudicator_.result(prepared, o);
      finding.observations.push_back(std::move(o));
      if (in_pack && !conforms(finding.result) &&
          !is_expected(*column, finding.result)) {
        const std::lock_guard<std::mutex> lock(mutex_);
        column->queue.push_front(
            {{index},
             from,
             std::make_shared<const Finding>(std::move(finding))});
        --column->begun;
        changed_.notify_all();
        return;
      }
      if (before) compare(*before, &finding);
      settle(column, from, std::move(finding));
    });
  }

  static bool is_expected(const Column& column, CaseResult result) {
    if (!column.plan.expected) return false;
    result.column = column.plan.name;
    return column.plan.expected(result);
  }

  // `finding` is that of a case run alone after it had failed in a pack.
  static void compare(const Finding& before, Finding* finding) {
    if (!conforms(finding->result)) return;
    finding->result =
        flaky_result(finding->result, before.result,
                     "in a program with other cases, conforms alone");
    finding->observations.push_back(before.observations.front());
  }

  void settle(Column* column, const std::shared_ptr<FailedPack>& from,
              Finding finding) {
    std::vector<Finding> findings;
    if (from) {
      const std::lock_guard<std::mutex> lock(mutex_);
      findings = from->settle(std::move(finding));
    } else {
      findings.push_back(std::move(finding));
    }
    report(column, std::move(findings));
  }

  void report(Column* column, std::vector<Finding> findings) {
    for (Finding& f : findings) {
      f.result.column = column->plan.name;
      {
        const std::lock_guard<std::mutex> lock(sink_mutex_);
        const bool wanted = column->plan.done.count(f.result.case_path) == 0;
        if (wanted && !failed_ && !sink_(index_of(column), f)) failed_ = true;
      }
      shelf_->release(f.case_index);
      const std::lock_guard<std::mutex> lock(mutex_);
      --outstanding_;
      if (outstanding_ == 0) changed_.notify_all();
    }
  }

  const std::vector<const cases::Case*>& cases_;
  const Adjudicator& adjudicator_;
  const ScheduleOptions& options_;
  const FindingSink& sink_;
  std::vector<Column> columns_;
  std::optional<GoldenShelf> shelf_;
  std::mutex mutex_;  // queues, failed packs, counts, what is lacking
  std::mutex sink_mutex_;
  std::condition_variable changed_;
  std::size_t outstanding_ = 0;  // findings still to be reported
  std::string lacking_;
  std::atomic<bool> failed_{false};
};

}  // namespace

ScheduleStats run_schedule(const std::vector<const cases::Case*>& cases,
                           std::vector<ColumnPlan> columns,
                           const Adjudicator& adjudicator,
                           const ScheduleOptions& options,
                           const FindingSink& sink) {
  return Run(cases, std::move(columns), adjudicator, options, sink).run();
}

}  // namespace assay::harness
