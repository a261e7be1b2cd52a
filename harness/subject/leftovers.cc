#include "harness/subject/leftovers.h"

#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace assay::harness {
namespace {

// A killed process is listed for a moment still.
constexpr int kRounds = 50;
constexpr useconds_t kPause = 2000;

// The environment that a process was started with; empty for those of others,
// which cannot be read.
std::string environment_of(const char* pid) {
  std::ifstream in(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<pid_t> marked(const std::string& mark) {
  const std::string entry = fmt::format("{}={}", kMarkVariable, mark);
  std::vector<pid_t> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"),
                                                      closedir);
  if (processes == nullptr) return out;
  while (const dirent* process = readdir(processes.get())) {
    const pid_t pid = std::atoi(process->d_name);
    if (pid <= 0 || pid == getpid()) continue;
    // Zeros divide and end the entries.
    const std::string all = '\0' + environment_of(process->d_name);
    if (all.find('\0' + entry + '\0') != std::string::npos) out.push_back(pid);
  }
  return out;
}

}  // namespace

std::string new_mark() {
  static std::atomic<int> count{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return fmt::format("{}-{}-{}", getpid(), now.count(), count++);
}

void kill_marked(const std::string& mark) {
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<pid_t> found = marked(mark);
    if (found.empty()) return;
    for (const pid_t pid : found) kill(pid, SIGKILL);
    usleep(kPause);
  }
}

}  // namespace assay::harness
