// A nest run at once, a block of points at a time, by functions that were
// compiled ahead. Every value of a block goes through memory, so that it takes
// some times as long as the nest's own code; but it needs no compiler, and
// starts while that still works. It gives the same bits.
#ifndef ASSAY_COMPILER_BLOCKS_BLOCKS_H_
#define ASSAY_COMPILER_BLOCKS_BLOCKS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/blocks/block_functions.h"
#include "compiler/nest/nest.h"

namespace assay::compiler {

class Blocks {
 public:
  // Null where the nest has a kernel or an operation that no function is for.
  // The nest must outlive it.
  static std::unique_ptr<const Blocks> make(const Nest& nest,
                                            const BlockFunctions& functions);

  // addresses: of the nest's buffers.
  void run(void* const* addresses) const;

  // What run() takes, roughly.
  std::int64_t nanoseconds() const { return nanoseconds_; }

 private:
  // The place that an index names, in elements: at + sum of along * outer
  // variable + stride * inner variable; where it is no such sum, `general`
  // says it.
  struct Access {
    std::int64_t at = 0;
    Shape along;
    std::int64_t stride = 0;
    const IndexExpr* general = nullptr;
  };
  // How a value is computed.
  struct Step {
    const Value* value = nullptr;
    Access access;
    BlockFunction function = nullptr;
    BlockLoad load = nullptr;
    int size = 0;  // bytes of an element
  };
  struct StageStep {
    const Stage* stage = nullptr;
    std::vector<int> needed;  // values, operands before users
    Access access;
    BlockStore store = nullptr;
    BlockReduction reduce;
    std::uint64_t identity = 0;
  };
  // Blocks run along the variable `inner`: the row's, or the last one.
  struct Loops {
    const LoopKernel* kernel = nullptr;
    std::size_t inner = 0;
    std::int64_t extent = 1;
    Shape outer;  // extents of the other variables
    std::vector<Step> steps;
    std::vector<StageStep> stages;
  };
  class Run;

  Blocks() = default;
  static Access access_of(const IndexExpr& e, const Loops& loops);
  bool add(const LoopKernel& k, const Nest& nest, const BlockFunctions& f);
  static bool add_step(const Value& v, const BlockFunctions& f, Loops* loops);
  static bool add_stage(const Stage& s, const BlockFunctions& f, Loops* loops);
  void count(const Loops& loops);

  std::vector<Loops> kernels_;
  std::vector<int> sizes_;  // of the buffers' elements
  std::int64_t nanoseconds_ = 0;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_BLOCKS_BLOCKS_H_
