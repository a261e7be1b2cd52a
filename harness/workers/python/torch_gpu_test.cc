// The worker in Python with a GPU: what a user's torch does there. Without one
// the same way is gone on a CPU, with a device that breaks where it is told to,
// and whose memory must not be mixed with the processor's
// (testing/gpu_worker.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "harness/subject/gpu.h"
#include "harness/testing/workers.h"

namespace assay::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::MatchesRegex;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds kCompiling{120000};

SubjectConfig fake(const std::string& backend) {
  // Not the person's own cache of compiled programs.
  setenv("ASSAY_CACHE", build_file("test-cache").c_str(), 0);
  SubjectConfig config = subject("torch:" + backend);
  config.target = "cuda";
  config.command[1] =
      std::string(ASSAY_SOURCE_DIR) + "/harness/testing/gpu_worker.py";
  return config;
}

Program negation(const std::string& type) {
  return program("%0 = input " + type +
                 "\n%1 = aten.neg.default(%0)\nreturn %1\n");
}

// A device that is told by its input what to do.
class FakeGpu : public ::testing::Test {
 protected:
  Observation tell(double deed) {
    return worker_.run(negation("i64[2]"), {tensor(DType::i64, {2}, {deed, 5})},
                       {}, kAmple);
  }
  void expect_well() {
    const Observation o = tell(3);
    ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
    EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(-3, -5));
    EXPECT_THAT(o.breaches, IsEmpty());
  }
  std::string process() { return worker_.explain(negation("i64[2]"), "pid"); }

  Worker worker_{fake("eager")};
};

TEST_F(FakeGpu, FactsSayHowItRounds) {
  const auto identity = worker_.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->column, MatchesRegex("torch-eager@2\\..*/cpu"));
  EXPECT_FALSE(identity->slow_compile);
  EXPECT_THAT(
      identity->facts,
      AllOf(Contains(Pair("launcher", "torch")),
            Contains(Pair("cuda.matmul.allow_tf32", "off")),
            Contains(Pair("cudnn.allow_tf32", "off")),
            Contains(Pair("cuda.matmul.allow_bf16_reduced_precision_reduction",
                          "off")),
            Contains(Pair("cudnn.deterministic", "on"))));
  for (const char* library : {"cuda", "cudnn", "cublas"}) {
    EXPECT_THAT(identity->facts,
                Contains(Pair(library, MatchesRegex("none|[0-9]+\\.[0-9.]+"))));
  }
  EXPECT_THAT(identity->facts, Contains(Key("driver")));
}

TEST_F(FakeGpu, InputsKeepTheirLayoutAndConstantsTheirPlace) {
  const Observation o = worker_.run(
      program("%0 = input f32[2, 3] strides[1, 2]\n"
              "%1 = const f32[3] {0x3f800000, 0x40000000, 0xbf800000}\n"
              "%2 = aten.mul_.Tensor(%0, %1)\n"
              "%3 = aten.arange.start(1, 4, dtype=f32)\n"
              "%4 = aten.add.Tensor(%0, %3)\n"
              "%5 = aten.storage_offset.default(%0)\n"
              "return %4, %0\n"),
      {tensor(TensorType{DType::f32, {2, 3}, {1, 2}}, {1, 2, 3, 4, 5, 6}, 3)},
      {}, kAmple);
  // An operation that returns no tensor is declared, before anything runs.
  EXPECT_EQ(o.kind, Kind::unsupported) << o.error.message;
  const Observation p = worker_.run(
      program("%0 = input f32[2, 3] strides[1, 2]\n"
              "%1 = const f32[3] {0x3f800000, 0x40000000, 0xbf800000}\n"
              "%2 = aten.mul_.Tensor(%0, %1)\n"
              "%3 = aten.arange.start(1, 4, dtype=f32)\n"
              "%4 = aten.add.Tensor(%0, %3)\n"
              "%5 = aten.as_strided.default(%0, [6], [1])\n"
              "return %4, %0, %5\n"),
      {tensor(TensorType{DType::f32, {2, 3}, {1, 2}}, {1, 2, 3, 4, 5, 6}, 3)},
      {}, kAmple);
  ASSERT_EQ(p.kind, Kind::returned) << p.detail << p.error.message;
  EXPECT_THAT(p.breaches, IsEmpty());
  EXPECT_THAT(numbers(p.outputs[0]), ElementsAre(2, 6, 0, 5, 12, -3));
  EXPECT_THAT(numbers(p.outputs[1]), ElementsAre(1, 4, -3, 4, 10, -6));
  // In the order of memory, from the view's own offset on.
  EXPECT_THAT(numbers(p.outputs[2]), ElementsAre(1, 4, 4, 10, -3, -6));
}

