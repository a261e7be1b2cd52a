#include "harness/subject/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "core/sanitizer.h"
#include "harness/subject/death.h"
#include "harness/subject/leftovers.h"
#include "harness/subject/spawn.h"
#include "harness/wire/descriptor.h"

namespace assay::harness {
namespace {

constexpr std::size_t kKeptLines = 20;
constexpr std::size_t kKeptColumns = 400;
// Death shows as the socket's end; where a descendant holds that open, it is
// noticed within this time.
constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::milliseconds kGraceToQuit{300};

void set_nonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// Does the reply say that what ran the request for the one that replies died?
bool tells_of_death(const Json& reply) {
  const auto kind = reply.find("kind");
  return kind != reply.end() && *kind == "died";
}

Error system_error(const char* what) {
  return Error{fmt::format("{}: {}", what, std::strerror(errno))};
}

}  // namespace

Result<std::unique_ptr<WorkerChild>> WorkerChild::start(
    const std::vector<std::string>& command,
    const std::map<std::string, std::string>& environment, int shm_fd) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("no socket for a worker");
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("no pipe");
  Descriptor output(ends[0]);
  const Descriptor written(ends[1]);

  SpawnRequest request;
  request.command = command;
  request.environment = environment;
  std::string mark = new_mark();
  request.environment[kMarkVariable] = mark;
  request.socket = theirs.get();
  request.memory = shm_fd;
  request.output = written.get();
  const Result<std::int64_t> limit = worker_memory_limit();
  if (!limit) return limit.error();
  // A sanitizer's shadow memory would count as the worker's.
  if (kSanitizer.empty()) request.memory_limit = *limit;
  const Result<pid_t> pid = spawn_worker(request);
  if (!pid) return pid.error();
  return std::unique_ptr<WorkerChild>(
      new WorkerChild(*pid, std::move(mark), ours.release(), output.release()));
}

WorkerChild::WorkerChild(pid_t pid, std::string mark, int socket, int output)
    : pid_(pid),
      mark_(std::move(mark)),
      socket_(socket),
      output_(output),
      kills_before_(out_of_memory_kills()) {
  set_nonblocking(socket_);
  set_nonblocking(output_);
}

WorkerChild::~WorkerChild() {
  if (!reaped_) {
    std::string quit = encode_record({{"verb", "quit"}});
    const auto until = Clock::now() + kGraceToQuit;
    while (socket_open_ && Clock::now() < until) turn(&quit, until);
    reap(false);
    kill_all();
  } else {
    kill_marked(mark_);
  }
  close(socket_);
  close(output_);
}

Exchange WorkerChild::exchange(const Json& request,
                               std::chrono::milliseconds deadline) {
  if (const std::size_t n = reader_.pending(); n > 0) {
    return ended(Exchange::Kind::malformed,
                 fmt::format("{} bytes came that nothing asked for", n));
  }
  if (request.value("verb", "") == "compile") {
    // The last words are to be those of one case.
    read_output();
    lines_.clear();
    line_.clear();
  }
  std::string out = encode_record(request);
  const auto until = Clock::now() + deadline;
  for (;;) {
    auto record = reader_.next();
    if (!record) {
      return ended(Exchange::Kind::malformed, record.error().message);
    }
    if (*record) {
      Json reply = Json::parse(**record, nullptr, false);
      if (!reply.is_object()) {
        return ended(Exchange::Kind::malformed,
                     fmt::format("a reply that is no JSON object: '{}'",
                                 (*record)->substr(0, 80)));
      }
      if (tells_of_death(reply)) return lost_fork(reply);
      return {Exchange::Kind::replied, std::move(reply), false, false, {}};
    }
    if (!socket_open_ || reaped_) return died();
    if (Clock::now() >= until) return silent_past(deadline);
    turn(&out, until);
  }
}

bool WorkerChild::alive() {
  read_output();
  reap(false);
  return !reaped_ && socket_open_;
}

void WorkerChild::turn(std::string* out, Clock::time_point until) {
  pollfd fds[2] = {{socket_, POLLIN, 0}, {output_, POLLIN, 0}};
  if (!out->empty()) fds[0].events |= POLLOUT;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - Clock::now());
  const auto wait = std::clamp(left, std::chrono::milliseconds{1}, kTick);
  const int ready =
      poll(fds, output_open_ ? 2 : 1, static_cast<int>(wait.count()));
  if (ready < 0) return;  // EINTR: the caller's loop looks at the clock
  if (ready == 0) {
    // Whatever it wrote before it ended is in the socket by the time that it
    // can be reaped.
    reap(false);
    if (reaped_) read_socket();
    return;
  }
  if (fds[1].revents != 0) read_output();
  if (fds[0].revents & POLLOUT) send_some(out);
  if (fds[0].revents & (POLLIN | POLLHUP | POLLERR)) {
    if (!read_socket()) socket_open_ = false;
  }
}

