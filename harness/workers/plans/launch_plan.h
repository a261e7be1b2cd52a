// A launch plan (docs/launch-plan.md): what a compiler for a GPU would copy
// and launch to run a program, read and checked.
#ifndef ASSAY_HARNESS_WORKERS_PLANS_LAUNCH_PLAN_H_
#define ASSAY_HARNESS_WORKERS_PLANS_LAUNCH_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace assay::harness::worker {

struct PlanBuffer {
  enum class Kind { input, constant, temporary, output };
  Kind kind = Kind::temporary;
  std::size_t index = 0;           // of an input
  std::size_t bytes = 0;           // of a temporary or output
  std::optional<std::byte> fill;   // what it begins with, if defined
  std::vector<std::byte> content;  // of a constant
};

// A byte of a buffer.
struct PlanPlace {
  std::size_t buffer = 0;
  std::int64_t offset = 0;
};

using PlanArgument = std::variant<PlanPlace, std::vector<std::byte>>;

struct PlanLaunch {
  std::size_t module = 0;
  std::string entry;
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};
  std::size_t shared = 0;    // bytes
  bool cooperative = false;  // all blocks are under way at once
  std::vector<PlanArgument> arguments;
};

struct PlanCopy {
  PlanPlace from, to;
  std::size_t bytes = 0;
};

struct PlanFill {
  PlanPlace at;
  std::size_t bytes = 0;         // a multiple of the value's
  std::vector<std::byte> value;  // repeated
};

using PlanStep = std::variant<PlanLaunch, PlanCopy, PlanFill>;

struct PlanOutput {
  PlanPlace at;
  TensorType type;
};

// Where 4 bytes are not zero after the last step, the program has refused.
struct PlanCheck {
  PlanPlace at;
  std::string exception, clause, message;
};

// What a module became for the plan's target, or why it became nothing.
struct PlanCubin {
  std::size_t module = 0;
  std::vector<std::byte> content;
  std::string error;
};

struct LaunchPlan {
  std::string target;  // "sm_90a"
  std::vector<std::string> modules;
  std::vector<PlanBuffer> buffers;
  std::vector<PlanStep> steps;
  std::vector<PlanOutput> outputs;
  std::vector<PlanCheck> checks;
  std::vector<PlanCubin> cubins;
};

// Fails on what is not of the documented form: "launches[2].module: there is
// no module 3". Places inside of inputs cannot be checked here.
Result<LaunchPlan> read_launch_plan(const std::string& text);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLANS_LAUNCH_PLAN_H_
