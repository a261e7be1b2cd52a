// The worker for ONNX Runtime, asked as the harness asks it. The environment
// is some 200 MB, so these tests do not install it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

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
using ::testing::Not;
using testing::numbers;
using testing::program;
using testing::tensor;
namespace fs = std::filesystem;

class OnnxRuntime : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string python =
        testing::python_of("onnxruntime", "ASSAY_ONNXRUNTIME_PYTHON");
    if (python.empty()) {
      GTEST_SKIP() << "the table of ONNX's operators stays untested: no "
                      "environment with onnxruntime; ./assay env onnxruntime "
                      "prepares it";
    }
    ::setenv("ASSAY_ONNXRUNTIME_PYTHON", python.c_str(), 1);
    python_ = python;
  }
  static Observation run(const std::string& lines,
                         const std::vector<Tensor>& inputs) {
    return worker().run(program(lines), inputs, {}, kAmple);
  }
  // Loading the packages takes half a second: one process serves all.
  static Worker& worker() {
    static Worker one(testing::subject("onnxruntime"));
    return one;
  }
  std::string python_;
};

TEST_F(OnnxRuntime, NamesItsColumnAndWhatItPromises) {
  const auto identity = worker().identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->column, MatchesRegex("onnxruntime@[0-9.]+/cpu"));
  EXPECT_EQ(identity->facts.at("promises"), "values");
  EXPECT_EQ(identity->facts.count("declares"), 0u);  // keeps subnormals
  EXPECT_EQ(identity->facts.at("optimize"), "all");
  EXPECT_FALSE(identity->slow_compile);
}

