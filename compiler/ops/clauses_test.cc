// The error contract: one program per clause, what must refuse it and with
// which class; and the specs' own list of clauses, so that neither side can
// gain one that the other lacks.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "compiler/ops/kernels.h"
#include "compiler/ops/operation.h"
#include "compiler/testing/shipped_clauses.h"

namespace assay::compiler {
namespace {

struct Refused {
  const char* clause;
  const char* exception;
  const char* inputs;  // "f16[2, 3]; f32[3]"
  const char* call;
};

const char* const kRuntime = "RuntimeError";
const char* const kIndex = "IndexError";
const char* const kMissing = "NotImplementedError";

const Refused kRefused[] = {
    {"add/E1", kRuntime, "i64[2]; i64[2]", "add.Tensor(%0, %1, alpha=0.5)"},
    {"add/E2", kRuntime, "i64[2]; i64[2]", "add.Tensor(%0, %1, alpha=true)"},
    {"add/E3", kRuntime, "f32[2]; f32[3]", "add.Tensor(%0, %1)"},
    {"add/E4", kRuntime, "u8[2]; u8[2]", "add.Tensor(%0, %1, alpha=300)"},
    {"add/E4", kRuntime, "bf16[2]; f32[2]", "add.Tensor(%0, %1, alpha=1e39)"},
    {"add_scalar/E1", kRuntime, "i64[2]", "add.Scalar(%0, 1, 0.5)"},
    {"add_scalar/E2", kRuntime, "i64[2]", "add.Scalar(%0, 1, true)"},
    {"sub_scalar/E1", kRuntime, "bool[2]", "sub.Scalar(%0, 1)"},
    {"sub_scalar/E2", kRuntime, "u8[2]", "sub.Scalar(%0, 1, 1.0)"},
    {"sub_scalar/E3", kRuntime, "f32[2]", "sub.Scalar(%0, 1, true)"},
    {"sub/E1", kRuntime, "bool[2]; f32[2]", "sub.Tensor(%0, %1)"},
    {"sub/E1", kRuntime, "f32[2]", "sub.Tensor(%0, true)"},
    {"sub/E2", kRuntime, "u8[2]; u8[2]", "sub.Tensor(%0, %1, alpha=1.0)"},
    {"sub/E3", kRuntime, "f32[2]; f32[2]", "sub.Tensor(%0, %1, alpha=true)"},
    {"sub/E4", kRuntime, "f32[4, 2]; f32[3]", "sub.Tensor(%0, %1)"},
    {"sub/E5", kRuntime, "i8[2]; i8[2]", "sub.Tensor(%0, %1, alpha=-129)"},
    {"rsub/E1", kRuntime, "bool[2]", "rsub.Scalar(%0, 1)"},
    {"rsub/E1", kRuntime, "f32[2]", "rsub.Scalar(%0, true)"},
    {"rsub/E2", kRuntime, "i64[2]", "rsub.Scalar(%0, 1, 0.5)"},
    {"rsub/E3", kRuntime, "f32[2]", "rsub.Scalar(%0, 1, true)"},
    {"rsub/E4", kRuntime, "i32[2]", "rsub.Scalar(%0, 1, 4294967296)"},
    {"copysign/E1", kRuntime, "f32[2]; f32[3]", "copysign.Tensor(%0, %1)"},
    {"mul/E1", kRuntime, "f32[2]; f32[0]", "mul.Tensor(%0, %1)"},
    {"div/E1", kRuntime, "f32[2]; f32[3]", "div.Tensor(%0, %1)"},
    {"maximum/E1", kRuntime, "f32[2]; f32[3]", "maximum.default(%0, %1)"},
    {"minimum/E1", kRuntime, "f32[2]; f32[3]", "minimum.default(%0, %1)"},
    {"eq/E1", kRuntime, "f32[2]; f32[3]", "eq.Tensor(%0, %1)"},
    {"gt/E1", kRuntime, "f32[2]; f32[3]", "gt.Tensor(%0, %1)"},
    {"ge/E1", kRuntime, "f32[2]; f32[3]", "ge.Tensor(%0, %1)"},
    {"lt/E1", kRuntime, "f32[2]; f32[3]", "lt.Tensor(%0, %1)"},
    {"le/E1", kRuntime, "f32[2]; f32[3]", "le.Tensor(%0, %1)"},
    {"ne/E1", kRuntime, "f32[2]; f32[3]", "ne.Tensor(%0, %1)"},
    {"logical_and/E1", kRuntime, "f32[2]; f32[3]",
     "logical_and.default(%0, %1)"},
    {"logical_or/E1", kRuntime, "f32[2]; f32[3]", "logical_or.default(%0, %1)"},
    {"logical_xor/E1", kRuntime, "f32[2]; f32[3]",
     "logical_xor.default(%0, %1)"},
    {"where/E1", kRuntime, "f32[2]; f32[2]; f32[2]", "where.self(%0, %1, %2)"},
    {"where/E2", kRuntime, "bool[2]; f32[2]; f32[3]", "where.self(%0, %1, %2)"},
    {"where/E3", kRuntime, "bool[4]; f32[2]; f32[2]", "where.self(%0, %1, %2)"},
    {"clamp/E1", kRuntime, "f32[2]", "clamp.default(%0)"},
    {"clamp/E2", kMissing, "bool[2]", "clamp.default(%0, true)"},
    {"clamp/E3", kRuntime, "u8[2]", "clamp.default(%0, 256)"},
    {"clamp/E4", kRuntime, "i8[2]", "clamp.default(%0, none, -129)"},
    {"clamp/E4", kRuntime, "f16[2]", "clamp.default(%0, 0, 1e39)"},
    {"neg/E1", kRuntime, "bool[2]", "neg.default(%0)"},
    {"abs/E1", kMissing, "bool[2]", "abs.default(%0)"},
    {"ceil/E1", kMissing, "bool[2]", "ceil.default(%0)"},
    {"floor/E1", kMissing, "bool[2]", "floor.default(%0)"},
    {"trunc/E1", kMissing, "bool[2]", "trunc.default(%0)"},
    {"relu/E1", kRuntime, "bool[2]", "relu.default(%0)"},
    {"gelu/E1", kRuntime, "f32[2]", "gelu.default(%0, approximate=\"x\")"},
    {"gelu/E2", kMissing, "i64[2]", "gelu.default(%0)"},
    {"silu/E1", kMissing, "i64[2]", "silu.default(%0)"},
    {"mish/E1", kMissing, "i64[2]", "mish.default(%0)"},
    {"softplus/E1", kMissing, "i64[2]", "softplus.default(%0)"},
    {"softplus/E2", kRuntime, "f32[2]", "softplus.default(%0, 1e39)"},
    {"softplus/E3", kRuntime, "f32[2]", "softplus.default(%0, 1, 1e39)"},
    {"log_sigmoid/E1", kMissing, "bool[2]", "log_sigmoid.default(%0)"},
    {"hardswish/E1", kMissing, "u8[2]", "hardswish.default(%0)"},
    {"hardsigmoid/E1", kMissing, "i64[2]", "hardsigmoid.default(%0)"},
    {"hardtanh/E1", kRuntime, "bool[2]", "hardtanh.default(%0)"},
    {"hardtanh/E2", kRuntime, "f32[2]", "hardtanh.default(%0, 1e39, 2e39)"},
    {"hardtanh/E2", kRuntime, "u8[2]", "hardtanh.default(%0, 255.5, 300)"},
    {"hardtanh/E3", kRuntime, "u8[2]", "hardtanh.default(%0, 0, nan)"},
    {"hardtanh/E3", kRuntime, "i32[2]", "hardtanh.default(%0, 0, -4294967296)"},
    {"relu6/E1", kRuntime, "bool[2]", "relu6.default(%0)"},
    {"leaky_relu/E1", kMissing, "i64[2]", "leaky_relu.default(%0)"},
    {"leaky_relu/E2", kRuntime, "f32[2]", "leaky_relu.default(%0, 1e39)"},
    {"elu/E1", kMissing, "i64[2]", "elu.default(%0)"},
    {"elu/E2", kRuntime, "f32[2]", "elu.default(%0, 1e39)"},
    {"elu/E3", kRuntime, "f32[2]", "elu.default(%0, 1, 1e39)"},
    {"elu/E4", kRuntime, "bf16[2]", "elu.default(%0, 1, 1, 1e39)"},
    {"selu/E1", kMissing, "i64[2]", "selu.default(%0)"},
    {"celu/E1", kRuntime, "f32[2]", "celu.default(%0, 0)"},
    {"celu/E2", kMissing, "i64[2]", "celu.default(%0)"},
    {"celu/E3", kRuntime, "f32[2]", "celu.default(%0, 1e39)"},
    {"logaddexp/E1", kRuntime, "f32[2]; f32[3]", "logaddexp.default(%0, %1)"},
    {"logaddexp/E2", kMissing, "i64[2]; i64[2]", "logaddexp.default(%0, %1)"},
    {"positive/E1", kRuntime, "bool[2]", "positive.default(%0)"},

    {"clone/E1", kRuntime, "f32[2, 3]",
     "clone.default(%0, memory_format=\"channels_last\")"},
    {"_to_copy/E1", kRuntime, "f32[2, 1, 3, 3]",
     "_to_copy.default(%0, dtype=f16, memory_format=\"channels_last_3d\")"},
    {"zeros_like/E1", kRuntime, "f32[2, 3, 4]",
     "zeros_like.default(%0, memory_format=\"channels_last\")"},

    {"sum_dim/E1", kIndex, "f32[2]", "sum.dim_IntList(%0, [1])"},
    {"sum_dim/E2", kRuntime, "f32[2, 2]", "sum.dim_IntList(%0, [0, -2])"},
    {"mean/E1", kRuntime, "i64[2]", "mean.default(%0)"},
    {"mean_dim/E1", kRuntime, "i64[2]", "mean.dim(%0, [7])"},
    {"mean_dim/E2", kIndex, "f32[2]", "mean.dim(%0, [-2])"},
    {"mean_dim/E3", kRuntime, "f32[2]", "mean.dim(%0, [0, 0])"},
    {"amax/E1", kIndex, "f32[]", "amax.default(%0, [1])"},
    {"amax/E2", kRuntime, "f32[2]", "amax.default(%0, [0, 0])"},
    {"amax/E3", kRuntime, "f32[0]", "amax.default(%0)"},
    {"amax/E4", kIndex, "f32[3, 0]", "amax.default(%0, [1])"},
    {"amin/E1", kIndex, "f32[]", "amin.default(%0, [1])"},
    {"amin/E2", kRuntime, "f32[2]", "amin.default(%0, [0, 0])"},
    {"amin/E3", kRuntime, "f32[0]", "amin.default(%0)"},
    {"amin/E4", kIndex, "f32[3, 0]", "amin.default(%0, [1])"},
    {"softmax/E1", kIndex, "i64[2]", "softmax.int(%0, 1)"},
    {"softmax/E2", kMissing, "i64[2]", "softmax.int(%0, 0)"},
    {"_softmax/E1", kIndex, "f32[2]", "_softmax.default(%0, 1, false)"},
    {"_softmax/E2", kMissing, "i64[2]", "_softmax.default(%0, 0, false)"},

    {"mm/E1", kRuntime, "f32[2]; f32[2, 2]", "mm.default(%0, %1)"},
    {"mm/E2", kRuntime, "f32[2, 2]; f32[2]", "mm.default(%0, %1)"},
    {"mm/E3", kRuntime, "f32[2, 3]; f16[2, 3]", "mm.default(%0, %1)"},
    {"mm/E4", kRuntime, "f32[2, 0]; f16[0, 3]", "mm.default(%0, %1)"},
    {"mm/E5", kMissing, "bool[2, 2]; bool[2, 2]", "mm.default(%0, %1)"},
    {"bmm/E1", kRuntime, "f32[2, 2]; f32[2, 2]", "bmm.default(%0, %1)"},
    {"bmm/E2", kRuntime, "f32[1, 2, 2]; f32[2, 2]", "bmm.default(%0, %1)"},
    {"bmm/E3", kRuntime, "f32[1, 2, 2]; f32[2, 2, 2]", "bmm.default(%0, %1)"},
    {"bmm/E4", kRuntime, "f16[1, 2, 2]; f32[1, 2, 2]", "bmm.default(%0, %1)"},
    {"bmm/E5", kMissing, "bool[1, 2, 2]; bool[1, 2, 2]", "bmm.default(%0, %1)"},
    {"matmul/E1", kRuntime, "f32[]; f32[2]", "matmul.default(%0, %1)"},
    {"matmul/E2", kRuntime, "f32[2]; f32[3]", "matmul.default(%0, %1)"},
    {"matmul/E3", kRuntime, "f32[2, 1, 1]; f32[3, 1, 1]",
     "matmul.default(%0, %1)"},
    {"matmul/E4", kRuntime, "f16[2, 2, 2]; f32[2, 2]",
     "matmul.default(%0, %1)"},
    {"matmul/E5", kMissing, "bool[2]; bool[2]", "matmul.default(%0, %1)"},
    {"addmm/E1", kRuntime, "f16[2]; f32[2, 2]; f32[2, 2]",
     "addmm.default(%0, %1, %2)"},
    {"addmm/E2", kRuntime, "f32[2]; f16[2, 2]; f32[2, 2]",
     "addmm.default(%0, %1, %2)"},
    {"addmm/E3", kRuntime, "f32[2]; f32[2]; f32[2, 2]",
     "addmm.default(%0, %1, %2)"},
    {"addmm/E4", kRuntime, "f32[2]; f32[2, 2]; f32[2]",
     "addmm.default(%0, %1, %2)"},
    {"addmm/E5", kRuntime, "f32[2]; f32[2, 3]; f32[2, 2]",
     "addmm.default(%0, %1, %2)"},
    {"addmm/E6", kRuntime, "f32[1, 2, 2]; f32[2, 2]; f32[2, 2]",
     "addmm.default(%0, %1, %2)"},
    {"addmm/E7", kMissing, "bool[2]; bool[2, 2]; bool[2, 2]",
     "addmm.default(%0, %1, %2)"},
    {"baddbmm/E1", kRuntime, "f32[2]; f32[2, 2]; f32[1, 2, 2]",
     "baddbmm.default(%0, %1, %2)"},
    {"baddbmm/E2", kRuntime, "f32[2]; f32[1, 2, 2]; f32[2, 2]",
     "baddbmm.default(%0, %1, %2)"},
    {"baddbmm/E3", kRuntime, "f32[3]; f32[1, 2, 2]; f32[1, 2, 2]",
     "baddbmm.default(%0, %1, %2)"},
    {"baddbmm/E4", kRuntime, "f16[2]; f32[1, 2, 2]; f32[1, 2, 2]",
     "baddbmm.default(%0, %1, %2)"},
    {"baddbmm/E5", kRuntime, "f32[2]; f32[1, 2, 2]; f32[1, 3, 2]",
     "baddbmm.default(%0, %1, %2)"},
    {"baddbmm/E6", kRuntime, "f32[2]; f32[1, 2, 2]; f16[1, 2, 2]",
     "baddbmm.default(%0, %1, %2)"},
    {"baddbmm/E7", kMissing, "bool[2]; bool[1, 2, 2]; bool[1, 2, 2]",
     "baddbmm.default(%0, %1, %2)"},
    {"linear/E1", kRuntime, "f32[]; f32[2, 2]", "linear.default(%0, %1)"},
    {"linear/E2", kRuntime, "f32[2]; f32[1, 2, 2]", "linear.default(%0, %1)"},
    {"linear/E3", kRuntime, "f32[2]; f32[2, 3]", "linear.default(%0, %1)"},
    {"linear/E4", kRuntime, "f16[2]; f32[2, 2]", "linear.default(%0, %1)"},
    {"linear/E5", kRuntime, "f32[2]; f32[2, 2]; f16[2]",
     "linear.default(%0, %1, %2)"},
    {"linear/E6", kRuntime, "f32[2]; f32[2, 2]; f32[3]",
     "linear.default(%0, %1, %2)"},
    {"linear/E7", kMissing, "bool[2]; bool[2, 2]", "linear.default(%0, %1)"},
    {"scaled_dot_product_attention/E1", kRuntime, "f32[2, 3]; f16[2, 3]",
     "scaled_dot_product_attention.default(%0, %0, %1)"},
    {"scaled_dot_product_attention/E2", kRuntime, "f32[2, 3]; f32[3]",
     "scaled_dot_product_attention.default(%0, %0, %1)"},
    {"scaled_dot_product_attention/E3", kRuntime, "f32[2, 3]; f64[2, 2]",
     "scaled_dot_product_attention.default(%0, %0, %0, %1)"},
    {"scaled_dot_product_attention/E4", kRuntime, "f32[2, 3]; f32[2, 2]",
     "scaled_dot_product_attention.default(%0, %0, %0, %1, 0.0, true)"},
    {"scaled_dot_product_attention/E5", kMissing, "i64[2, 3]",
     "scaled_dot_product_attention.default(%0, %0, %0)"},
    {"scaled_dot_product_attention/E6", kRuntime, "f32[2, 3]",
     "scaled_dot_product_attention.default(%0, %0, %0, none, 1.5)"},
    {"scaled_dot_product_attention/E7", kRuntime, "f32[2, 3]; f32[2, 4]",
     "scaled_dot_product_attention.default(%0, %1, %1)"},
    {"scaled_dot_product_attention/E8", kRuntime, "f32[2, 3]; f32[3, 3]",
     "scaled_dot_product_attention.default(%0, %0, %1)"},
    {"scaled_dot_product_attention/E9", kRuntime, "f32[2, 2, 3]; f32[3, 2, 3]",
     "scaled_dot_product_attention.default(%0, %1, %1)"},
    {"scaled_dot_product_attention/E10", kRuntime, "f32[2, 3]; f32[2, 3]",
     "scaled_dot_product_attention.default(%0, %0, %0, %1)"},

    {"embedding/E1", kRuntime, "f32[4]; i64[2]", "embedding.default(%0, %1)"},
    {"embedding/E2", kRuntime, "f32[4, 2]; u8[2]", "embedding.default(%0, %1)"},
    {"upsample_bilinear2d/E1", kRuntime, "f32[1, 1, 4, 4]",
     "upsample_bilinear2d.default(%0, [2], false)"},
    {"upsample_bilinear2d/E2", kRuntime, "f32[1, 4, 4]",
     "upsample_bilinear2d.default(%0, [2, 2], false)"},
    {"upsample_bilinear2d/E3", kRuntime, "f32[1, 1, 4, 4]",
     "upsample_bilinear2d.default(%0, [2, 0], false)"},
    {"upsample_bilinear2d/E4", kRuntime, "f32[1, 0, 4, 4]",
     "upsample_bilinear2d.default(%0, [2, 2], false)"},
    {"upsample_bilinear2d/E5", kMissing, "i32[1, 1, 4, 4]",
     "upsample_bilinear2d.default(%0, [2, 2], false)"},
    {"upsample_bilinear2d/E6", kRuntime, "f32[1, 1, 0, 4]",
     "upsample_bilinear2d.default(%0, [2, 2], false)"},
    {"upsample_bicubic2d/E1", kRuntime, "f32[1, 1, 4, 4]",
     "upsample_bicubic2d.default(%0, [2], false)"},
    {"upsample_bicubic2d/E2", kRuntime, "f32[1, 4, 4]",
     "upsample_bicubic2d.default(%0, [2, 2], false)"},
    {"upsample_bicubic2d/E3", kRuntime, "f32[1, 1, 4, 4]",
     "upsample_bicubic2d.default(%0, [2, 0], false)"},
    {"upsample_bicubic2d/E4", kRuntime, "f32[1, 0, 4, 4]",
     "upsample_bicubic2d.default(%0, [2, 2], false)"},
    {"upsample_bicubic2d/E5", kMissing, "i32[1, 1, 4, 4]",
     "upsample_bicubic2d.default(%0, [2, 2], false)"},
    {"upsample_bicubic2d/E6", kRuntime, "f32[1, 1, 4, 0]",
     "upsample_bicubic2d.default(%0, [2, 2], false)"},
    {"upsample_linear1d/E1", kRuntime, "f32[1, 1, 4]",
     "upsample_linear1d.default(%0, [2, 2], false)"},
    {"upsample_linear1d/E2", kRuntime, "f32[1, 4]",
     "upsample_linear1d.default(%0, [2], false)"},
    {"upsample_linear1d/E3", kRuntime, "f32[1, 1, 4]",
     "upsample_linear1d.default(%0, [0], false)"},
    {"upsample_linear1d/E4", kRuntime, "f32[1, 0, 4]",
     "upsample_linear1d.default(%0, [2], false)"},
    {"upsample_linear1d/E5", kMissing, "i32[1, 1, 4]",
     "upsample_linear1d.default(%0, [2], false)"},
    {"upsample_linear1d/E6", kRuntime, "f32[1, 1, 0]",
     "upsample_linear1d.default(%0, [2], false)"},
    {"upsample_trilinear3d/E1", kRuntime, "f32[1, 1, 4, 4, 4]",
     "upsample_trilinear3d.default(%0, [2, 2, 2, 2], false)"},
    {"upsample_trilinear3d/E2", kRuntime, "f32[1, 4, 4, 4]",
     "upsample_trilinear3d.default(%0, [2, 2, 2], false)"},
    {"upsample_trilinear3d/E3", kRuntime, "f32[1, 1, 4, 4, 4]",
     "upsample_trilinear3d.default(%0, [2, 2, 0], false)"},
    {"upsample_trilinear3d/E4", kRuntime, "f32[1, 0, 4, 4, 4]",
     "upsample_trilinear3d.default(%0, [2, 2, 2], false)"},
    {"upsample_trilinear3d/E5", kMissing, "i32[1, 1, 4, 4, 4]",
     "upsample_trilinear3d.default(%0, [2, 2, 2], false)"},
    {"upsample_trilinear3d/E6", kRuntime, "f32[1, 1, 4, 0, 4]",
     "upsample_trilinear3d.default(%0, [2, 2, 2], false)"},
    {"conv2d/E1", kRuntime, "f32[4, 4]; f32[1, 1, 1, 1]",
     "conv2d.default(%0, %1)"},
    {"conv2d/E2", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 1, 1]; f16[1]",
     "conv2d.default(%0, %1, %2)"},
    {"conv2d/E3", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 1]",
     "conv2d.default(%0, %1)"},
    {"conv2d/E4", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 1, 1]",
     "conv2d.default(%0, %1, none, [1, 1, 1])"},
    {"conv2d/E5", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 1, 1]",
     "conv2d.default(%0, %1, none, [1, 1], [-1, 0])"},
    {"conv2d/E6", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 1, 1]",
     "conv2d.default(%0, %1, none, [0, 1])"},
    {"conv2d/E7", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 1, 1]",
     "conv2d.default(%0, %1, none, [1, 1], [0, 0], [0, 1])"},
    {"conv2d/E8", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 1, 1]",
     "conv2d.default(%0, %1, none, 1, 0, 1, 0)"},
    {"conv2d/E9", kRuntime, "f32[1, 2, 4, 4]; f32[3, 1, 1, 1]",
     "conv2d.default(%0, %1, none, 1, 0, 1, 2)"},
    {"conv2d/E10", kRuntime, "f32[1, 2, 4, 4]; f32[3, 1, 1, 1]",
     "conv2d.default(%0, %1)"},
    {"conv2d/E11", kRuntime, "f32[1, 1, 4, 4]; f32[3, 1, 1, 1]; f32[2]",
     "conv2d.default(%0, %1, %2)"},
    {"conv2d/E12", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 0, 1]",
     "conv2d.default(%0, %1)"},
    {"conv2d/E13", kRuntime, "f32[1, 1, 4, 4]; f32[1, 1, 5, 1]",
     "conv2d.default(%0, %1)"},
    {"conv2d/E14", kRuntime, "f32[1, 1, 0, 4]; f32[1, 1, 1, 1]",
     "conv2d.default(%0, %1, none, 1, 1)"},
    {"conv2d/E15", kRuntime, "f32[1, 1, 4, 4]; f16[1, 1, 1, 1]",
     "conv2d.default(%0, %1)"},
    {"gather/E1", kIndex, "f32[2, 3]; i64[2, 3]", "gather.default(%0, 2, %1)"},
    {"gather/E2", kRuntime, "f32[2, 3]; u8[2, 3]", "gather.default(%0, 0, %1)"},
    {"gather/E3", kRuntime, "f32[2, 3]; i64[2]", "gather.default(%0, 0, %1)"},
    {"gather/E4", kRuntime, "f32[2, 3]; i64[3, 3]",
     "gather.default(%0, 1, %1)"},
    {"scatter/E1", kIndex, "f32[2, 3]; i64[2, 3]",
     "scatter.src(%0, 2, %1, %0)"},
    {"scatter/E2", kRuntime, "f32[2, 3]; u8[2, 3]",
     "scatter.src(%0, 0, %1, %0)"},
    {"scatter/E3", kRuntime, "f32[2, 3]; i64[2, 3]; f16[2, 3]",
     "scatter.src(%0, 0, %1, %2)"},
    {"scatter/E4", kRuntime, "f32[2, 3]; i64[2]", "scatter.src(%0, 0, %1, %0)"},
    {"scatter/E4", kRuntime, "f32[2, 3]; i64[2, 3]; f32[2]",
     "scatter.src(%0, 0, %1, %2)"},
    {"scatter/E5", kRuntime, "f32[2, 3]; i64[3, 3]; f32[3, 3]",
     "scatter.src(%0, 1, %1, %2)"},
    {"scatter/E5", kRuntime, "f32[2, 3]; i64[2, 4]",
     "scatter.src(%0, 1, %1, %0)"},
    {"scatter_add/E1", kIndex, "f32[2, 3]; i64[2, 3]",
     "scatter_add.default(%0, 2, %1, %0)"},
    {"scatter_add/E2", kRuntime, "f32[2, 3]; u8[2, 3]",
     "scatter_add.default(%0, 0, %1, %0)"},
    {"scatter_add/E3", kRuntime, "f32[2, 3]; i64[2, 3]; f16[2, 3]",
     "scatter_add.default(%0, 0, %1, %2)"},
    {"scatter_add/E4", kRuntime, "f32[2, 3]; i64[2]",
     "scatter_add.default(%0, 0, %1, %0)"},
    {"scatter_add/E4", kRuntime, "f32[2, 3]; i64[2, 3]; f32[2]",
     "scatter_add.default(%0, 0, %1, %2)"},
    {"scatter_add/E5", kRuntime, "f32[2, 3]; i64[3, 3]; f32[3, 3]",
     "scatter_add.default(%0, 1, %1, %2)"},
    {"scatter_add/E5", kRuntime, "f32[2, 3]; i64[2, 4]",
     "scatter_add.default(%0, 1, %1, %0)"},
    {"index_add/E1", kIndex, "f32[2, 3]; i64[2]",
     "index_add.default(%0, 2, %1, %0)"},
    {"index_add/E2", kIndex, "f32[2, 3]; i64[2, 1]",
     "index_add.default(%0, 0, %1, %0)"},
    {"index_add/E3", kRuntime, "f32[2, 3]; u8[2]",
     "index_add.default(%0, 0, %1, %0)"},
    {"index_add/E4", kRuntime, "f32[2, 3]; i64[2]; f16[2, 3]",
     "index_add.default(%0, 0, %1, %2)"},
    {"index_add/E5", kRuntime, "f32[2, 3]; i64[2]; f32[2]",
     "index_add.default(%0, 0, %1, %2)"},
    {"index_add/E6", kRuntime, "f32[2, 3]; i64[3]",
     "index_add.default(%0, 0, %1, %0)"},
    {"index_add/E7", kRuntime, "f32[2, 3]; i64[2]; f32[2, 4]",
     "index_add.default(%0, 0, %1, %2)"},
    {"index_add/E9", kRuntime, "i8[2, 3]; i64[2]",
     "index_add.default(%0, 0, %1, %0, alpha=300)"},
    {"batch_norm/E1", kRuntime, "f32[2, 3]; f32[3]",
     "batch_norm.default(%0, none, none, %1, none, false, 0.1, 1e-05, true)"},
    {"batch_norm/E2", kRuntime, "f32[3]; f32[3]",
     "batch_norm.default(%0, none, none, %1, %1, false, 0.1, 1e-05, true)"},
    {"batch_norm/E3", kRuntime, "f32[2, 3]; f32[3]; f32[2]",
     "batch_norm.default(%0, none, none, %1, %2, false, 0.1, 1e-05, true)"},
    {"batch_norm/E4", kRuntime, "f32[2, 3]; f32[3]; f32[2]",
     "batch_norm.default(%0, %2, none, %1, %1, false, 0.1, 1e-05, true)"},
    {"batch_norm/E5", kMissing, "i64[2, 3]; i64[3]",
     "batch_norm.default(%0, none, none, %1, %1, false, 0.1, 1e-05, true)"},
    {"batch_norm/E6", kRuntime, "f32[2, 3]; f16[3]",
     "batch_norm.default(%0, none, none, %1, %1, false, 0.1, 1e-05, true)"},
    {"adaptive_avg_pool2d/E1", kRuntime, "f32[1, 1, 4, 4]",
     "adaptive_avg_pool2d.default(%0, [2])"},
    {"adaptive_avg_pool2d/E2", kRuntime, "f32[1, 1, 4, 4]",
     "adaptive_avg_pool2d.default(%0, [2, -1])"},
    {"adaptive_avg_pool2d/E3", kRuntime, "f32[4, 4]",
     "adaptive_avg_pool2d.default(%0, [2, 2])"},
    {"adaptive_avg_pool2d/E4", kRuntime, "f32[1, 1, 0, 4]",
     "adaptive_avg_pool2d.default(%0, [2, 2])"},
    {"adaptive_avg_pool2d/E5", kMissing, "i64[1, 1, 4, 4]",
     "adaptive_avg_pool2d.default(%0, [2, 2])"},
    {"im2col/E1", kRuntime, "f32[1, 4, 4]",
     "im2col.default(%0, [2], [1, 1], [0, 0], [1, 1])"},
    {"im2col/E2", kRuntime, "f32[1, 4, 4]",
     "im2col.default(%0, [2, 2], [1, 1], [0, 0], [1, 0])"},
    {"im2col/E3", kRuntime, "f32[4, 4]",
     "im2col.default(%0, [2, 2], [1, 1], [0, 0], [1, 1])"},
    {"im2col/E4", kRuntime, "f32[1, 0, 4]",
     "im2col.default(%0, [1, 1], [1, 1], [1, 1], [1, 1])"},
    {"im2col/E5", kRuntime, "f32[1, 4, 4]",
     "im2col.default(%0, [2, 2], [4, 1], [0, 0], [1, 1])"},
    {"im2col/E6", kMissing, "i64[1, 4, 4]",
     "im2col.default(%0, [2, 2], [1, 1], [0, 0], [1, 1])"},
    {"im2col/E7", kRuntime, "f32[1, 4, 4]",
     "im2col.default(%0, [2, 2], [1, 1], [0, -1], [1, 1])"},
    {"avg_pool2d/E1", kRuntime, "f32[1, 4, 4]",
     "avg_pool2d.default(%0, [2, 2, 2])"},
    {"avg_pool2d/E2", kRuntime, "f32[1, 4, 4]",
     "avg_pool2d.default(%0, [2, 2], [1, 1, 1])"},
    {"avg_pool2d/E3", kRuntime, "f32[1, 4, 4]",
     "avg_pool2d.default(%0, [2, 2], [], [1, 1, 1])"},
    {"avg_pool2d/E4", kRuntime, "f32[1, 4, 4]",
     "avg_pool2d.default(%0, [2, 2], [], [0, 0], false, true, 0)"},
    {"avg_pool2d/E5", kRuntime, "f32[4, 4]", "avg_pool2d.default(%0, [2, 2])"},
    {"avg_pool2d/E6", kRuntime, "f32[1, 4, 4]",
     "avg_pool2d.default(%0, [2, 0])"},
    {"avg_pool2d/E7", kRuntime, "f32[1, 4, 4]",
     "avg_pool2d.default(%0, [2, 2], [0, 1])"},
    {"avg_pool2d/E8", kRuntime, "f32[1, 0, 4]",
     "avg_pool2d.default(%0, [2, 2])"},
    {"avg_pool2d/E9", kRuntime, "f32[1, 4, 4]",
     "avg_pool2d.default(%0, [2, 2], [], [0, 2])"},
    {"avg_pool2d/E10", kRuntime, "f32[1, 4, 4]",
     "avg_pool2d.default(%0, [5, 2])"},
    {"avg_pool2d/E11", kMissing, "i32[1, 4, 4]",
     "avg_pool2d.default(%0, [2, 2])"},
    {"max_pool2d_with_indices/E1", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2, 2])"},
    {"max_pool2d_with_indices/E2", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2], [1, 1, 1])"},
    {"max_pool2d_with_indices/E3", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2], [], [1, 1, 1])"},
    {"max_pool2d_with_indices/E4", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2], [], [0, 0], [1, 1, 1])"},
    {"max_pool2d_with_indices/E5", kRuntime, "f32[4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2])"},
    {"max_pool2d_with_indices/E6", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [0, 2])"},
    {"max_pool2d_with_indices/E7", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2], [1, 0])"},
    {"max_pool2d_with_indices/E8", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2], [], [0, 0], [0, 1])"},
    {"max_pool2d_with_indices/E9", kRuntime, "f32[0, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2])"},
    {"max_pool2d_with_indices/E10", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2], [], [2, 0])"},
    {"max_pool2d_with_indices/E11", kRuntime, "f32[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2], [], [0, 0], [1, 4])"},
    {"max_pool2d_with_indices/E12", kMissing, "bool[1, 4, 4]",
     "max_pool2d_with_indices.default(%0, [2, 2])"},

    {"view/E1", kRuntime, "f32[6]", "view.default(%0, [-1, -1])"},
    {"view/E2", kRuntime, "f32[6]", "view.default(%0, [-2, -3])"},
    {"view/E3", kRuntime, "f32[6]", "view.default(%0, [5])"},
    {"view/E4", kRuntime, "f32[2, 3] strides[1, 2]", "view.default(%0, [6])"},
    {"reshape/E1", kRuntime, "f32[6]", "reshape.default(%0, [-1, -1])"},
    {"reshape/E2", kRuntime, "f32[6]", "reshape.default(%0, [-2, -3])"},
    {"reshape/E3", kRuntime, "f32[0]", "reshape.default(%0, [-1, 0])"},
    {"permute/E1", kRuntime, "f32[2, 3]", "permute.default(%0, [0])"},
    {"permute/E2", kIndex, "f32[2, 3]", "permute.default(%0, [0, 2])"},
    {"permute/E3", kRuntime, "f32[2, 3]", "permute.default(%0, [0, -2])"},
    {"unsqueeze/E1", kIndex, "f32[2]", "unsqueeze.default(%0, 2)"},
    {"t/E1", kRuntime, "f32[2, 3, 4]", "t.default(%0)"},
    {"transpose/E1", kIndex, "f32[2]", "transpose.int(%0, 1, 5)"},
    {"transpose/E2", kIndex, "f32[2]", "transpose.int(%0, 0, 1)"},
    {"expand/E1", kRuntime, "f32[2, 3]", "expand.default(%0, [3])"},
    {"expand/E2", kRuntime, "f32[3]", "expand.default(%0, [-1, 3])"},
    {"expand/E3", kRuntime, "f32[2]", "expand.default(%0, [3])"},
    {"flatten/E1", kIndex, "f32[2]", "flatten.using_ints(%0, 1, 0)"},
    {"flatten/E2", kIndex, "f32[2]", "flatten.using_ints(%0, 0, 1)"},
    {"flatten/E3", kRuntime, "f32[2, 2]", "flatten.using_ints(%0, 1, 0)"},
    {"select/E1", kIndex, "f32[]", "select.int(%0, 0, 0)"},
    {"select/E2", kIndex, "f32[2]", "select.int(%0, 1, 0)"},
    {"select/E3", kIndex, "f32[2]", "select.int(%0, 0, 2)"},
    {"slice/E1", kIndex, "f32[]", "slice.Tensor(%0)"},
    {"slice/E2", kIndex, "f32[2]", "slice.Tensor(%0, 1)"},
    {"slice/E3", kRuntime, "f32[2]", "slice.Tensor(%0, 0, 0, 1, 0)"},
    {"cat/E1", "ValueError", "f32[2]", "cat.default([])"},
    {"cat/E2", kRuntime, "f32[2]; f32[]", "cat.default([%0, %1])"},
    {"cat/E3", kIndex, "f32[2]; f32[2]", "cat.default([%0, %1], 1)"},
    {"cat/E4", kRuntime, "f32[2]; f32[1, 2]", "cat.default([%0, %1])"},
    {"cat/E5", kRuntime, "f32[2, 2]; f32[2, 3]", "cat.default([%0, %1])"},
};

