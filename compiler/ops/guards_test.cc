// Calls that are accepted: each guard that the specs require is asked of one,
// and none besides.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/testing/shipped_clauses.h"

namespace assay::compiler {
namespace {

// Calls that are accepted, with every guard of the operation asked.
const std::pair<const char*, std::vector<const char*>> kAccepted[] = {
    {"f32[2]",
     {"neg",         "abs",   "ceil",     "floor",       "trunc",
      "relu",        "relu6", "hardtanh", "leaky_relu",  "hardswish",
      "hardsigmoid", "elu",   "selu",     "celu",        "silu",
      "gelu",        "mish",  "softplus", "log_sigmoid", "positive",
      "mean",        "t",     "clone",    "_to_copy",    "zeros_like"}},
    {"f32[2]", {"add.Scalar(%0, 1)",          "sub.Scalar(%0, 1)",
                "rsub.Scalar(%0, 1)",         "clamp.default(%0, 0)",
                "amax.default(%0, [0])",      "amin.default(%0, [0])",
                "sum.dim_IntList(%0, [0])",   "mean.dim(%0, [0])",
                "softmax.int(%0, 0)",         "_softmax.default(%0, 0, false)",
                "view.default(%0, [2, 1])",   "reshape.default(%0, [-1])",
                "permute.default(%0, [0])",   "transpose.int(%0, 0, 0)",
                "expand.default(%0, [3, 2])", "flatten.using_ints(%0)",
                "unsqueeze.default(%0, 0)",   "select.int(%0, 0, 1)",
                "slice.Tensor(%0)",           "cat.default([%0, %0])"}},
    {"f32[2]; f32[2]",
     {"add.Tensor(%0, %1)", "sub.Tensor(%0, %1)", "mul.Tensor(%0, %1)",
      "div.Tensor(%0, %1)", "eq.Tensor(%0, %1)", "ne.Tensor(%0, %1)",
      "lt.Tensor(%0, %1)", "le.Tensor(%0, %1)", "gt.Tensor(%0, %1)",
      "ge.Tensor(%0, %1)", "copysign.Tensor(%0, %1)", "maximum.default(%0, %1)",
      "minimum.default(%0, %1)", "logaddexp.default(%0, %1)",
      "logical_and.default(%0, %1)", "logical_or.default(%0, %1)",
      "logical_xor.default(%0, %1)"}},
    {"bool[2]; f32[2]", {"where.self(%0, %1, %1)"}},
    {"f32[2, 2]; f32[2]",
     {"mm.default(%0, %0)", "matmul.default(%0, %0)",
      "addmm.default(%1, %0, %0)", "linear.default(%0, %0, %1)",
      "scaled_dot_product_attention.default(%0, %0, %0)",
      "batch_norm.default(%0, %1, %1, %1, %1, false, 0.1, 1e-05, true)",
      "batch_norm.default(%0, %1, %1, none, none, true, 0.1, 1e-05, true)"}},
    {"f32[1, 1, 2, 2]; f32[1]",
     {"conv2d.default(%0, %0, %1)", "adaptive_avg_pool2d.default(%0, [2, 2])",
      "avg_pool2d.default(%0, [2, 2])",
      "im2col.default(%0, [2, 2], [1, 1], [0, 0], [1, 1])",
      "max_pool2d_with_indices.default(%0, [2, 2])",
      "upsample_bilinear2d.default(%0, [2, 2], false)",
      "upsample_bicubic2d.default(%0, [2, 2], false)"}},
    {"f32[1, 2, 2]",
     {"bmm.default(%0, %0)", "baddbmm.default(%0, %0, %0)",
      "upsample_linear1d.default(%0, [3], false)"}},
    {"f32[1, 1, 2, 2, 2]",
     {"upsample_trilinear3d.default(%0, [2, 3, 4], false)"}},
    {"f32[2, 2]; i64[2]", {"embedding.default(%0, %1)"}},
    {"f32[2, 2]; i64[2, 2]",
     {"gather.default(%0, 0, %1)", "scatter.src(%0, 0, %1, %0)",
      "scatter_add.default(%0, 0, %1, %0)"}},
    {"f32[2, 2]; i64[2]", {"index_add.default(%0, 0, %1, %0)"}},
};

TEST(Guards, AskWhatTheSpecRequires) {
  std::set<std::string> asked, required;
  for (const auto& [inputs, calls] : kAccepted) {
    for (std::string call : calls) {
      if (call.find('(') == std::string::npos) call += ".default(%0)";
      const Imported p = import_text(text_of_call(inputs, call));
      EXPECT_FALSE(p.refusal) << call << p.refusal->message;
      asked.insert(p.clauses.begin(), p.clauses.end());
    }
  }
  const std::set<std::string> lowered = lowered_specs();
  for (const auto& [spec, clauses] : spec_clauses()) {
    if (lowered.count(spec) == 0) continue;
    for (const auto& clause : clauses) {
      required.insert(spec + "/" + clause.first);
    }
  }
  std::vector<std::string> extra, missing;
  std::set_difference(asked.begin(), asked.end(), required.begin(),
                      required.end(), std::back_inserter(extra));
  std::set_difference(required.begin(), required.end(), asked.begin(),
                      asked.end(), std::back_inserter(missing));
  // Those of the table of kernels are asked one by one in clauses_test.cc.
  std::erase_if(missing, [](const std::string& clause) {
    return clause.find("/K") != std::string::npos;
  });
  EXPECT_EQ(extra, std::vector<std::string>()) << "are in no spec";
  EXPECT_EQ(missing, std::vector<std::string>()) << "are never looked at";
}

}  // namespace
}  // namespace assay::compiler
