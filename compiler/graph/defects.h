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
  lose_last_term,
  f16_accumulator,
  wrong_argmax_tie,
  tanh_gelu_for_gelu,
  approximate_rsqrt,
  int_wrap_wide,
  wrong_stride,
  read_past_end,
  reuse_live_buffer,
  alias_unsafe,
  stale_cache,
  wrong_shape_specialisation,
  unstable_order,
  batch_dependent_row,
  race_on_output,
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
enum class DefectPlace { everywhere, cpu, cuda };

struct DefectRow {
  Defect defect;
  std::string_view name;
  std::string_view breaks;  // what a program sees of it
  DefectPlace place = DefectPlace::everywhere;
};

inline constexpr std::array<DefectRow, 35> kDefects = {{
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
    {Defect::lose_last_term, "lose-last-term",
     "sums and products of matrices leave out their last term"},
    {Defect::f16_accumulator, "f16-accumulator",
     "sums of f16 and bf16 elements are kept in their type, not in f32"},
    {Defect::wrong_argmax_tie, "wrong-argmax-tie",
     "of several greatest elements the last one is named"},
    {Defect::tanh_gelu_for_gelu, "tanh-gelu-for-gelu",
     "gelu is computed by its tanh approximation"},
    {Defect::approximate_rsqrt, "approximate-rsqrt",
     "rsqrt is as far off as the processor's estimate of it"},
    {Defect::int_wrap_wide, "int-wrap-wide",
     "integers that are widened next do not wrap before"},
    {Defect::wrong_stride, "wrong-stride",
     "transposed inputs are read as if they were row-major"},
    {Defect::read_past_end, "read-past-end",
     "reductions of rows take one element more"},
    {Defect::reuse_live_buffer, "reuse-live-buffer",
     "an intermediate is stored where another still lives"},
    {Defect::alias_unsafe, "alias-unsafe",
     "an intermediate is stored in the memory of an input"},
    {Defect::stale_cache, "stale-cache",
     "programs that differ in numbers only share the code of the first",
     DefectPlace::cpu},
    {Defect::wrong_shape_specialisation, "wrong-shape-specialisation",
     "programs that differ in sizes only share the code of the smallest",
     DefectPlace::cpu},
    {Defect::unstable_order, "unstable-order",
     "every second call adds in another order", DefectPlace::cpu},
    {Defect::batch_dependent_row, "batch-dependent-row",
     "the terms of a row are added in another order where it is not alone",
     DefectPlace::cpu},
    {Defect::race_on_output, "race-on-output",
     "the threads that share a kernel, two at least, all write where the "
     "first one does",
     DefectPlace::cpu},
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
// are in the importer, in the nest and in the renderer. Applied after all
// checks, and not entered in any ledger.
Body inject(const Body& body, Defect defect);

// The same for inputs: where their elements are taken to lie.
Body inject_layout(Body body, Defect defect);

// What defect approximate-rsqrt multiplies by: the largest relative error that
// Intel states for RSQRTSS is 1.5 * 2^-12.
inline constexpr double kEstimate = 1 + 0x1.8p-12;

// `f` with the defect in it: approximate_rsqrt or wrong_argmax_tie.
std::shared_ptr<const Formula> inject_formula(
    const std::shared_ptr<const Formula>& f, Defect defect);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_DEFECTS_H_
