// What the threads that share a row keep of it between a kernel's stages.
#ifndef ASSAY_COMPILER_TEXT_CUDA_HELD_PLAN_H_
#define ASSAY_COMPILER_TEXT_CUDA_HELD_PLAN_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "compiler/nest/nest.h"

namespace assay::compiler {

// With so many rows, a warp for each fills a GPU.
inline constexpr std::int64_t kRowsForTeams = 1 << 11;

struct HeldStage {
  // Values that are computed of each element.
  std::set<int> computed;
  // Of a reduction by a thread block: the value that goes through shared
  // memory, a row of it, to the team that reduces; its terms are computed from
  // that. -1 where there is none. `kept`: it is there from an earlier stage.
  int exchanged = -1;
  bool kept = false;
  // What is left for later stages in registers, and in shared memory (-1:
  // none).
  std::set<int> registers;
  int resident = -1;
};

struct HeldPlan {
  bool by_team = false;      // of a warp; else a thread block has a row
  int threads = 0;           // that share a row
  std::int64_t steps = 0;    // elements of a row for each, at most
  std::int64_t width = 1;    // of these, that lie side by side
  std::vector<bool> varies;  // by value: it is not the same all along a row
  std::vector<HeldStage> stages;
  std::int64_t shared_bytes = 0;  // of the rows that are exchanged
};

// A plan for rows whose reductions have the order of kReduceOrder; none where
// rows are too long, or where there is nothing to be kept. Requires that no
// stage reads what another one stores.
std::optional<HeldPlan> plan_held(const LoopKernel& k,
                                  std::int64_t most_shared);

// What has to be computed for value `id`, where those of `there` need not be,
// which are added to `used`.
void walk(const LoopKernel& k, int id, const std::set<int>& there,
          std::set<int>* computed, std::set<int>* used);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CUDA_HELD_PLAN_H_