// What goes there and back: 1, 2 and 8 bytes, nothing at all, one number, and
// results that do not lie in a row.
TEST_F(FakeGpu, EveryTensorGoesThereAndBack) {
  const Observation o = worker_.run(
      program("%0 = input bool[2, 3] strides[1, 2]\n"
              "%1 = input f8e4m3fn[2]\n"
              "%2 = input i64[0, 3]\n"
              "%3 = input bf16[]\n"
              "%4 = const i64[0, 3] {}\n"
              "%5 = const bool[3] {0x1, 0x0, 0x1}\n"
              "%6 = aten.logical_and.default(%0, %5)\n"
              "%7 = aten.t.default(%0)\n"
              "%8 = aten.add.Tensor(%2, %4)\n"
              "return %6, %7, %1, %8, %3\n"),
      {tensor(TensorType{DType::boolean, {2, 3}, {1, 2}}, {1, 1, 1, 0, 0, 1},
              1),
       tensor(DType::f8e4m3fn, {2}, {1.5, -2}),
       Tensor::zeros(DType::i64, {0, 3}), tensor(DType::bf16, {}, {3})},
      {}, kAmple);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(o.breaches, IsEmpty());
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(1, 0, 1, 0, 0, 1));
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(1, 0, 1, 0, 1, 1));
  EXPECT_THAT(numbers(o.outputs[2]), ElementsAre(1.5, -2));
  EXPECT_THAT(o.outputs[3].sizes(), ElementsAre(0, 3));
  EXPECT_THAT(numbers(o.outputs[4]), ElementsAre(3));
}

TEST_F(FakeGpu, ItsMemoryIsNotTheProcessors) {
  const Observation o = tell(4);
  ASSERT_EQ(o.kind, Kind::raised) << o.detail;
  EXPECT_THAT(o.error.message, HasSubstr("to be on the same device"));
  expect_well();
}

// An empty list of tensors says nothing of a device, and cat takes none.
TEST_F(FakeGpu, OnlyWhatMakesATensorIsToldWhere) {
  const Observation cat = worker_.run(
      program("%0 = aten.cat.default([])\nreturn %0\n"), {}, {}, kAmple);
  ASSERT_EQ(cat.kind, Kind::raised) << cat.detail;
  EXPECT_THAT(cat.error.message, HasSubstr("non-empty list of Tensors"));
  EXPECT_THAT(
      worker_.explain(program("%0 = aten.cat.default([])\n"
                              "%1 = aten.ones.default([2])\n"
                              "return %1\n"),
                      "python"),
      AllOf(HasSubstr("cat.default([])"),
            HasSubstr("ones.default([2], device='meta', pin_memory=False)")));
}

TEST_F(FakeGpu, AnInputThatWasWrittenToComesBackSo) {
  const Observation o = tell(1);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(o.breaches, ElementsAre(StartsWith("P3")));
  expect_well();
}

TEST_F(FakeGpu, AnErrorThatSticksCostsOneCaseAndOneProcess) {
  for (int i = 0; i < 2; ++i) {
    const std::string before = process();
    const Observation o = tell(700);
    EXPECT_EQ(o.kind, Kind::device_lost) << o.detail << o.error.message;
    EXPECT_THAT(o.detail, HasSubstr("illegal memory access"));
    expect_well();
    EXPECT_NE(process(), before);
  }
}

TEST_F(FakeGpu, AnAssertionIsARefusal) {
  for (int i = 0; i < 2; ++i) {
    const std::string before = process();
    const Observation o = tell(710);
    ASSERT_EQ(o.kind, Kind::raised) << o.detail;
    EXPECT_EQ(o.error.exception, "AcceleratorError");
    EXPECT_EQ(o.error.phase, "run");
    EXPECT_THAT(o.error.classes, Contains("RuntimeError"));
    EXPECT_NE(process(), before);
  }
  expect_well();
}

TEST_F(FakeGpu, OtherErrorsLeaveTheProcess) {
  const std::string before = process();
  const Observation launch = tell(9);
  EXPECT_EQ(launch.kind, Kind::crashed) << launch.error.message;
  EXPECT_THAT(launch.detail, HasSubstr("invalid configuration"));
  const Observation index = worker_.run(
      program("%0 = input f32[2]\n%1 = aten.sum.dim_IntList(%0, [2])\n"
              "return %1\n"),
      {tensor(DType::f32, {2}, {1})}, {}, kAmple);
  ASSERT_EQ(index.kind, Kind::raised) << index.detail;
  EXPECT_EQ(index.error.exception, "IndexError");
  expect_well();
  EXPECT_EQ(process(), before);
  EXPECT_EQ(tell(2).kind, Kind::out_of_memory);
  expect_well();
  EXPECT_EQ(worker_
                .run(negation("f32[0, 2]"), {Tensor::zeros(DType::f32, {0, 2})},
                     {}, kAmple)
                .kind,
            Kind::out_of_memory);
  expect_well();
}