TEST_F(OnnxRuntime, RunsAProgramOfEverything) {
  const Observation o =
      run("%0 = input f32[2, 3] strides[1, 2]\n"
          "%1 = const f32[3] {0x3f800000, 0x40000000, 0xbf800000}\n"
          "%2 = aten.mul.Tensor(%0, %1)\n"
          "%3 = aten.clamp.default(%2, none, 9.5)\n"
          "%4 = aten.clamp.default(%3, -inf, inf)\n"
          "%5 = aten.cat.default([%4, %0], 1)\n"
          "%6 = aten.max.dim(%5, 1)\n"
          "%7 = getitem(%6, 1)\n"
          "%8 = aten._to_copy.default(%6, dtype=bf16)\n"
          "%9 = aten.add.Tensor(%7, 2.5, alpha=1)\n"
          "return %4, %7, %8, %9, %4, %0\n",
          {tensor(TensorType{DType::f32, {2, 3}, {1, 2}}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  ASSERT_EQ(o.outputs.size(), 6u);
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(1, 4, -3, 4, 9.5, -6));
  EXPECT_EQ(o.outputs[1].dtype(), DType::i64);
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(1, 1));
  EXPECT_EQ(o.outputs[2].dtype(), DType::bf16);
  EXPECT_THAT(numbers(o.outputs[2]), ElementsAre(4, 9.5));
  EXPECT_EQ(o.outputs[3].dtype(), DType::f32);
  EXPECT_THAT(numbers(o.outputs[3]), ElementsAre(3.5, 3.5));
  EXPECT_THAT(numbers(o.outputs[4]), ElementsAre(1, 4, -3, 4, 9.5, -6));
  EXPECT_THAT(numbers(o.outputs[5]), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_FALSE(o.flush.results || o.flush.operands);
  EXPECT_THAT(o.breaches, ::testing::IsEmpty());
}

// A call on a small input, and what ATen makes of it: of each table what is
// composed of several operators, or turns ATen's arguments into others.
struct Example {
  DType dtype;
  Shape sizes;
  std::vector<double> values;
  const char* call;
  std::vector<double> due;
};

std::string lines_of(const Example& e) {
  std::string text = "%0 = input " + std::string(dtype_name(e.dtype)) + "[";
  for (std::size_t i = 0; i < e.sizes.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(e.sizes[i]);
  }
  return text + "]\n%1 = aten." + e.call + "\nreturn %1\n";
}

TEST_F(OnnxRuntime, ComposesWhatOnnxHasOtherwise) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> count = {1, 2, 3, 4, 5, 6};
  const DType f32 = DType::f32;
  const Example examples[] = {
      {DType::i32,
       {4},
       {7, -7, 6, -8},
       "div.Tensor_mode(%0, 4, rounding_mode=\"floor\")",
       {1, -2, 1, -2}},
      {DType::i32,
       {4},
       {7, -7, 6, -8},
       "div.Tensor_mode(%0, 4, rounding_mode=\"trunc\")",
       {1, -1, 1, -2}},
      {DType::i8,
       {3},
       {-128, 127, -1},
       "floor_divide.default(%0, 3)",
       {-43, 42, -1}},
      {f32, {3}, {-5.5, 5.5, 7}, "remainder.Scalar(%0, 3.0)", {0.5, 2.5, 1}},
      {f32, {3}, {-5.5, 5.5, 7}, "fmod.Scalar(%0, 3.0)", {-2.5, 2.5, 1}},
      {DType::u8, {2}, {1, 250}, "add.Tensor(%0, 300)", {45, 38}},
      {DType::boolean, {2}, {0, 1}, "add.Tensor(%0, %0)", {0, 1}},
      {f32, {3}, {-0.0, 0, -1}, "signbit.default(%0)", {1, 0, 1}},
      {DType::f16, {3}, {inf, 1, -inf}, "isfinite.default(%0)", {0, 1, 0}},
      {f32,
       {3},
       {inf, 1, -inf},
       "nan_to_num.default(%0, none, 7.0, 8.0)",
       {7, 1, 8}},
      {f32, {2}, {inf, -1}, "clamp.default(%0, 0.0)", {inf, 0}},
      {f32, {3}, {-2, 2, 0.25}, "softshrink.default(%0, 0.5)", {-1.5, 1.5, 0}},
      {f32, {3}, {-2, 2, 0.25}, "hardshrink.default(%0, 0.5)", {-2, 2, 0}},
      {f32, {6}, count, "roll.default(%0, [2])", {5, 6, 1, 2, 3, 4}},
      {f32, {2, 3}, count, "rot90.default(%0, 1, [0, 1])", {3, 6, 2, 5, 1, 4}},
      {f32, {2, 3}, count, "rot90.default(%0, -1, [0, 1])", {4, 1, 5, 2, 6, 3}},
      {f32, {2, 3}, count, "diagonal.default(%0, 1)", {2, 6}},
      {f32, {}, {3}, "permute.default(%0, [])", {3}},
      {f32, {6}, count, "unfold.default(%0, 0, 2, 3)", {1, 2, 4, 5}},
      {f32,
       {2},
       {1, 2},
       "diag_embed.default(%0, -1)",
       {0, 0, 0, 1, 0, 0, 0, 2, 0}},
      {f32, {2, 3}, count, "slice_scatter.default(%0, %0, 1, 0, 3)", count},
      {f32,
       {2, 3},
       count,
       "constant_pad_nd.default(%0, [-1, 1], 8)",
       {2, 3, 8, 5, 6, 8}},
      {f32, {6}, count, "kthvalue.default(%0, 4)", {4}},
      {f32, {2, 3}, count, "argmax.default(%0)", {5}},
      {f32,
       {2, 3},
       {0, 0, 0, 1, 0, 2},
       "count_nonzero.dim_IntList(%0, [1])",
       {0, 2}},
      {DType::u8, {2, 3}, {0, 3, 0, 1, 5, 2}, "all.dim(%0, 1)", {0, 1}},
      {f32,
       {1, 1, 2, 2},
       count,
       "upsample_nearest2d.default(%0, [2, 4])",
       {1, 1, 2, 2, 3, 3, 4, 4}},
      {f32, {1, 4, 1, 1}, count, "pixel_shuffle.default(%0, 2)", {1, 2, 3, 4}},
      {f32,
       {1, 1, 2, 2},
       count,
       "pixel_unshuffle.default(%0, 2)",
       {1, 2, 3, 4}},
      {f32, {2, 2}, count, "linear.default(%0, %0)", {5, 11, 11, 25}},
      {f32,
       {1, 2, 2, 3},
       count,
       "avg_pool2d.default(%0, [1, 2], [1, 2], [0, 0], true, false)",
       {1.5, 3, 4.5, 6, 1.5, 3, 4.5, 6}},
      {f32,
       {2, 2},
       count,
       "addmm.default(%0, %0, %0, beta=0, alpha=2)",
       {14, 20, 30, 44}},
  };
  for (const Example& e : examples) {
    const Observation o =
        run(lines_of(e), {tensor(e.dtype, e.sizes, e.values)});
    ASSERT_EQ(o.kind, Kind::returned) << e.call << ": " << o.detail;
    EXPECT_EQ(numbers(o.outputs[0]), e.due) << e.call;
  }
}

// Max pooling counts through the whole tensor in ONNX, through a plane in ATen.
TEST_F(OnnxRuntime, CountsThroughAPlane) {
  const Observation o =
      run("%0 = input f32[1, 2, 2, 2]\n"
          "%1 = aten.max_pool2d_with_indices.default(%0, [2, 2])\n"
          "%2 = getitem(%1, 1)\nreturn %1, %2\n",
          {tensor(DType::f32, {1, 2, 2, 2}, {1, 2, 3, 4, 9, 8, 7, 6})});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(4, 9));
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(3, 0));
}

