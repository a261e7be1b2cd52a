// The CPU targets that this machine can run.
#ifndef ASSAY_COMPILER_LIBRARY_TARGET_H_
#define ASSAY_COMPILER_LIBRARY_TARGET_H_

#include <optional>
#include <string>
#include <vector>

namespace assay::compiler {

struct Target {
  std::string name;   // "cpu-avx2"
  std::string march;  // "x86-64-v3"; empty: the compiler's default
};

// The best one first; cpu-baseline is always among them.
const std::vector<Target>& machine_targets();

// "cpu" or an empty name is the best one; nothing if there is no such target.
std::optional<Target> find_target(const std::string& name);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_LIBRARY_TARGET_H_
