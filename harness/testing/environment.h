// Python environments that tests use where they are there already.
#ifndef ASSAY_HARNESS_TESTING_ENVIRONMENT_H_
#define ASSAY_HARNESS_TESTING_ENVIRONMENT_H_

#include <cstdlib>
#include <filesystem>
#include <string>

namespace assay::harness::testing {

// The python that `variable` names, or that of `./assay env NAME` in the cache;
// empty if there is neither.
inline std::string python_of(const std::string& name, const char* variable) {
  namespace fs = std::filesystem;
  if (const char* own = std::getenv(variable)) return own;
  const char* cache = std::getenv("ASSAY_CACHE");
  const char* home = std::getenv("HOME");
  fs::path folder = fs::path(home != nullptr ? home : "/") / ".cache/assay";
  if (cache != nullptr) folder = cache;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with("env-" + name + "-") &&
        fs::exists(entry.path() / ".complete", failed)) {
      return entry.path() / "bin/python";
    }
  }
  return {};
}

}  // namespace assay::harness::testing

#endif  // ASSAY_HARNESS_TESTING_ENVIRONMENT_H_
