// Runs a built program in a process of its own, for tests.
#ifndef ASSAY_HARNESS_TESTING_COMMAND_H_
#define ASSAY_HARNESS_TESTING_COMMAND_H_

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/process.h"

namespace assay::harness::testing {

struct CommandResult {
  int exit_code = -1;  // -1: it was killed
  std::string out, err;
};

struct CommandOptions {
  std::filesystem::path directory = ".";
  std::string stdout_file;       // empty: captured
  unsigned long file_limit = 0;  // RLIMIT_FSIZE, 0: none
  // SIGINT is sent once this file has so many lines.
  std::filesystem::path watched;
  std::size_t interrupt_after_lines = 0;
};

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::size_t count_lines(const std::filesystem::path& file) {
  const std::string text = slurp(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

inline CommandResult run_command(const std::vector<std::string>& words,
                                 const CommandOptions& o) {
  const std::string base = (std::filesystem::temp_directory_path() /
                            ("assay_command_" + std::to_string(::getpid())))
                               .string();
  const std::string out = o.stdout_file.empty() ? base + ".out" : o.stdout_file;
  const std::string err = base + ".err";
  const std::vector<char*> argv = argument_pointers(words);
  const pid_t child = ::fork();
  if (child == 0) {
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(::open(out.c_str(), flags, 0600), 1);
    ::dup2(::open(err.c_str(), flags, 0600), 2);
    if (::chdir(o.directory.c_str()) != 0) ::_exit(126);
    if (o.file_limit != 0) {
      const rlimit limit{o.file_limit, o.file_limit};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  bool interrupted = o.interrupt_after_lines == 0;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (!interrupted && count_lines(o.watched) >= o.interrupt_after_lines) {
      ::kill(child, SIGINT);
      interrupted = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CommandResult r;
  if (WIFEXITED(status)) r.exit_code = WEXITSTATUS(status);
  r.out = o.stdout_file.empty() ? slurp(out) : "";
  r.err = slurp(err);
  ::unlink(err.c_str());
  if (o.stdout_file.empty()) ::unlink(out.c_str());
  return r;
}

}  // namespace assay::harness::testing

#endif  // ASSAY_HARNESS_TESTING_COMMAND_H_