void WorkerChild::read_output() {
  char bytes[65536];
  // Bounded, because a worker may print without end.
  for (int round = 0; round < 16; ++round) {
    const ssize_t n = read(output_, bytes, sizeof bytes);
    if (n == 0) output_open_ = false;
    if (n <= 0) return;
    for (const char c : std::string_view(bytes, static_cast<std::size_t>(n))) {
      if (c != '\n') {
        if (line_.size() < kKeptColumns) line_ += c;
        continue;
      }
      lines_.push_back(std::exchange(line_, {}));
      if (lines_.size() > kKeptLines) lines_.pop_front();
    }
  }
}

// False at the end of the stream.
bool WorkerChild::read_socket() {
  char bytes[65536];
  for (;;) {
    const ssize_t n = read(socket_, bytes, sizeof bytes);
    if (n == 0) return false;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    reader_.append(bytes, static_cast<std::size_t>(n));
    // Stops here, or a flood of bytes would grow without bound.
    if (reader_.pending() > kLargestRecord) return true;
  }
}

void WorkerChild::send_some(std::string* out) {
  const ssize_t n = send(socket_, out->data(), out->size(), MSG_NOSIGNAL);
  if (n > 0) out->erase(0, static_cast<std::size_t>(n));
}

void WorkerChild::reap(bool wait) {
  while (!reaped_) {
    const pid_t done = waitpid(pid_, &status_, wait ? 0 : WNOHANG);
    if (done == 0) return;
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) status_ = -1;
    reaped_ = true;
  }
}

void WorkerChild::kill_all() {
  kill(-pid_, SIGKILL);
  if (!reaped_) kill(pid_, SIGKILL);
  reap(true);
  kill_marked(mark_);
}

Exchange WorkerChild::ended(Exchange::Kind kind, std::string detail) {
  kill_all();
  return {kind, {}, false, false, detail + last_words()};
}

// The socket closed or the process ended. One that only closed its socket has
// a moment to end by itself.
Exchange WorkerChild::died() {
  const auto until = Clock::now() + std::chrono::seconds(2);
  while (!reaped_ && Clock::now() < until) {
    read_output();
    reap(false);
    if (!reaped_) usleep(2000);
  }
  if (!reaped_) {
    return ended(Exchange::Kind::malformed,
                 "closed its socket, but went on running");
  }
  const std::string words = last_words();
  const Death death = describe_death(status_, words, kills_before_);
  kill_all();  // what it may have started
  std::string detail = death.how;
  if (const std::size_t n = reader_.pending(); n > 0) {
    detail += fmt::format(" with {} bytes of a record written", n);
  }
  return {Exchange::Kind::died,
          {},
          death.out_of_memory,
          death.file_limit,
          detail + words};
}

Exchange WorkerChild::lost_fork(const Json& reply) {
  const auto message = reply.find("message");
  if (message != reply.end() && message->is_string()) {
    return {Exchange::Kind::died, {}, false, false, *message};
  }
  const auto found = reply.find("status");
  const int status = found != reply.end() && found->is_number_integer()
                         ? found->get<int>()
                         : -1;
  const std::string words = last_words();
  const Death death = describe_death(status, words, kills_before_);
  kills_before_ = out_of_memory_kills();
  return {Exchange::Kind::died,
          {},
          death.out_of_memory,
          death.file_limit,
          death.how + words};
}

Exchange WorkerChild::silent_past(std::chrono::milliseconds deadline) {
  const auto seconds = std::chrono::duration<double>(deadline).count();
  if (const std::size_t n = reader_.pending(); n > 0) {
    const auto announced = reader_.announced();
    return ended(
        Exchange::Kind::malformed,
        fmt::format(
            "{} bytes of a record{} came, and no more in {:g} s", n,
            announced ? fmt::format(" of {}", 4 + *announced) : std::string(),
            seconds));
  }
  return ended(Exchange::Kind::timed_out,
               fmt::format("no answer in {:g} s", seconds));
}

std::string WorkerChild::last_words() {
  read_output();
  std::vector<std::string> kept(lines_.begin(), lines_.end());
  if (!line_.empty()) kept.push_back(line_);
  if (kept.empty()) return {};
  return fmt::format("; last output:\n{}", fmt::join(kept, "\n"));
}

}  // namespace assay::harness
