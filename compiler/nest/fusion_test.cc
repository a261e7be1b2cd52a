// What ends up in one kernel: rows are read from memory once, whatever is
// reduced of them and done with the result.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/graph/passes.h"
#include "compiler/import.h"
#include "compiler/nest/build.h"
#include "compiler/nest/print.h"
#include "compiler/nest/verify.h"
#include "compiler/testing/nest_shape.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

Nest nest_of(const std::string& lines) {
  Result<Imported> imported = import_program(parsed(lines));
  EXPECT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(imported->unsupported, "");
  EXPECT_TRUE(run_passes(&imported->body, &imported->ledger).ok());
  Nest nest = build_nest(imported->body);
  EXPECT_TRUE(verify(nest).ok());
  return nest;
}

TEST(Fusion, MakesOneKernelOfWhatIsDoneWithRows) {
  constexpr const char* kInputs =
      "%0 = input f32[40, 300]\n%1 = input f32[300]\n";
  constexpr const char* kPrograms[] = {
      "%2 = aten.softmax.int(%0, -1)\nreturn %2\n",
      "%2 = aten.neg.default(%0)\n%3 = aten.softmax.int(%2, -1)\nreturn %3\n",
      "%2 = aten.mul.Tensor(%0, %1)\n%3 = aten.softmax.int(%2, -1)\n"
      "return %3\n",
      "%2 = aten.log_softmax.int(%0, -1)\nreturn %2\n",
      "%2 = aten.logsumexp.default(%0, [1])\nreturn %2\n",
      "%2 = aten.layer_norm.default(%0, [300], %1, %1)\nreturn %2\n",
      "%2 = aten.add.Tensor(%0, %1)\n"
      "%3 = aten.layer_norm.default(%2, [300], %1, %1)\n"
      "%4 = aten.gelu.default(%3)\nreturn %2, %4\n",
      "%2 = aten.rms_norm.default(%0, [300], %1, 1e-05)\nreturn %2\n",
      "%2 = aten.var.correction(%0, [1])\nreturn %2\n",
      "%2 = aten.std.correction(%0, [1])\n%3 = aten.mean.dim(%0, [1])\n"
      "return %2, %3\n",
      "%2 = aten.linalg_vector_norm.default(%0, 2, [1], true)\n"
      "%3 = aten.div.Tensor(%0, %2)\nreturn %3\n",
  };
  for (const char* lines : kPrograms) {
    const Nest nest = nest_of(std::string(kInputs) + lines);
    EXPECT_EQ(nest.kernels.size(), 1U) << lines << to_text(nest);
  }
}

// One element of each row of log_softmax: the others are not computed. Not
// where somebody else wants all of it, nor where more is read than there is.
TEST(Fusion, ComputesWhatIsGatheredWhereItIsRead) {
  static constexpr const char* kProgram =
      "%0 = input f32[40, {0}]\n%1 = input i64[40, {1}]\n"
      "%2 = aten.log_softmax.int(%0, -1)\n"
      "%3 = aten.gather.default(%2, 1, %1)\nreturn {2}\n";
  const auto kernels = [](int columns, int taken, const char* results) {
    return nest_of(fmt::format(kProgram, columns, taken, results))
        .kernels.size();
  };
  EXPECT_EQ(kernels(300, 1, "%3"), 1U);
  EXPECT_EQ(kernels(300, 300, "%3"), 1U);
  EXPECT_GT(kernels(300, 301, "%3"), 1U);
  EXPECT_GT(kernels(300, 1, "%2, %3"), 1U);
}

// Threads share the blocks of long rows: a row's order has 4096 terms in one, a
// column's 2048.
TEST(Fusion, SplitsLongReductionsOfFewRows) {
  const auto split = [](const std::string& type, const std::string& dims) {
    return shape_of(nest_of("%0 = input " + type +
                            "\n%1 = aten.sum.dim_IntList(%0, " + dims +
                            ")\nreturn %1\n"));
  };
  EXPECT_EQ(split("f32[262144]", "[0]"), "[64] x 4096, [] x 64, ");
  EXPECT_EQ(split("f32[2, 300000]", "[1]"),
            "[73 2] x 4096, [2] x 992, [2] x 74, ");
  EXPECT_EQ(split("f32[131072, 60]", "[0]"), "[64 60] x 2048, [60] x 64, ");
  EXPECT_EQ(split("f32[262143]", "[0]"), "[] x 262143, ");
  EXPECT_EQ(split("f32[200, 262144]", "[1]"), "[200] x 262144, ");
}

}  // namespace
}  // namespace assay::compiler
