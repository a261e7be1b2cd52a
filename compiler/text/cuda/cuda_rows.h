// Kernels of rows in CUDA text: who works on a row, and how its stages hand
// their results on.
#ifndef ASSAY_COMPILER_TEXT_CUDA_CUDA_ROWS_H_
#define ASSAY_COMPILER_TEXT_CUDA_CUDA_ROWS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/text/cuda/cuda_points.h"
#include "compiler/text/cuda/held_plan.h"

namespace assay::compiler {

class CudaRows : public CudaPoints {
 protected:
  using CudaPoints::CudaPoints;

  // Who works on a row.
  enum class Rows {
    none,     // there are none: a thread for each point
    threads,  // a thread for each row
    teams,    // as many threads as the order has lanes
    blocks,   // a thread block: as many teams as it has
    staged,   // a thread block, one of whose threads adds
    columns,  // as many threads as the order has lanes, each of another warp
  };

  // Decides it, for this kernel and what is asked below.
  void plan_rows(const LoopKernel& k);
  void no_rows();
  Rows rows() const { return rows_; }
  std::int64_t rows_per_block() const;
  std::int64_t threads_per_block() const;
  // Of shared memory, in bytes, what has to be asked for by the launch.
  std::int64_t dynamic_shared(const LoopKernel& k) const;
  // What a kernel may have of it on the target.
  virtual std::int64_t most_shared() const = 0;
  // Defines t, the number of the row: of the point, where there are no rows.
  void number_row(std::int64_t count);
  // All stages of a row.
  void row(const LoopKernel& k);

  std::string element(int b, const IndexExpr& at) override;
  std::string applied(const LoopKernel& k, const Value& v, DType t,
                      const std::vector<std::string>& args) override;

 private:
  using Values = std::set<int>;

  bool can_hold(const LoopKernel& k) const;
  // How many elements that lie side by side a thread has at a time.
  void choose_width(const LoopKernel& k);
  Rows choose_rows(const LoopKernel& k, const Order& order) const;
  std::int64_t shared_bytes(const LoopKernel& k) const;
  void declare_shared(const LoopKernel& k);
  // The stages of a row that is held.
  void held_row(const LoopKernel& k);
  void held_stage(const LoopKernel& k, std::size_t s);
  void held_reduction(const LoopKernel& k, std::size_t s);
  void exchange(const LoopKernel& k, std::size_t s);
  void held_elements(const LoopKernel& k, std::size_t s);
  void held_body(const LoopKernel& k, std::size_t s);
  void held_results(const LoopKernel& k, std::size_t s);
  void held_results_once(const LoopKernel& k, std::size_t s);
  void declare_packs(const LoopKernel& k);
  void move_pack(const std::string& pack, const std::string& type,
                 const std::string& element, bool stored);
  // The divisors of f32 that stage `s` has and are the same all along the row.
  Values divisors(const LoopKernel& k, std::size_t s) const;
  void define_uniform(const LoopKernel& k, int value);
  // Element r of value `v` in shared memory.
  std::string exchanged(const LoopKernel& k, int v) const;
  std::string exchanged_pack(const LoopKernel& k, int v) const;

  void row_stage(const LoopKernel& k, std::size_t s);
  void reduce_stage(const LoopKernel& k, std::size_t s,
                    const std::vector<bool>& needed);
  void store_reduced(const LoopKernel& k, std::size_t s);
  // How a reduction's function ends: with what joins two operands.
  void close_reduction(const LoopKernel& k, const Stage& stage);
  std::string reduction(const LoopKernel& k, const Stage& stage) const;
  bool is_shared() const;
  std::string place() const;
  void begin_row();
  void begin_elements(const LoopKernel& k);
  void between_stages();

  Rows rows_ = Rows::none;
  int lanes_ = 1;
  std::optional<HeldPlan> held_;
  Values defined_;               // once for the whole row
  std::vector<Pack> row_packs_;  // of a held row that has a width
  bool in_row_packs_ = false;
  Values divisors_;  // by whose reciprocals quotients are taken
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CUDA_CUDA_ROWS_H_
