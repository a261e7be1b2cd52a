// Kernels of points in CUDA text: a thread for each, or for several that lie
// side by side, which it loads and stores at once. Where a tensor is read
// across the points, a thread block has a tile of them, which it reads along
// the tensor into shared memory.
#ifndef ASSAY_COMPILER_TEXT_CUDA_CUDA_POINTS_H_
#define ASSAY_COMPILER_TEXT_CUDA_CUDA_POINTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/text/nest_text.h"

namespace assay::compiler {

class CudaPoints : public NestText {
 protected:
  using NestText::NestText;

  // Decides how many points a thread has, for this kernel and what is asked
  // below.
  void plan_points(const LoopKernel& k, const Touched& touched);
  void no_points();
  // Points of a thread, along the last variable, whose extent is a multiple.
  std::int64_t width() const { return width_; }
  // What comes after the beginning of the points.
  void points(const LoopKernel& k);
  // Whether thread blocks have tiles, how many there are, and their text,
  // which has no other beginning.
  bool is_tiled() const { return !tiles_.empty(); }
  std::int64_t tile_count(const LoopKernel& k) const;
  void tiled_points(const LoopKernel& k);

  // "int", or "long" where that may be too short or `k` is unknown.
  const char* index_type() const { return index_type_; }
  void choose_index_type(const std::optional<LoopKernel>& k) {
    index_type_ = k && fits_int(*k) ? "int" : "long";
  }

  std::string element(int b, const IndexExpr& at) override;

  // Elements that lie side by side, `width` of them along a variable.
  struct Pack {
    int buffer;
    IndexExpr at;
    bool stored;
  };
  std::vector<Pack> find_packs(const LoopKernel& k, std::size_t variable,
                               std::int64_t width) const;
  // Whether none of `packs` is longer than that.
  bool are_within(const std::vector<Pack>& packs, std::int64_t width,
                  std::int64_t bytes) const;
  // The number of that pack among `packs`.
  static std::optional<std::size_t> place_of(const std::vector<Pack>& packs,
                                             int b, const IndexExpr& at);
  std::string pack_type(const Pack& p, std::int64_t width) const;

 private:
  void find_tiles(const LoopKernel& k);
  bool is_tiled_along(const LoopKernel& k, std::size_t d) const;
  std::int64_t blocks_along(const LoopKernel& k, std::size_t d) const;
  void number_tile(const LoopKernel& k);
  // Opens the loop over the points of a thread: neighbouring threads have
  // neighbours along variable `along`, each has several of `across`.
  void open_tile(const LoopKernel& k, std::size_t along, std::size_t across);
  std::int64_t width_ = 1;
  std::vector<Pack> packs_;
  bool in_packs_ = false;
  std::vector<Pack> tiles_;  // of loads, along variable `across_`
  std::size_t across_ = 0;
  bool in_tiles_ = false;
  const char* index_type_ = "long";
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CUDA_CUDA_POINTS_H_
