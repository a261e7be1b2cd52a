#include "compiler/library/target.h"

namespace assay::compiler {

const std::vector<Target>& machine_targets() {
  static const auto* const targets = [] {
    auto* all = new std::vector<Target>;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      all->push_back({"cpu-avx512", "x86-64-v4"});
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
      all->push_back({"cpu-avx2", "x86-64-v3"});
    }
    all->push_back({"cpu-baseline", "x86-64"});
#else
    all->push_back({"cpu-baseline", ""});
#endif
    return all;
  }();
  return *targets;
}

std::optional<Target> find_target(const std::string& name) {
  const std::vector<Target>& all = machine_targets();
  if (name.empty() || name == "cpu") return all.front();
  for (const Target& t : all) {
    if (t.name == name) return t;
  }
  return std::nullopt;
}

}  // namespace assay::compiler
