// One warp: 32 threads in lockstep as far as they agree on the program
// counter. Threads that part become groups; of the groups that can run, the
// one that is furthest behind does, and groups that meet are one again.
// Operations that need other threads of the warp (.sync) wait until all that
// they name have come.
#ifndef ASSAY_PTX_MACHINE_WARP_H_
#define ASSAY_PTX_MACHINE_WARP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/machine/operation.h"
#include "ptx/machine/program.h"
#include "ptx/machine/report.h"

namespace assay::ptx {

class Block;

class Warp {
 public:
  enum class State : std::uint8_t { ready, waiting, done };

  // `threads`: how many lanes of the warp there are.
  Warp(Block& block, unsigned index, unsigned threads, std::byte* frame,
       std::uint32_t* taint);

  // Runs until all of its threads wait at a barrier or have ended, until the
  // block fails, or for about `budget` operations, of which it takes off what
  // it used.
  void run(std::int64_t& budget);
  State state() const;
  std::uint32_t live() const { return live_; }

  // For operations.
  Block& block() { return block_; }
  const Kernel& kernel() const { return kernel_; }
  unsigned index() const { return index_; }
  std::byte* frame() { return frame_; }
  template <class T>
  T* slot(std::uint32_t offset) {
    return reinterpret_cast<T*>(frame_ + offset);
  }
  std::uint32_t& predicate(std::uint32_t offset) {
    return *slot<std::uint32_t>(offset);
  }
  std::uint32_t& taint(std::uint32_t offset) {
    return taint_[offset / kSlotUnit];
  }
  void set_taint(std::uint32_t slot, std::uint32_t mask, std::uint32_t bits) {
    taint(slot) = (taint(slot) & ~mask) | (bits & mask);
  }
  // Operations since this warp was last taken up.
  std::uint64_t clock() const { return turn_; }
  // Which threads could be seen by activemask: the group that runs.
  std::uint32_t active() const { return groups_[current_].mask; }

  // Reports a fault at the operation, for the lowest lane of `lanes`.
  void fault(FaultKind kind, const Operation& op, std::uint32_t lanes,
             const std::string& message);
  // One for undefined values that are used in `what`, if there are any.
  void check_defined(const Operation& op, std::uint32_t slot,
                     std::uint32_t mask, const char* what);

  // For barriers: threads that wait at `barrier` go on.
  void release(unsigned barrier, std::uint32_t reduction, bool is_popc);
  std::uint32_t waiting_at(unsigned barrier) const;
  // Faults at the barrier that this warp's threads wait at.
  void report_stuck(unsigned barrier, const std::string& message);

  // What cp.async has begun and not yet brought to shared memory, and the
  // number of each lane's next group.
  struct Copy {
    const Operation* operation;
    std::uint64_t target;
    unsigned lane;
    std::uint64_t group;
    std::array<std::byte, 16> bytes;
    std::array<std::uint8_t, 16> defined;
  };
  std::vector<Copy> copies;
  std::uint64_t copy_groups[kLanes] = {};

  // Happens-before among the warps of a block: what this warp knows of the
  // others, in generations of the block's barriers.
  std::uint32_t seen[kLanes] = {};

 private:
  enum class Wait : std::uint8_t { none, sync, barrier };
  struct Group {
    std::uint32_t pc = 0;
    std::uint32_t mask = 0;
    Wait wait = Wait::none;
    unsigned barrier = 0;
    const Operation* operation = nullptr;  // the barrier's
  };

  bool pick();
  void park();
  void merge_at(std::uint32_t pc, Wait wait);
  void branch(const Operation& op, std::uint32_t taken, std::uint32_t& pc);
  void branch_indexed(const Operation& op, std::uint32_t mask);
  void exit(std::uint32_t mask);
  bool sync(const Operation& op, std::uint32_t mask);
  void barrier(const Operation& op, std::uint32_t mask);
  bool wake_sync();
  void deadlock();
  void run_lanes(const Operation& op, std::uint32_t mask);

  Block& block_;
  const Kernel& kernel_;
  unsigned index_;
  std::byte* frame_;
  std::uint32_t* taint_;
  std::uint32_t live_;
  std::vector<Group> groups_;
  std::size_t current_ = 0;
  std::uint32_t next_pc_ = 0xffffffffU;  // least of the other ready groups
  std::uint64_t turn_ = 0;               // operations since the last switch
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_WARP_H_
