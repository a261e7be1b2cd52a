#include "harness/subject/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <semaphore>
#include <thread>

#include "core/process.h"

extern char** environ;

namespace assay::harness {
namespace {

// The kernel sends the parent-death signal when the *thread* that forked
// ends. Workers are therefore started by one thread that lives as long as the
// process, whichever thread asks.
class Spawner {
 public:
  static Spawner& instance() {
    static Spawner* const spawner = new Spawner;  // never destroyed
    return *spawner;
  }

  pid_t call(const std::function<pid_t()>& fork_and_exec) {
    std::packaged_task<pid_t()> task(fork_and_exec);
    std::future<pid_t> pid = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push(std::move(task));
    }
    waiting_.release();
    return pid.get();
  }

 private:
  Spawner() {
    std::thread([this] {
      for (;;) {
        waiting_.acquire();
        std::packaged_task<pid_t()> task;
        {
          const std::lock_guard lock(mutex_);
          task = std::move(tasks_.front());
          tasks_.pop();
        }
        task();
      }
    }).detach();
  }

  std::mutex mutex_;
  std::queue<std::packaged_task<pid_t()>> tasks_;
  std::counting_semaphore<> waiting_{0};
};

std::vector<std::string> merged_environment(
    const std::map<std::string, std::string>& added) {
  std::vector<std::string> out;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string entry = *e;
    if (!added.contains(entry.substr(0, entry.find('=')))) {
      out.push_back(entry);
    }
  }
  for (const auto& [name, value] : added)
    out.push_back(fmt::format("{}={}", name, value));
  return out;
}

struct ChildPlan {
  char* const* argv;
  char* const* envp;
  int socket, memory, output, failure;
  std::int64_t memory_limit;
  pid_t parent;
};

// Between fork and exec, in a process that may have had many threads: system
// calls only. On failure writes errno to `failure` and exits.
[[noreturn]] void become_worker(const ChildPlan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);  // it ended before the prctl
  for (int s = 1; s < NSIG; ++s) signal(s, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (plan.memory_limit > 0) {
    const auto bytes = static_cast<rlim_t>(plan.memory_limit);
    const rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_DATA, &limit);
  }

  // Moved out of the way first: a descriptor may have the number of another's
  // target.
  constexpr int kFree = 10;
  const int socket = fcntl(plan.socket, F_DUPFD_CLOEXEC, kFree);
  const int memory = fcntl(plan.memory, F_DUPFD_CLOEXEC, kFree);
  const int output = fcntl(plan.output, F_DUPFD_CLOEXEC, kFree);
  const int failure = fcntl(plan.failure, F_DUPFD_CLOEXEC, kFree);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  dup2(socket, kWorkerSocket);
  dup2(memory, kWorkerMemory);
  // Descriptors that some other thread opened without O_CLOEXEC.
  syscall(SYS_close_range, kWorkerMemory + 1, ~0u, CLOSE_RANGE_CLOEXEC);

  execve(plan.argv[0], plan.argv, plan.envp);
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

}  // namespace

Result<pid_t> spawn_worker(const SpawnRequest& request) {
  std::vector<std::string> command = request.command;
  command.insert(command.end(), {"--socket-fd", std::to_string(kWorkerSocket),
                                 "--shm-fd", std::to_string(kWorkerMemory)});
  const std::vector<std::string> environment =
      merged_environment(request.environment);
  const std::vector<char*> argv = argument_pointers(command);
  const std::vector<char*> envp = argument_pointers(environment);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) {
    return Error{fmt::format("no pipe: {}", std::strerror(errno))};
  }
  const ChildPlan plan = {argv.data(),          envp.data(),    request.socket,
                          request.memory,       request.output, failure[1],
                          request.memory_limit, getpid()};
  const pid_t pid = Spawner::instance().call([&plan] {
    const pid_t child = fork();
    if (child == 0) become_worker(plan);
    return child < 0 ? -errno : child;
  });
  close(failure[1]);
  int error = 0;
  ssize_t n = 0;
  do {
    n = read(failure[0], &error, sizeof error);
  } while (n < 0 && errno == EINTR);
  close(failure[0]);
  if (pid < 0) {
    return Error{fmt::format("no process: {}", std::strerror(-pid))};
  }
  if (n == sizeof error) {
    waitpid(pid, nullptr, 0);
    return Error{fmt::format("cannot execute {}: {}", request.command[0],
                             std::strerror(error))};
  }
  return pid;
}

}  // namespace assay::harness
