// A running worker process seen from outside: one request out, one record
// back, by a deadline. Its output is read all the while, so it never blocks
// on that, and the last lines are kept for reports.
#ifndef ASSAY_HARNESS_SUBJECT_CHILD_H_
#define ASSAY_HARNESS_SUBJECT_CHILD_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/wire/wire.h"

namespace assay::harness {

// What came of one exchange.
struct Exchange {
  enum class Kind {
    replied,
    died,       // by itself, or a process that ran the request for it
    timed_out,  // killed by us
    malformed,  // killed by us
  };
  Kind kind = Kind::replied;
  Json reply;
  bool out_of_memory = false;  // why it died
  bool file_limit = false;     // the same
  std::string detail;
};

class WorkerChild {
 public:
  static Result<std::unique_ptr<WorkerChild>> start(
      const std::vector<std::string>& command,
      const std::map<std::string, std::string>& environment, int shm_fd);
  // Asks it to quit, waits a moment, and kills it and all that it started.
  ~WorkerChild();
  WorkerChild(const WorkerChild&) = delete;
  WorkerChild& operator=(const WorkerChild&) = delete;

  // After any kind but `replied` the process is gone, but for one whose fork
  // died: that is alive.
  Exchange exchange(const Json& request, std::chrono::milliseconds deadline);

  // False once it has ended, whenever that was.
  bool alive();
  pid_t pid() const { return pid_; }

 private:
  using Clock = std::chrono::steady_clock;
  WorkerChild(pid_t pid, std::string mark, int socket, int output);

  // Waits once, until `until` at most: sends from `out`, reads what is there.
  void turn(std::string* out, Clock::time_point until);
  void read_output();
  bool read_socket();
  void send_some(std::string* out);
  void reap(bool wait);
  // The process, its group, and what it started outside of that.
  void kill_all();
  Exchange ended(Exchange::Kind kind, std::string detail);
  Exchange died();
  Exchange lost_fork(const Json& reply);
  Exchange silent_past(std::chrono::milliseconds deadline);
  std::string last_words();

  pid_t pid_;
  std::string mark_;  // leftovers.h
  int socket_;
  int output_;
  bool socket_open_ = true;
  bool output_open_ = true;
  bool reaped_ = false;
  int status_ = -1;
  std::int64_t kills_before_;
  RecordReader reader_;
  std::deque<std::string> lines_;
  std::string line_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_CHILD_H_