// What is printed runs without us and finds the same: to ONNX Runtime the
// largest of 1, NaN and 0.5 is 1.
TEST_F(OnnxRuntime, PrintsAFileThatShowsAFailureAlone) {
  const std::string assay = ASSAY_BINARY_DIR "/bin/assay";
  const std::string file = ::testing::TempDir() + "repro_onnxruntime.py";
  testing::CommandOptions to_file;
  to_file.stdout_file = file;
  const CommandResult printed = testing::run_command(
      {assay, "repro", "amax/C4/f32/8x8/dim=1", "--subject", "onnxruntime"},
      to_file);
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(testing::slurp(file),
              AllOf(HasSubstr("helper.make_node('ReduceMax'"),
                    Not(HasSubstr("import torch"))));
  const CommandResult shown = testing::run_command({python_, file}, {});
  EXPECT_EQ(shown.exit_code, 1) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("1 of 8 elements wrong"));
  const CommandResult error = testing::run_command(
      {assay, "repro", "mm/E1/f32/5_5x3", "--subject", "onnxruntime"}, {});
  EXPECT_EQ(error.exit_code, 2) << error.out;
  fs::remove(file);
}

// An exception is an answer, not the end of the file: ReduceMin of no bools.
TEST_F(OnnxRuntime, PrintsAFileThatShowsAnExceptionAlone) {
  const std::string assay = ASSAY_BINARY_DIR "/bin/assay";
  const std::string file = ::testing::TempDir() + "repro_onnxruntime_raises.py";
  testing::CommandOptions to_file;
  to_file.stdout_file = file;
  const CommandResult printed = testing::run_command(
      {assay, "repro", "all/C3/bool/0", "--subject", "onnxruntime"}, to_file);
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const CommandResult shown = testing::run_command({python_, file}, {});
  EXPECT_EQ(shown.exit_code, 1) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("raised where values are due"));
  EXPECT_THAT(shown.err, Not(HasSubstr("Traceback")));
  fs::remove(file);
}

TEST_F(OnnxRuntime, SaysWhyItDoesNotClaimAProgram) {
  const std::vector<Tensor> x = {tensor(DType::f32, {2}, {1, 2})};
  Observation o = run("%0 = input f32[2]\n%1 = aten.foo.bar(%0)\nreturn %1", x);
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_THAT(o.detail, HasSubstr("aten.foo.bar"));
  o = run("%0 = input f32[2]\n%1 = aten.elu.default(%0, 1, 2)\nreturn %1", x);
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_THAT(o.detail, HasSubstr("no scales"));
  o = run("%0 = input f32[2]\n%1 = aten.bitwise_not.default(%0)\nreturn %1", x);
  EXPECT_EQ(o.kind, Kind::unsupported);  // in ONNX's own words
  EXPECT_THAT(o.detail, HasSubstr("ONNX: "));
  o = run("%0 = input bf16[2]\n%1 = aten.exp.default(%0)\nreturn %1",
          {tensor(DType::bf16, {2}, {1, 2})});
  EXPECT_EQ(o.kind, Kind::unsupported);  // in the runtime's
  EXPECT_THAT(o.detail, HasSubstr("Could not find an implementation for Exp"));
}

}  // namespace
}  // namespace assay::harness
