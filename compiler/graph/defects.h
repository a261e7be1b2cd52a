// Defects: deliberate miscompilations that the suite must catch, one row each.
// They are injected after the checks that would refuse them.
#ifndef ASSAY_COMPILER_GRAPH_DEFECTS_H_
#define ASSAY_COMPILER_GRAPH_DEFECTS_H_

#include <array>
#include <optional>
#include <string_view>

#include "compiler/graph/graph.h"

namespace assay::compiler {

enum class Defect {
  drop_cast,
  skip_guard,
  wrong_error_class,
  wrong_promotion,
  flush_subnormal,
  contract_fma,
  lose_signed_zero,
  nan_swallow_max,
  saturate_not_inf,
  tail_off_by_one,
  missing_barrier,
  early_reuse,
  wrong_lane_mask,
  wrong_shared_index,
  unguarded_tail,
  unordered_atomics,
  tf32,
  ftz,
  fast_math,
  approximate_division,
};

// Where there is something to break.
enum class DefectPlace { everywhere, cuda };

struct DefectRow {
  Defect defect;
  std::string_view name;
  std::string_view breaks;  // what a program sees of it
  DefectPlace place = DefectPlace::everywhere;
};

inline constexpr std::array<DefectRow, 20> kDefects = {{
    {Defect::drop_cast, "drop-cast",
     "a narrowing cast that is widened again does not round"},
    {Defect::skip_guard, "skip-guard",
     "operands of different dtypes are promoted instead of refused, and "
     "indices are not checked"},
    {Defect::wrong_error_class, "wrong-error-class",
     "refusals raise another class of exception"},
    {Defect::wrong_promotion, "wrong-promotion",
     "0-d tensors and Python numbers count like tensors with dimensions"},
    {Defect::flush_subnormal, "flush-subnormal",
     "subnormal f32 and f64 results become zero"},
    {Defect::contract_fma, "contract-fma",
     "a product that is added is not rounded"},
    {Defect::lose_signed_zero, "lose-signed-zero",
     "-0 among float results becomes +0"},
    {Defect::nan_swallow_max, "nan-swallow-max",
     "maximum and minimum drop a NaN that is their first operand"},
    {Defect::saturate_not_inf, "saturate-not-inf",
     "overflow in a cast to f16 gives the largest number"},
    {Defect::tail_off_by_one, "tail-off-by-one",
     "the last element of a row that is no multiple of 8 is not written"},
    {Defect::missing_barrier, "missing-barrier",
     "shared memory is read before all of it is written", DefectPlace::cuda},
    {Defect::early_reuse, "early-reuse",
     "shared memory is written again before all have read it",
     DefectPlace::cuda},
    {Defect::wrong_lane_mask, "wrong-lane-mask",
     "a row's reduction leaves out the upper half of its lanes",
     DefectPlace::cuda},
    {Defect::wrong_shared_index, "wrong-shared-index",
     "shared memory is read in another place than was written",
     DefectPlace::cuda},
    {Defect::unguarded_tail, "unguarded-tail",
     "threads beyond the last point write, too", DefectPlace::cuda},
    {Defect::unordered_atomics, "unordered-atomics",
     "float sums of rows are made by atomic additions, in any order",
     DefectPlace::cuda},
    {Defect::tf32, "tf32", "operands of f32 products lose 13 bits",
     DefectPlace::cuda},
    {Defect::ftz, "ftz", "--ftz=true: f32 subnormals become zero",
     DefectPlace::cuda},
    {Defect::fast_math, "fast-math",
     "--use_fast_math: approximate f32 operations, and contraction",
     DefectPlace::cuda},
    {Defect::approximate_division, "approximate-division",
     "--prec-div=false: f32 division is not rounded correctly",
     DefectPlace::cuda},
}};

inline DefectPlace place_of(Defect defect) {
  for (const DefectRow& row : kDefects) {
    if (row.defect == defect) return row.place;
  }
  return DefectPlace::everywhere;
}

inline std::optional<Defect> parse_defect(std::string_view name) {
  for (const DefectRow& row : kDefects) {
    if (row.name == name) return row.defect;
  }
  return std::nullopt;
}

// `body` with the defect in it, if the defect is one of the graph; the others
// are in the importer and in the renderer. Applied after all checks, and not
// entered in any ledger.
Body inject(const Body& body, Defect defect);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_DEFECTS_H_
