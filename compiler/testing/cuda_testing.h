// What the tests of CUDA code share.
#ifndef ASSAY_COMPILER_TESTING_CUDA_TESTING_H_
#define ASSAY_COMPILER_TESTING_CUDA_TESTING_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/cuda/toolchain.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {

// Ends a test where CUDA text cannot be compiled, and says why.
#define ASSAY_NEEDS_NVRTC()                           \
  if (!cuda_toolchain().ok()) {                       \
    GTEST_SKIP() << cuda_toolchain().error().message; \
  }

// The targets that tests compile for, as far as this NVRTC has them.
inline std::vector<std::string> tested_targets() {
  std::vector<std::string> out;
  for (const std::string& t : (*cuda_toolchain())->targets()) {
    for (const char* wanted : {"sm_75", "sm_90", "sm_100f", "sm_120"}) {
      if (t == wanted) out.push_back(t);
    }
  }
  return out;
}

// One program of each kind of kernel.
struct NamedProgram {
  const char* name;
  const char* text;
};
inline constexpr NamedProgram kCudaPrograms[] = {
    {"pointwise",
     "%0 = input f32[3, 17, 9]\n%1 = input f16[17, 1]\n"
     "%2 = aten.exp.default(%0)\n%3 = aten.add.Tensor(%2, %1)\n"
     "%4 = aten._to_copy.default(%3, dtype=f16)\n"
     "%5 = aten._to_copy.default(%4, dtype=f64)\n"
     "%6 = aten.transpose.int(%5, 0, 2)\nreturn %6\n"},
    {"sorted lines",
     "%0 = input f32[3, 90, 2]\n%1 = aten.sort.default(%0, 1, true)\n"
     "%2 = getitem(%1, 1)\n%3 = aten.topk.default(%0, 5, 1, false)\n"
     "%4 = getitem(%3, 1)\nreturn %1, %2, %3, %4\n"},
    {"transposed convolution",
     "%0 = input f32[2, 4, 5, 6]\n%1 = input f32[4, 3, 3, 2]\n"
     "%2 = aten.convolution.default(%0, %1, none, [2, 2], [1, 0], [1, 1], "
     "true, [1, 0], 1)\nreturn %2\n"},
    {"short rows",
     "%0 = input f32[37, 129]\n%1 = aten.softmax.int(%0, 1)\nreturn %1\n"},
    {"columns",
     "%0 = input f32[33, 20000]\n%1 = aten.sum.dim_IntList(%0, [0], false)\n"
     "return %1\n"},
    {"long rows",
     "%0 = input f32[2, 70001]\n%1 = aten.softmax.int(%0, 1)\nreturn %1\n"},
    {"rows that threads hold",
     "%0 = input f32[3, 3001]\n%1 = input f16[5, 900]\n"
     "%2 = aten.softmax.int(%0, 1)\n"
     "%3 = aten.layer_norm.default(%1, [900])\n"
     "%4 = aten.amin.default(%0, [1], false)\nreturn %2, %3, %4\n"},
    {"held rows of several blocks",
     "%0 = input f32[2, 9001]\n%1 = input f32[9001]\n"
     "%2 = aten.log_softmax.int(%0, 1)\n"
     "%3 = aten.rms_norm.default(%0, [9001], %1)\n"
     "%4 = aten.prod.dim_int(%0, 1)\nreturn %2, %3, %4\n"},
    {"held rows of many threads",
     "%0 = input f32[2, 15001]\n%1 = aten.softmax.int(%0, 1)\n"
     "%2 = aten.layer_norm.default(%0, [15001])\n"
     "%3 = aten.var.correction(%0, [1])\nreturn %1, %2, %3\n"},
    {"held rows of packs",
     "%0 = input bf16[2, 4096]\n%1 = input bf16[4096]\n"
     "%2 = input f64[2, 2048]\n%3 = input f32[2, 4096]\n"
     "%4 = aten.softmax.int(%0, 1)\n"
     "%5 = aten.rms_norm.default(%0, [4096], %1)\n"
     "%6 = aten.softmax.int(%2, 1)\n"
     "%7 = aten._to_copy.default(%0, dtype=f32)\n"
     "%8 = aten.softmax.int(%7, 1)\n"
     "%9 = aten.layer_norm.default(%3, [4096])\n"
     "%10 = aten.add.Tensor(%4, %3)\n%11 = aten.log_softmax.int(%10, 1)\n"
     "return %4, %5, %6, %8, %9, %11\n"},
    {"held rows of teams",
     "%0 = input bf16[2100, 96]\n%1 = aten.softmax.int(%0, 1)\n"
     "return %1\n"},
    {"columns that several threads share",
     "%0 = input f32[4100, 35]\n%1 = input f64[70, 3]\n"
     "%2 = aten.sum.dim_IntList(%0, [0], false)\n"
     "%3 = aten.softmax.int(%1, 0)\n%4 = aten.amax.default(%0, [0])\n"
     "return %2, %3, %4\n"},
    {"a sum of sums",
     "%0 = input f32[2500000]\n%1 = aten.sum.default(%0)\nreturn %1\n"},
    {"neighbouring points",
     "%0 = input f16[6, 40]\n%1 = input f32[40]\n%2 = input bool[6, 40]\n"
     "%3 = aten.add.Tensor(%0, %1)\n%4 = aten.slice.Tensor(%3, 1, 3, 35)\n"
     "%5 = aten.where.self(%2, %3, %1)\n%6 = aten.transpose.int(%0, 0, 1)\n"
     "%7 = aten.reshape.default(%6, [240])\n%8 = aten.neg.default(%7)\n"
     "return %3, %4, %5, %8\n"},
    {"points across a tensor",
     "%0 = input f32[40, 70] strides[1, 40]\n%1 = input bf16[40, 70]\n"
     "%2 = input f64[3, 35, 33]\n%3 = aten.add.Tensor(%0, %1)\n"
     "%4 = aten.transpose.int(%2, 0, 2)\n"
     "%5 = aten.reshape.default(%4, [3465])\n"
     "%6 = aten.transpose.int(%2, 1, 2)\n"
     "%7 = aten.reshape.default(%6, [3, 1155])\n"
     "%8 = aten.exp.default(%7)\nreturn %3, %5, %8\n"},
    {"narrow rows",
     "%0 = input bool[7, 90]\n%1 = input u8[5, 33, 3]\n"
     "%2 = aten.amax.default(%0, [1], true)\n"
     "%3 = aten.amax.default(%1, [1], false)\nreturn %2, %3\n"},
    {"places of nothing",
     "%0 = input f32[0, 3]\n%1 = input f32[2, 3]\n"
     "%2 = aten.rot90.default(%0, 1, [0, 1])\n"
     "%3 = aten.rot90.default(%1, 1, [0, 1])\nreturn %2, %3\n"},
    {"product",
     "%0 = input f32[33, 70]\n%1 = input f32[70, 19]\n"
     "%2 = aten.mm.default(%0, %1)\nreturn %2\n"},
    {"many products",
     "%0 = input f64[129, 17, 5]\n%1 = input bf16[128, 3, 20]\n"
     "%2 = input bf16[128, 40, 20]\n"
     "%3 = aten.transpose.int(%0, 1, 2)\n%4 = aten.bmm.default(%0, %3)\n"
     "%5 = aten.transpose.int(%2, 1, 2)\n%6 = aten.bmm.default(%1, %5)\n"
     "return %4, %6\n"},
    {"sums of products",
     "%0 = input f16[2, 9, 150]\n%1 = input f16[2, 150, 19]\n"
     "%2 = input f16[2, 1, 19]\n"
     "%3 = aten.baddbmm.default(%2, %0, %1)\nreturn %3\n"},
    {"vectors",
     "%0 = input f32[33, 70]\n%1 = input f32[70]\n"
     "%2 = aten.matmul.default(%0, %1)\n%3 = aten.matmul.default(%1, %1)\n"
     "return %2, %3\n"},
    {"narrow operands",
     "%0 = input bf16[5, 70]\n%1 = input bf16[19, 70]\n"
     "%2 = input f16[2, 3, 5, 6]\n%3 = input f16[4, 3, 2, 2]\n"
     "%4 = aten.linear.default(%0, %1)\n"
     "%5 = aten.conv2d.default(%2, %3)\nreturn %4, %5\n"},
    {"convolution",
     "%0 = input f32[2, 4, 9, 11]\n%1 = input f32[6, 2, 3, 3]\n"
     "%2 = input f32[6]\n"
     "%3 = aten.conv2d.default(%0, %1, %2, [2, 1], [1, 1], [1, 1], 2)\n"
     "%4 = aten.adaptive_avg_pool2d.default(%3, [3, 2])\nreturn %3, %4\n"},
    {"convolutions by tiles",
     "%0 = input bf16[2, 18, 9, 11]\n%1 = input bf16[16, 9, 3, 3]\n"
     "%2 = input f32[3, 7, 5, 6]\n%3 = input f32[9, 7, 1, 1]\n"
     "%4 = aten.conv2d.default(%0, %1, none, [1, 2], [1, 3], [2, 1], 2)\n"
     "%5 = aten.conv2d.default(%2, %3)\nreturn %4, %5\n"},
    {"gather",
     "%0 = input f32[10, 7]\n%1 = input i64[4, 3]\n"
     "%2 = aten.embedding.default(%0, %1)\n"
     "%3 = aten._to_copy.default(%2, dtype=bf16)\nreturn %3\n"},
    {"scatter",
     "%0 = input f32[5, 12]\n%1 = input i64[5, 9]\n%2 = input f32[5, 9]\n"
     "%3 = aten.scatter_add.default(%0, 1, %1, %2)\n"
     "%4 = aten.scatter.src(%3, 1, %1, %2)\nreturn %3, %4\n"},
    {"casts",
     "%0 = input f64[33]\n%1 = aten._to_copy.default(%0, dtype=f8e4m3fn)\n"
     "%2 = aten._to_copy.default(%1, dtype=i64)\n"
     "%3 = aten._to_copy.default(%2, dtype=f8e8m0fnu)\n"
     "%4 = assay.e8m0_encode(%0)\nreturn %1, %3, %4\n"},
};

inline CompileOptions for_cuda(const std::string& target,
                               std::optional<Defect> defect = {}) {
  CompileOptions options;
  options.cuda = target;
  options.defect = defect;
  return options;
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TESTING_CUDA_TESTING_H_
