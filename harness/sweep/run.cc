#include "harness/sweep/run.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::harness {
namespace {

using reference::BlockJudge;
using reference::BlockResult;
using reference::kBlock;
using reference::SweepOracle;
using reference::Tally;

// A device that is lost for as many parts in a row will not come back.
constexpr int kLostInARow = 3;

class SweepRun {
 public:
  explicit SweepRun(const SweepSetup& setup) : setup_(setup) {
    for (std::uint64_t p = 0; p < parts(); ++p) {
      if (!setup.records->parts().contains(p)) missing_.push_back(p);
    }
  }

  SweepOutcome run() {
    const auto jobs = std::min<std::size_t>(
        static_cast<std::size_t>(setup_.jobs), missing_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < jobs; ++i) {
      threads.emplace_back([this] { work(); });
    }
    for (std::thread& t : threads) t.join();
    SweepOutcome out;
    out.fault = fault_;
    out.slow = slow_;
    const auto& there = setup_.records->parts();
    for (const auto& [part, tally] : there) out.tally.add(tally);
    out.complete = there.size() == parts();
    return out;
  }

 private:
  std::uint64_t parts() const {
    return (setup_.sweep->inputs() + setup_.part - 1) / setup_.part;
  }

  bool stopped() const {
    return failed_ || (setup_.stop != nullptr && *setup_.stop);
  }

  void complain(const std::string& what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fault_.empty()) fault_ = what;
  }

  void fail(const std::string& what) {
    complain(what);
    failed_ = true;
  }

  // May the sweep go on without this part?
  bool lose_part() { return ++lost_in_a_row_ < kLostInARow; }

  void work() {
    const auto oracle = SweepOracle::make(*setup_.sweep, setup_.engine);
    if (!oracle) return fail(oracle.error().message);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      slow_ = (*oracle)->slow();
    }
    const reference::Loops& loops =
        *(setup_.engine != nullptr ? setup_.engine
                                   : &reference::engines().front())
             ->loops;
    BlockJudge judge(*setup_.sweep, (*oracle)->accuracy(), loops);
    const std::unique_ptr<SweepSubject> subject = setup_.subject();
    while (!stopped()) {
      const std::size_t n = next_.fetch_add(1);
      if (n >= missing_.size()) return;
      Tally tally;
      const Status done = part(missing_[n], **oracle, judge, *subject, &tally);
      if (!done) {
        const bool goes_on = subject->lost_device() && lose_part();
        if (!goes_on) failed_ = true;
        complain(done.error().message);
        continue;
      }
      lost_in_a_row_ = 0;
      if (stopped() && tally.inputs == 0) return;
      const std::lock_guard<std::mutex> lock(mutex_);
      const Status kept = setup_.records->append(missing_[n], tally);
      if (!kept) {
        fault_ = kept.error().message;
        failed_ = true;
        return;
      }
      if (setup_.on_progress) setup_.on_progress(tally.inputs);
    }
  }

  // Leaves the tally empty if it was stopped in the middle.
  Status part(std::uint64_t number, SweepOracle& oracle, BlockJudge& judge,
              SweepSubject& subject, Tally* out) {
    const std::uint64_t begin = number * setup_.part;
    const std::uint64_t end =
        std::min(begin + setup_.part, setup_.sweep->inputs());
    const std::uint64_t by_mpfr = oracle.decided_by_mpfr();
    Tally tally;
    for (std::uint64_t first = begin; first < end;) {
      if (stopped()) return success();
      const auto n = std::min<std::uint64_t>(
          static_cast<std::uint64_t>(setup_.length), end - first);
      const Result<Tensor> got =
          subject.results(*setup_.sweep, first, static_cast<std::int64_t>(n));
      if (!got) return got.error();
      const Status judged = call(first, n, *got, oracle, judge, &tally);
      if (!judged) return judged;
      first += n;
    }
    tally.by_mpfr = oracle.decided_by_mpfr() - by_mpfr;
    *out = tally;
    return success();
  }

  Status call(std::uint64_t first, std::uint64_t n, const Tensor& got,
              SweepOracle& oracle, BlockJudge& judge, Tally* tally) {
    const auto golden = std::make_unique<BlockResult>();
    const auto bytes = static_cast<std::size_t>(size_bytes(got.dtype()));
    for (std::uint64_t done = 0; done < n; done += kBlock) {
      const auto lanes =
          static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, n - done));
      const std::byte* results = got.storage->data() + done * bytes;
      Status known = oracle.elements(first + done, lanes, golden.get());
      if (!known) return known;
      if (judge.compare(first + done, lanes, *golden, results, tally)) continue;
      known = oracle.golden(first + done, lanes, golden.get());
      if (!known) return known;
      if (!judge.compare(first + done, lanes, *golden, results, tally)) {
        return Error{"the sweep's oracle does not say what it was asked for"};
      }
    }
    return success();
  }

  const SweepSetup& setup_;
  std::vector<std::uint64_t> missing_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::atomic<int> lost_in_a_row_{0};
  std::mutex mutex_;
  std::string fault_, slow_;
};

}  // namespace

SweepOutcome run_sweep(const SweepSetup& setup) {
  return SweepRun(setup).run();
}

}  // namespace assay::harness
