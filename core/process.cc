#include "core/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

extern char** environ;

namespace assay {
namespace {

constexpr std::size_t kMostOutput = 64 * 1024;

std::string read_all(int fd) {
  std::string out;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return out;
    if (out.size() < kMostOutput) {
      out.append(buffer, static_cast<std::size_t>(n));
    }
  }
}

}  // namespace

std::vector<char*> argument_pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& w : words) out.push_back(const_cast<char*>(w.data()));
  out.push_back(nullptr);
  return out;
}

Finished run_process(const std::vector<std::string>& argv, Collect collect) {
  Finished out;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    out.start_error = errno;
    return out;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (collect == Collect::output_and_errors) {
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  }
  const std::vector<char*> args = argument_pointers(argv);
  pid_t child = 0;
  out.start_error =
      posix_spawnp(&child, args[0], &actions, nullptr, args.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  out.output = read_all(ends[0]);
  close(ends[0]);
  if (!out.started()) return out;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  out.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

}  // namespace assay
