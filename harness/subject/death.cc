#include "harness/subject/death.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

namespace assay::harness {
namespace {

constexpr int kShellExitOfKill = 128 + SIGKILL;

// The value of "name value" in a file of such lines.
std::optional<std::int64_t> counter(const std::string& file,
                                    std::string_view name) {
  std::ifstream in(file);
  std::string key;
  std::int64_t value = 0;
  while (in >> key >> value) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::string own_control_group() {
  std::ifstream in("/proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with("0::")) return "/sys/fs/cgroup" + line.substr(3);
  }
  return "/sys/fs/cgroup";
}

// What runtimes print when an allocation was refused.
bool says_out_of_memory(const std::string& words) {
  static constexpr std::string_view kSigns[] = {
      "std::bad_alloc", "MemoryError",   "Cannot allocate memory",
      "out of memory",  "Out of memory", "not enough memory"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](std::string_view sign) {
                       return words.find(sign) != std::string::npos;
                     });
}

}  // namespace

std::int64_t out_of_memory_kills() {
  const std::string group = own_control_group() + "/memory.events";
  if (const auto own = counter(group, "oom_kill")) return *own;
  if (const auto here = counter("/sys/fs/cgroup/memory.events", "oom_kill")) {
    return *here;
  }
  return counter("/proc/vmstat", "oom_kill").value_or(0);
}

std::string file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return {};
  }
  return fmt::format(
      "; the limit on file sizes (ulimit -f) is {} bytes: raise it",
      limit.rlim_cur);
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name)
                         : fmt::format("signal {}", signal);
}

Death describe_death(int status, const std::string& last_words,
                     std::int64_t kills_before) {
  Death death;
  bool killed = false;
  if (status == -1) {
    death.how = "ended, nobody knows how";
  } else if (WIFSIGNALED(status)) {
    death.how = fmt::format("killed by {}", signal_name(WTERMSIG(status)));
    killed = WTERMSIG(status) == SIGKILL;
    death.file_limit = WTERMSIG(status) == SIGXFSZ && !file_limit().empty();
    if (death.file_limit) death.how += file_limit();
  } else {
    death.how = fmt::format("exited with code {}", WEXITSTATUS(status));
    killed = WEXITSTATUS(status) == kShellExitOfKill;
  }
  if (killed && out_of_memory_kills() > kills_before) {
    death.out_of_memory = true;
    death.how += ", by the kernel for lack of memory";
  } else if (says_out_of_memory(last_words)) {
    death.out_of_memory = true;
    death.how += " for lack of memory";
  }
  return death;
}

Result<std::int64_t> worker_memory_limit() {
  constexpr std::int64_t kDefault = std::int64_t{16} << 30;
  if (const char* text = std::getenv("ASSAY_WORKER_MEMORY")) {
    const char* end = text + std::strlen(text);
    std::int64_t value = 0;
    const auto r = std::from_chars(text, end, value);
    const std::string_view unit(r.ptr, static_cast<std::size_t>(end - r.ptr));
    const int shift = unit.empty()                 ? 0
                      : unit == "K" || unit == "k" ? 10
                      : unit == "M" || unit == "m" ? 20
                      : unit == "G" || unit == "g" ? 30
                                                   : -1;
    if (r.ec == std::errc() && value >= 0 && shift >= 0 &&
        value <= (std::int64_t{1} << (62 - shift))) {
      return value << shift;
    }
    return Error{
        fmt::format("ASSAY_WORKER_MEMORY={} is no amount of memory: "
                    "8G, 512M, a number of bytes, or 0 for no limit",
                    text)};
  }
  const std::int64_t machine = std::int64_t{sysconf(_SC_PHYS_PAGES)} *
                               std::int64_t{sysconf(_SC_PAGESIZE)};
  return machine > 0 ? std::min(kDefault, machine) : kDefault;
}

std::int64_t resident_memory(int pid) {
  std::ifstream in(fmt::format("/proc/{}/statm", pid));
  std::int64_t total = 0;
  std::int64_t resident = 0;
  if (!(in >> total >> resident)) return 0;
  return resident * std::int64_t{sysconf(_SC_PAGESIZE)};
}

}  // namespace assay::harness
