#include "compiler/text/cuda/cuda_defects.h"

#include <string_view>

namespace assay::compiler {
namespace {

// Every `sound` in the math text of CUDA becomes `broken`.
struct Change {
  Defect defect;
  std::string_view sound, broken;
};

constexpr Change kChanges[] = {
    {Defect::missing_barrier, "a_shared_written() { __syncthreads(); }",
     "a_shared_written() {}"},
    {Defect::early_reuse, "a_shared_read() { __syncthreads(); }",
     "a_shared_read() {}"},
    {Defect::early_reuse, "int turn = (int)(sizeof steps[0] / sizeof(T));",
     "int turn = 0;"},
    {Defect::early_reuse, "int from = 0, to = kStages - 1;",
     "int from = 0, to = 0;"},
    {Defect::wrong_lane_mask, "int half = kLanes / 2;",
     "int half = kLanes / 4;"},
    {Defect::wrong_shared_index, "combine(total, parts[k])",
     "combine(total, parts[0])"},
    {Defect::wrong_shared_index, "column + k *", "column + (k ^ 1) *"},
    {Defect::wrong_shared_index, "read(stages + from * kStage, (time + 1)",
     "read(stages + from * kStage, time"},
    {Defect::unordered_atomics, "\n  for (int half = kLanes / 2;",
     "\n  if (a_is_float_sum<T>(combine)) return a_atomic_sum<kLanes>(v);"
     "\n  for (int half = kLanes / 2;"},
    {Defect::unguarded_tail, "return t >= n;", "return false;"},
    {Defect::tf32, "a_take(r[i], c[j]", "a_take(a_tf32(r[i]), a_tf32(c[j])"},
    {Defect::tf32, "a_take(e, weight", "a_take(a_tf32(e), a_tf32(weight)"},
};

// Functions that the changed text calls, before all that is in it: to nearest,
// ties away, to 10 explicit bits of the significand; and a team whose threads
// each add to one place of shared memory.
constexpr std::string_view kTf32 = R"(
static inline float a_tf32(float x) {
  const unsigned b = __float_as_uint(x);
  return (b & 0x7f800000u) == 0x7f800000u
             ? x
             : __uint_as_float((b + 0x1000u) & 0xffffe000u);
}
template <class T>
static inline T a_tf32(T x) {
  return x;
}
)";
constexpr std::string_view kAtomics = R"(
template <class T, class Combine>
static inline bool a_is_float_sum(Combine combine) {
  return T(0.5) != T(0) && combine(T(1), T(1)) == T(2);
}
template <int kLanes, class T>
static inline T a_atomic_sum(T v) {
  __shared__ T sums[256 / kLanes];
  const int team = (int)threadIdx.x / kLanes;
  if constexpr (sizeof(T) >= 4 && T(0.5) != T(0)) {
    const unsigned mask = __activemask();
    if (threadIdx.x % kLanes == 0) sums[team] = 0;
    __syncwarp(mask);
    atomicAdd(&sums[team], v);
    __syncwarp(mask);
    v = sums[team];
    __syncwarp(mask);
  }
  return v;
}
)";

std::string replaced(std::string text, std::string_view from,
                     std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

std::string inject_text(const std::string& text, Defect defect) {
  std::string out = text;
  for (const Change& c : kChanges) {
    if (c.defect == defect) out = replaced(out, c.sound, c.broken);
  }
  if (out == text) return out;
  if (defect == Defect::tf32) return std::string(kTf32) + out;
  if (defect == Defect::unordered_atomics) return std::string(kAtomics) + out;
  return out;
}

std::vector<std::string> flags_of(Defect defect) {
  switch (defect) {
    case Defect::ftz:
      return {"--ftz=true"};
    case Defect::fast_math:
      // By itself it does not overrule --fmad=false.
      return {"--use_fast_math", "--fmad=true"};
    case Defect::approximate_division:
      return {"--prec-div=false"};
    default:
      return {};
  }
}

}  // namespace assay::compiler
