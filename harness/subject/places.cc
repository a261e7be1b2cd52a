#include "harness/subject/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/process.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

// Folders that may hold what was built: that of the running program, the one
// above it (tests lie one deeper), and the launcher's.
std::vector<fs::path> build_folders() {
  std::vector<fs::path> out;
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    out.push_back(self.parent_path());
    out.push_back(self.parent_path().parent_path());
  }
  if (const auto build = variable("ASSAY_BUILD")) {
    out.push_back(fs::path(*build) / "bin");
  }
  return out;
}

Result<std::string> find_built(const fs::path& relative, const char* what) {
  std::error_code failed;
  for (const fs::path& folder : build_folders()) {
    const fs::path file = (folder / relative).lexically_normal();
    if (fs::exists(file, failed)) return file.string();
  }
  return Error{fmt::format("{} is not built; `./assay run` builds {}",
                           relative.filename().string(), what)};
}

// The build's own torch package, as configured: .../site-packages/torch.
const fs::path kTorchFolder = ASSAY_TORCH_DIR;

constexpr const char* kBundleMark = "bundle.txt";

std::string version_in(const fs::path& torch_folder) {
  std::ifstream in(torch_folder / "version.py");
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t first = line.find_first_of("'\"");
    if (!line.starts_with("__version__ =") || first == std::string::npos) {
      continue;
    }
    return line.substr(first + 1,
                       line.find_first_of("+'\"", first + 1) - first - 1);
  }
  return {};
}

std::string own_version() {
  if (const auto version = variable("ASSAY_TORCH")) return *version;
  return in_bundle() ? "" : version_in(kTorchFolder);
}

std::optional<std::string> own_python() {
  if (const auto python = variable("ASSAY_PYTHON")) return python;
  if (in_bundle()) return std::nullopt;
  // The folder is lib/pythonX.Y/site-packages/torch of the environment.
  const fs::path python =
      kTorchFolder.parent_path().parent_path().parent_path().parent_path() /
      "bin" / "python";
  std::error_code failed;
  if (kTorchFolder.empty() || !fs::exists(python, failed)) {
    return std::nullopt;
  }
  return python.string();
}

// An environment that the launcher made is left as it was locked; a person's
// own has what that person put there.
bool made_by_launcher(const std::string& python) {
  const std::string cache = variable("ASSAY_CACHE").value_or("");
  return !in_bundle() && !cache.empty() && python.starts_with(cache + "/env-");
}

// A bundle has only what its machine has.
Error not_in_bundle(const std::string& wanted, const std::string& package) {
  const std::string here = own_version();
  if (here.empty()) {
    return Error{
        "no python3 on PATH has torch: set ASSAY_PYTHON to one that has"};
  }
  return Error{fmt::format(
      "here is torch {}, not {}{}{}, and a bundle installs nothing: set "
      "ASSAY_PYTHON to a python that has it",
      here, wanted, package.empty() ? "" : " and ", package)};
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t newline = text.rfind('\n');
  return newline == std::string::npos ? text : text.substr(newline + 1);
}

// The python of an environment that the launcher prepares where it is not there
// yet; `command` is what follows `./assay env`.
Result<std::string> prepared_python(std::vector<std::string> command,
                                    const std::string& what) {
  const Result<std::string> launcher = find_source("assay");
  if (!launcher) return launcher.error();
  command.insert(command.begin(), {*launcher, "env"});
  // Standard error stays ours: preparing an environment shows its progress.
  const Finished finished = run_process(command, Collect::output);
  if (!finished.started()) {
    return Error{fmt::format("cannot execute {}: {}", command[0],
                             std::strerror(finished.start_error))};
  }
  const std::string python = last_line(finished.output);
  std::error_code failed;
  if (finished.exit_code != 0 || python.empty() ||
      !fs::exists(python, failed)) {
    return Error{fmt::format("no environment with {}: `{}` failed, see above",
                             what, fmt::join(command, " "))};
  }
  return python;
}

}  // namespace

fs::path home() {
  if (const auto named = variable("ASSAY_HOME")) return *named;
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  const fs::path above = self.parent_path().parent_path();
  if (!failed && fs::exists(above / kBundleMark, failed)) return above;
  return ASSAY_SOURCE_DIR;
}

bool in_bundle() {
  std::error_code failed;
  return fs::exists(home() / kBundleMark, failed);
}

fs::path out_root() {
  if (const auto named = variable("ASSAY_OUT")) return *named;
  return home() / "out";
}

Result<std::string> find_program(const std::string& name) {
  return find_built(name, "it, where a torch environment is configured");
}

Result<std::string> find_plugin(const std::string& file) {
  return find_built(fs::path("../lib") / file, "it");
}

Result<std::string> find_source(const std::string& path) {
  const fs::path file = home() / path;
  std::error_code failed;
  if (fs::exists(file, failed)) return file.string();
  return Error{fmt::format("{} is missing; set ASSAY_HOME to the source tree",
                           file.string())};
}

Result<std::string> find_python(const std::string& version,
                                const std::string& package) {
  const auto own = own_python();
  const bool own_will_do =
      own && (version.empty() || version == own_version()) &&
      (package.empty() ||
       (variable("ASSAY_PYTHON") && !made_by_launcher(*own)));
  if (own_will_do) return *own;
  const std::string wanted = version.empty() ? own_version() : version;
  if (in_bundle()) return not_in_bundle(wanted, package);
  if (wanted.empty()) {
    return Error{
        "no Python environment with torch: start with ./assay, or "
        "set ASSAY_PYTHON"};
  }
  std::vector<std::string> words = {wanted};
  if (!package.empty()) words.insert(words.end(), {"--with", package});
  return prepared_python(std::move(words),
                         fmt::format("torch {}{}{}", wanted,
                                     package.empty() ? "" : " and ", package));
}

Result<std::string> find_package_python(const std::string& package) {
  std::string name = "ASSAY_" + package + "_PYTHON";
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  if (const auto own = variable(name.c_str())) return *own;
  if (in_bundle()) {
    return Error{
        fmt::format("a bundle installs nothing: set {} to a python that has {}",
                    name, package)};
  }
  return prepared_python({package}, package);
}

EagerTorch eager_torch() {
  EagerTorch out;
  out.built = ASSAY_TORCH_VERSION;
  if (!in_bundle()) {
    out.found = out.built;
    return out;
  }
  const auto folder = variable("ASSAY_TORCH_DIR");
  if (!folder) return out;
  out.found = version_in(*folder);
  out.libraries = fs::path(*folder) / "lib";
  return out;
}

std::vector<std::string> cpu_levels() {
  std::vector<std::string> levels = {"default"};
#if defined(__x86_64__)
  // As ATen chooses: a level needs all that its kernels are compiled for.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    levels.push_back("avx2");
    if (__builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq")) {
      levels.push_back("avx512");
    }
  }
#endif
  return levels;
}

}  // namespace assay::harness
