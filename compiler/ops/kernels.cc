#include "compiler/ops/kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/dtype.h"

namespace assay::compiler {
namespace {

bool is_bool(DType t) { return t == DType::boolean; }
bool is_half(DType t) { return t == DType::f16 || t == DType::bf16; }

// Names of specs, each between spaces.
constexpr std::string_view kNoFloat8 =
    " _softmax acos acosh adaptive_avg_pool2d add add_scalar amax amin asin"
    " asinh atan atanh avg_pool2d baddbmm batch_norm bmm ceil celu clamp"
    " conv2d copysign copysign_scalar cos cosh deg2rad div div_scalar elu erf"
    " erfc exp exp2 expm1 floor gather ge ge_scalar gelu gt gt_scalar"
    " hardsigmoid hardswish hardtanh im2col index_add isneginf isposinf le"
    " le_scalar leaky_relu lgamma log log10 log1p log2 log_sigmoid logaddexp"
    " logical_and logical_not logical_or logical_xor logit lt lt_scalar"
    " max_pool2d_with_indices maximum minimum mish mul_scalar nan_to_num neg"
    " rad2deg reciprocal relu relu6 rsqrt rsub scaled_dot_product_attention"
    " scatter scatter_add selu sigmoid sign signbit silu sin sinc sinh softmax"
    " softplus special_erfcx sqrt square sub sub_scalar tan tanh trunc"
    " upsample_bicubic2d upsample_bilinear2d upsample_linear1d"
    " upsample_trilinear3d ";
constexpr std::string_view kNoWideUnsigned =
    " abs add addmm amax amin baddbmm bmm conv2d gather ge gt hardtanh"
    " index_add le linear logical_and logical_not logical_or logical_xor lt"
    " matmul max_pool2d_with_indices maximum minimum mm neg relu relu6 scatter"
    " scatter_add sign signbit square sub ";
constexpr std::string_view kNoBool = " conv2d ";
constexpr std::string_view kNoHalf = " special_erfcx ";

struct Missing {
  const char* clause;
  bool (*has)(DType);
  std::string_view specs;
};
constexpr Missing kMissing[] = {
    {"K1", is_float8, kNoFloat8},
    {"K2", is_wide_unsigned, kNoWideUnsigned},
    {"K3", is_bool, kNoBool},
    {"K4", is_half, kNoHalf},
};

bool is_index_or_bool(DType t) {
  return t == DType::i32 || t == DType::i64 || t == DType::boolean;
}

}  // namespace

bool kernels_exist(std::string_view spec, std::span<const Type> operands,
                   Guards& g) {
  if (operands.empty()) return true;
  const DType first = operands.front().dtype;
  const auto is_empty = [](const Type& t) {
    return std::find(t.sizes.begin(), t.sizes.end(), 0) != t.sizes.end();
  };
  const bool any_empty =
      std::any_of(operands.begin(), operands.end(), is_empty);
  const std::string name = fmt::format(" {} ", spec);
  for (const Missing& m : kMissing) {
    if (m.specs.find(name) == m.specs.npos) continue;
    const auto fits = [&m](const Type& t) {
      return m.has(t.dtype) || is_index_or_bool(t.dtype);
    };
    const bool is_missing = !any_empty && m.has(first) &&
                            std::all_of(operands.begin(), operands.end(), fits);
    if (!g.types(m.clause, !is_missing,
                 fmt::format("{} is not implemented for '{}'", spec,
                             dtype_name(first)),
                 "NotImplementedError")) {
      return false;
    }
  }
  return true;
}

}  // namespace assay::compiler
