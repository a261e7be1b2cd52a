// Goldens, each worked out once, by whichever thread needs it first, and let
// go when the last column is done with its case.
#ifndef ASSAY_HARNESS_RUN_GOLDEN_SHELF_H_
#define ASSAY_HARNESS_RUN_GOLDEN_SHELF_H_

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/judge/adjudicate.h"

namespace assay::harness {

class GoldenShelf {
 public:
  // `readers[i]` columns will release case i. A case with 0 is never asked
  // for.
  GoldenShelf(const Adjudicator& adjudicator,
              std::vector<const cases::Case*> cases, std::vector<int> readers);

  using Then = std::function<void(const PreparedCase&)>;

  // Calls `then` with the golden: now if it is there, or after making it if
  // nobody has begun; otherwise later, from the thread that is making it. So no
  // thread waits for another.
  void with(std::size_t index, Then then);

  // The golden now, even if that means waiting. Valid until released.
  const PreparedCase& get(std::size_t index);

  // Works out one golden that nobody has begun. False if there is none, or
  // if enough are waiting to be used.
  bool prefetch();

  void release(std::size_t index);

  // Time spent in the oracle, over all threads.
  double seconds() const;
  // The cases that took longest, longest first.
  std::vector<std::pair<double, std::size_t>> slowest(std::size_t count) const;

 private:
  enum class State { untouched, in_work, ready, gone };
  struct Slot {
    State state = State::untouched;
    int readers = 0;
    std::unique_ptr<PreparedCase> prepared;
    std::vector<Then> waiting;
  };
  // Requires state in_work, set by the caller.
  const PreparedCase& make(std::size_t index);

  const Adjudicator& adjudicator_;
  std::vector<const cases::Case*> cases_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;  // all before it have been begun
  std::size_t held_ = 0;  // ready and not released
  std::vector<double> took_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_GOLDEN_SHELF_H_
