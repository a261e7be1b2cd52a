// One thread block: its warps, its shared and local memory, its barriers.
#ifndef ASSAY_PTX_MACHINE_BLOCK_H_
#define ASSAY_PTX_MACHINE_BLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ptx/machine/memory.h"
#include "ptx/machine/program.h"
#include "ptx/machine/races.h"
#include "ptx/machine/report.h"
#include "ptx/machine/shared_marks.h"
#include "ptx/machine/warp.h"
#include "ptx/numbers/approximate.h"

namespace assay::ptx {

// What all blocks of a launch share and none of them changes.
struct LaunchState {
  const Kernel* kernel = nullptr;
  Memory* memory = nullptr;
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  std::size_t shared_bytes = 0;  // static and dynamic
  std::size_t dynamic_shared = 0;
  std::uint64_t parameters = 0;  // device address
  Approximation approximation = Approximation::nominal;
  const RecordedResults* recorded = nullptr;
  bool find_uninitialised = true;
  bool find_shared_races = true;
  std::uint64_t step_limit = 0;  // of one block
  // Every constant slot, filled: the first bytes of each frame.
  struct Fill {
    std::uint32_t slot;
    unsigned width;
    std::uint64_t value;
  };
  std::vector<Fill> fills;
};

// Storage that blocks of one host thread use one after another.
struct Workspace {
  std::vector<std::unique_ptr<std::byte[]>> frames;
  std::vector<std::byte*> aligned_frames;
  std::vector<std::vector<std::uint32_t>> taints;
  RaceMarks* races = nullptr;              // null: not looked for
  BlockOrder* order = nullptr;             // null: blocks share nothing
  std::vector<std::uint64_t> approximate;  // by Kernel::approximate
};

class Block {
 public:
  Block(const LaunchState& launch, Workspace& workspace, std::uint64_t index);

  // Runs for about `budget` operations; true once the block has ended.
  bool run(std::int64_t budget);

  const LaunchState& launch() const { return launch_; }
  Workspace& workspace() { return workspace_; }
  const Dim3& id() const { return id_; }
  std::uint32_t index() const { return static_cast<std::uint32_t>(index_); }
  Dim3 thread(unsigned warp, unsigned lane) const;

  std::span<std::byte> shared() { return shared_; }
  std::vector<std::uint8_t>& shared_defined() { return shared_defined_; }
  // Local memory of one thread.
  std::span<std::byte> local(unsigned warp, unsigned lane);
  std::uint8_t* local_defined(unsigned warp, unsigned lane);
  // How many barriers have opened so far.
  std::uint32_t generation() const { return generation_; }
  SharedMarks* shared_marks() { return marks_ ? &*marks_ : nullptr; }

  void fault(FaultKind kind, const Operation& op, unsigned warp, unsigned lane,
             const std::string& message);
  bool failed() const { return failed_; }
  std::vector<Fault>& faults() { return faults_; }
  std::string& printed() { return printed_; }
  std::uint64_t steps() const { return steps_; }
  void count(std::uint64_t steps) { steps_ += steps; }

  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  // 0: all that live
    std::uint32_t reduction = 0;
    std::uint32_t arrivals = 0;  // warps, as a mask
    bool popc = false;
    bool is_or = false;
    bool started = false;
  };
  // A group of threads arrives; those that wait are released if it was the
  // last. `value`: how many of its threads bring true; all_true, for .and.
  void arrive(unsigned barrier, std::uint32_t threads, std::uint32_t expected,
              unsigned warp, std::uint32_t value, char reduction);
  // Threads have ended: barriers that waited for them may open.
  void threads_ended();

 private:
  void open_barriers();
  std::uint32_t live_threads() const;
  void report_stuck();

  const LaunchState& launch_;
  Workspace& workspace_;
  std::uint64_t index_;
  Dim3 id_;
  std::vector<std::byte> shared_;
  std::vector<std::uint8_t> shared_defined_;
  std::vector<std::byte> local_;
  std::vector<std::uint8_t> local_defined_;
  std::optional<SharedMarks> marks_;
  std::vector<Warp> warps_;
  std::array<Barrier, 16> barriers_;
  std::uint32_t generation_ = 0;
  std::vector<Fault> faults_;
  std::string printed_;
  bool failed_ = false;
  std::uint64_t steps_ = 0;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_BLOCK_H_
