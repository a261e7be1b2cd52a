// The worker for XLA, asked as the harness asks it. The environment is some
// 400 MB, so these tests do not install it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/testing/command.h"
#include "harness/testing/environment.h"
#include "harness/testing/workers.h"

namespace assay::harness {
namespace {

using ::testing::AllOf;
using testing::CommandResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kAmple;
using testing::Kind;
using ::testing::MatchesRegex;
using testing::numbers;
using testing::program;
using testing::tensor;
namespace fs = std::filesystem;

class Jax : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string python = testing::python_of("jax", "ASSAY_JAX_PYTHON");
    if (python.empty()) {
      GTEST_SKIP() << "the table of XLA's operations stays untested: no "
                      "environment with jax; ./assay env jax prepares it";
    }
    ::setenv("ASSAY_JAX_PYTHON", python.c_str(), 1);
    python_ = python;
  }
  Observation run(const std::string& lines, const std::vector<Tensor>& inputs) {
    return worker().run(program(lines), inputs, {}, kAmple);
  }
  // Loading JAX takes a second: one process serves all.
  static Worker& worker() {
    static Worker one(testing::subject("jax"));
    return one;
  }
  std::string python_;
};

TEST_F(Jax, NamesItsColumnAndWhatItPromises) {
  const auto identity = worker().identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->column, MatchesRegex("xla@[0-9.]+/cpu"));
  EXPECT_EQ(identity->facts.at("promises"), "values");
  EXPECT_EQ(identity->facts.at("declares"),
            "flush_subnormals, subnormals_are_zero");
  EXPECT_EQ(identity->facts.at("matmul_precision"), "highest");
  EXPECT_TRUE(identity->slow_compile);
}

TEST_F(Jax, RunsAProgramOfEverything) {
  const Observation o =
      run("%0 = input f32[2, 3] strides[1, 2]\n"
          "%1 = const bf16[3] {0x3f80, 0x4000, 0xbf80}\n"
          "%2 = aten.mul.Tensor(%0, %1)\n"
          "%3 = aten.clamp.default(%2, none, 9.5)\n"
          "%4 = aten.clamp.default(%3, -inf, inf)\n"
          "%5 = aten.cat.default([%4, %0], 1)\n"
          "%6 = aten.max.dim(%5, 1)\n"
          "%7 = getitem(%6, 1)\n"
          "%8 = aten._to_copy.default(%6, dtype=f16)\n"
          "%9 = aten.add.Tensor(%7, 2.5, alpha=1)\n"
          "return %4, %7, %8, %9\n",
          {tensor(TensorType{DType::f32, {2, 3}, {1, 2}}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  ASSERT_EQ(o.outputs.size(), 4u);
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(1, 4, -3, 4, 9.5, -6));
  EXPECT_EQ(o.outputs[1].dtype(), DType::i64);
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(1, 1));
  EXPECT_EQ(o.outputs[2].dtype(), DType::f16);
  EXPECT_THAT(numbers(o.outputs[2]), ElementsAre(4, 9.5));
  EXPECT_EQ(o.outputs[3].dtype(), DType::f32);
  EXPECT_THAT(numbers(o.outputs[3]), ElementsAre(3.5, 3.5));
  EXPECT_TRUE(o.flush.results && o.flush.operands);
  EXPECT_THAT(o.breaches, ::testing::IsEmpty());
}

TEST_F(Jax, NumbersWrapAsATensWouldAndBoolsStayBools) {
  const Observation o =
      run("%0 = input u8[2]\n%1 = aten.add.Tensor(%0, 300)\n"
          "%2 = aten.eq.Scalar(%0, 1)\nreturn %1, %2\n",
          {tensor(DType::u8, {2}, {1, 250})});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(45, 38));
  EXPECT_EQ(o.outputs[1].dtype(), DType::boolean);
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(1, 0));
}

TEST_F(Jax, SumsInTheDtypeThatIsAskedFor) {
  for (const char* call :
       {"sum.default(%0, dtype=i8)", "sum.dim_IntList(%0, [0], dtype=i8)",
        "nansum.default(%0, [0], dtype=i8)",
        "cumsum.default(%0, 0, dtype=i8)"}) {
    const Observation o = run(
        std::string("%0 = input i64[2]\n%1 = aten.") + call + "\nreturn %1\n",
        {tensor(DType::i64, {2}, {100, 100})});
    ASSERT_EQ(o.kind, Kind::returned) << call << ": " << o.detail;
    EXPECT_EQ(o.outputs[0].dtype(), DType::i8) << call;
    EXPECT_EQ(numbers(o.outputs[0]).back(), -56) << call;
  }
}

TEST_F(Jax, SaysWhyItDoesNotClaimAProgram) {
  const std::vector<Tensor> x = {tensor(DType::f32, {2}, {1, 2})};
  Observation o = run("%0 = input f32[2]\n%1 = aten.foo.bar(%0)\nreturn %1", x);
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_THAT(o.detail, HasSubstr("aten.foo.bar"));
  o = run("%0 = input f32[2]\n%1 = aten.elu.default(%0, 1, 2)\nreturn %1", x);
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_THAT(o.detail, HasSubstr("no scales"));
  o = run("%0 = input f32[2]\n%1 = aten.bitwise_not.default(%0)\nreturn %1", x);
  EXPECT_EQ(o.kind, Kind::unsupported);  // in JAX's own words
  EXPECT_THAT(o.detail, HasSubstr("JAX: "));
}

TEST_F(Jax, TakesNoOptions) {
  const auto config = parse_subject("jax{fast=true}");
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr("takes no options"));
}

// What is printed runs without us and finds the same: 2 to the power of what
// is next to 1024 is hundreds of ulp off.
TEST_F(Jax, PrintsAFileThatShowsAFailureAlone) {
  const std::string assay = ASSAY_BINARY_DIR "/bin/assay";
  const std::string file = ::testing::TempDir() + "repro_jax.py";
  testing::CommandOptions to_file;
  to_file.stdout_file = file;
  const CommandResult printed = testing::run_command(
      {assay, "repro", "exp2/B6/f64/39", "--subject", "jax"}, to_file);
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(testing::slurp(file),
              AllOf(HasSubstr("jax.numpy.exp2("),
                    ::testing::Not(HasSubstr("import torch"))));
  const CommandResult shown = testing::run_command({python_, file}, {});
  EXPECT_EQ(shown.exit_code, 1) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("of 39 elements wrong"));
  const CommandResult error = testing::run_command(
      {assay, "repro", "mm/E1/f32/5_5x3", "--subject", "jax"}, {});
  EXPECT_EQ(error.exit_code, 2) << error.out;
  fs::remove(file);
}

}  // namespace
}  // namespace assay::harness