TEST(FakeGpuThatIsGone, IsSaidOfEveryLaterCase) {
  const std::string once =
      ::testing::TempDir() + "/gpu-" + std::to_string(getpid());
  std::filesystem::remove(once);
  SubjectConfig config = fake("eager");
  config.environment["ASSAY_FAKE_GPU"] = once;
  Worker worker(config);
  const auto ask = [&](double deed) {
    return worker.run(negation("i64[2]"), {tensor(DType::i64, {2}, {deed, 5})},
                      {}, kAmple);
  };
  EXPECT_EQ(ask(700).kind, Kind::device_lost);
  for (int i = 0; i < 2; ++i) {
    const Observation o = ask(3);
    EXPECT_EQ(o.kind, Kind::device_lost) << o.detail;
    EXPECT_THAT(o.detail, HasSubstr("has fallen off the bus"));
  }
  std::filesystem::remove(once);
  EXPECT_EQ(ask(3).kind, Kind::returned);
  std::filesystem::remove(once);
}

TEST(FakeGpuOfACompiler, IsAColumnOfItsOwn) {
  SubjectConfig config = fake("inductor");
  config.options = {{"launcher", "torch"}};
  Worker worker(config);
  const auto identity = worker.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->column,
              MatchesRegex("inductor@2\\..*\\+launcher=torch/cpu"));
  EXPECT_TRUE(identity->slow_compile);
  const auto ask = [&](double deed) {
    return worker.run(negation("i64[2]"), {tensor(DType::i64, {2}, {deed, 5})},
                      {}, kCompiling);
  };
  EXPECT_EQ(ask(710).kind, Kind::raised);
  const Observation o = ask(3);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(-3, -5));
  EXPECT_THAT(worker.explain(negation("i64[2]"), "code"),
              HasSubstr("cpp_fused_neg"));
}

class Columns : public ::testing::TestWithParam<std::string> {};

TEST_P(Columns, SayPlainlyThatThereIsNoGpu) {
  if (gpu_of_this_machine().ok()) {
    GTEST_SKIP() << "a GPU is here, so its absence cannot be tested";
  }
  Worker worker(subject(GetParam()));
  const auto identity = worker.identify();
  ASSERT_FALSE(identity.ok());
  EXPECT_THAT(identity.error().message,
              AllOf(HasSubstr("does not start"), HasSubstr("torch 2."),
                    ::testing::ContainsRegex(
                        "can use no GPU: |is built without CUDA")));
}

TEST_P(Columns, RunOnTheGpuAndLoseItOnlyForACase) {
  const auto gpu = gpu_of_this_machine();
  if (!gpu.ok()) GTEST_SKIP() << "no GPU to run on: " << gpu.error().message;
  Worker worker(subject(GetParam()));
  const auto identity = worker.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->column, HasSubstr("/cuda-" + gpu->sm));
  const auto gather = [&](double index) {
    return worker.run(program("%0 = input f32[3]\n%1 = input i64[2]\n"
                              "%2 = aten.index_select.default(%0, 0, %1)\n"
                              "%3 = aten.neg.default(%2)\nreturn %3\n"),
                      {tensor(DType::f32, {3}, {1, 2, 4}),
                       tensor(DType::i64, {2}, {index, 1})},
                      {}, kCompiling);
  };
  for (int i = 0; i < 2; ++i) {
    const Observation wrong = gather(99);
    EXPECT_EQ(wrong.kind, Kind::raised) << wrong.detail;
    EXPECT_THAT(wrong.error.classes, Contains("RuntimeError"));
    const Observation right = gather(2);
    ASSERT_EQ(right.kind, Kind::returned) << right.detail;
    EXPECT_THAT(numbers(right.outputs[0]), ElementsAre(-4, -2));
  }
  // By a library.
  const Observation product =
      worker.run(program("%0 = input f32[2, 2]\n%1 = aten.mm.default(%0, %0)\n"
                         "return %1\n"),
                 {tensor(DType::f32, {2, 2}, {1, 2, 3, 4})}, {}, kCompiling);
  ASSERT_EQ(product.kind, Kind::returned) << product.detail;
  EXPECT_THAT(numbers(product.outputs[0]), ElementsAre(7, 10, 15, 22));
}

INSTANTIATE_TEST_SUITE_P(
    OfTorch, Columns,
    ::testing::Values("torch:eager{target=cuda}",
                      "torch:inductor{target=cuda,launcher=torch}"),
    [](const auto& test) {
      return test.index == 0 ? std::string("eager") : std::string("inductor");
    });

}  // namespace
}  // namespace assay::harness::testing