TEST(Clauses, EachRefusesAtCompileTime) {
  for (const Refused& r : kRefused) {
    const std::string text = text_of_call(r.inputs, r.call);
    const Imported p = import_text(text);
    EXPECT_EQ(p.unsupported, "") << text;
    ASSERT_TRUE(p.refusal && p.guards.empty()) << r.clause << " holds\n"
                                               << text;
    EXPECT_EQ(p.refusal->clause, r.clause) << text;
    EXPECT_EQ(p.refusal->exception, r.exception) << text;
    EXPECT_FALSE(p.refusal->message.empty()) << r.clause;
  }
}

TEST(Clauses, GuardsAndSpecsKnowTheSame) {
  const auto specs = spec_clauses();
  ASSERT_GT(specs.size(), 30u);
  std::map<std::string, std::string> guarded = {{"embedding/E3", kIndex},
                                                {"gather/E5", kIndex},
                                                {"scatter/E6", kIndex},
                                                {"scatter_add/E6", kIndex},
                                                {"index_add/E8", kIndex}};
  for (const Refused& r : kRefused) guarded[r.clause] = r.exception;
  for (const auto& [clause, exception] : guarded) {
    const std::size_t slash = clause.find('/');
    const auto spec = specs.find(clause.substr(0, slash));
    ASSERT_NE(spec, specs.end()) << clause;
    const auto found = spec->second.find(clause.substr(slash + 1));
    ASSERT_NE(found, spec->second.end()) << clause << " is in no spec";
    EXPECT_TRUE(found->second.count(exception)) << clause;
  }
  const std::set<std::string> lowered = lowered_specs();
  ASSERT_GT(lowered.size(), 30u);
  for (const auto& [spec, clauses] : specs) {
    if (lowered.count(spec) == 0) continue;  // declared as not supported
    for (const auto& [id, raises] : clauses) {
      if (id.starts_with('K')) continue;  // of the table of kernels
      EXPECT_EQ(guarded.count(spec + "/" + id), 1u)
          << spec << "/" << id << " has no program here";
    }
  }
}

TEST(Clauses, TheTableOfKernelsAndSpecsKnowTheSame) {
  const std::set<std::string> lowered = lowered_specs();
  std::size_t count = 0;
  for (const auto& [spec, clauses] : spec_clauses()) {
    if (lowered.count(spec) == 0) continue;
    for (const auto& [id, type] :
         {std::pair("K1", DType::f8e5m2), std::pair("K2", DType::u16),
          std::pair("K3", DType::boolean), std::pair("K4", DType::f16)}) {
      const auto holds = [&, &spec = spec, type = type](const Shape& sizes) {
        Guards guards(spec, false);
        const Type types[] = {{type, sizes}};
        return kernels_exist(spec, types, guards);
      };
      EXPECT_EQ(holds({3}), clauses.count(id) == 0) << spec << "/" << id;
      EXPECT_TRUE(holds({0})) << spec << "/" << id;
      count += clauses.count(id);
    }
  }
  EXPECT_GT(count, 100u);
}

TEST(Clauses, OperationsNameTheSpecOfTheirOverload) {
  const auto overloads = spec_overloads();
  std::map<std::string, std::string> spec_of;
  for (const auto& [spec, aten] : overloads) spec_of.emplace(aten, spec);
  for (const Family family : families()) {
    for (const Operation& o : family) {
      const auto spec = spec_of.find(std::string(o.aten));
      EXPECT_EQ(o.spec, spec == spec_of.end() ? "" : spec->second) << o.aten;
    }
  }
}

}  // namespace
}  // namespace assay::compiler
