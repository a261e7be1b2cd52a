// The bundled compiler's CUDA targets through the plugin host: texts, plans and
// guards, on a machine with or without NVRTC and without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/testing/workers.h"

namespace assay::harness::testing {
namespace {

using ::testing::HasSubstr;

// Without the PTX machine, which a subject with such a target is run on.
SubjectConfig bundled(const std::string& braces) {
  SubjectConfig config =
      subject("plugin:" + build_file("lib/assay_bundled.so") + braces);
  config.command.erase(config.command.begin());
  config.plugin = true;
  return config;
}

Program lookup() {
  return program(
      "%0 = input f32[3, 2]\n%1 = input i64[2]\n"
      "%2 = aten.embedding.default(%0, %1)\nreturn %2\n");
}

std::vector<Tensor> inputs_of_lookup(double last) {
  return {tensor(DType::f32, {3, 2}, {1, 2, 3}),
          tensor(DType::i64, {2}, {0, last})};
}

std::string missing_nvrtc() {
  Worker worker(bundled("{target=cuda-sm_90}"));
  return testing::missing_nvrtc(worker);
}

TEST(BundledCuda, GivesItsTextAndPlan) {
  if (const auto why = missing_nvrtc(); !why.empty()) {
    GTEST_SKIP() << "CUDA text is compiled by NVRTC: " << why;
  }
  Worker worker(bundled("{target=cuda-sm_90}"));
  ASSERT_TRUE(worker.identify().ok()) << worker.identify().error().message;
  EXPECT_EQ(worker.identify()->column, "bundled@1/cuda-sm_90");
  EXPECT_THAT(worker.explain(lookup(), "cuda"), HasSubstr("__global__"));
  EXPECT_THAT(worker.explain(lookup(), "ptx"), HasSubstr(".target sm_90\n"));
  EXPECT_THAT(worker.explain(lookup(), "graph"), HasSubstr("gather"));
  EXPECT_THAT(worker.explain(lookup(), "guards"), HasSubstr("embedding/"));
  EXPECT_EQ(worker.explain(lookup(), "c++"), "");
  const auto plan = nlohmann::json::parse(worker.explain(lookup(), "launches"));
  EXPECT_EQ(plan["target"], "sm_90");
  EXPECT_FALSE(plan.contains("cubins"));
  const auto whole =
      nlohmann::json::parse(worker.explain(lookup(), "launches+cubin"));
  EXPECT_TRUE(whole["cubins"][0].contains("base64"));
}

TEST(BundledCuda, ChecksGuardsAndRunsNothing) {
  if (const auto why = missing_nvrtc(); !why.empty()) {
    GTEST_SKIP() << "CUDA text is compiled by NVRTC: " << why;
  }
  Worker worker(bundled("{target=cuda-sm_90}"));
  const Observation good =
      worker.run(lookup(), inputs_of_lookup(2), {}, kAmple);
  EXPECT_EQ(good.kind, Kind::returned) << good.detail;
  const Observation bad = worker.run(lookup(), inputs_of_lookup(3), {}, kAmple);
  ASSERT_EQ(bad.kind, Kind::raised);
  EXPECT_EQ(bad.error.exception, "IndexError");
  const Observation whole =
      worker.run(lookup(), inputs_of_lookup(2),
                 {TensorType::contiguous(DType::f32, {2, 2})}, kAmple);
  EXPECT_EQ(whole.kind, Kind::unsupported);
  EXPECT_THAT(whole.detail, HasSubstr("needs a GPU or the PTX machine"));
}

TEST(BundledCuda, WithoutNvrtcSaysWhatIsMissing) {
  SubjectConfig config = bundled("{target=cuda-sm_90}");
  config.environment["ASSAY_NVRTC"] = "/nowhere/libnvrtc.so";
  Worker worker(config);
  ASSERT_TRUE(worker.identify().ok()) << worker.identify().error().message;
  const Observation o = worker.run(lookup(), inputs_of_lookup(1), {}, kAmple);
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_THAT(o.detail, HasSubstr("ASSAY_NVRTC=/nowhere/libnvrtc.so"));
  // A library that is none of NVRTC's.
  config.environment["ASSAY_NVRTC"] = build_file("lib/empty_plugin.so");
  Worker other(config);
  ASSERT_TRUE(other.identify().ok()) << other.identify().error().message;
  const Observation wrong =
      other.run(lookup(), inputs_of_lookup(1), {}, kAmple);
  EXPECT_EQ(wrong.kind, Kind::unsupported);
  EXPECT_THAT(wrong.detail, HasSubstr("NVRTC 11.2 or later is due"));
  // The rest is as it was.
  config.target = "cpu";
  Worker cpu(config);
  const Observation ran =
      cpu.run(lookup(), inputs_of_lookup(2),
              {TensorType::contiguous(DType::f32, {2, 2})}, kAmple);
  EXPECT_EQ(ran.kind, Kind::returned) << ran.detail;
}

TEST(BundledCuda, RefusesWhatItCannotMean) {
  Worker unknown(bundled("{target=cuda-sm_12}"));
  ASSERT_FALSE(unknown.identify().ok());
  EXPECT_THAT(unknown.identify().error().message,
              HasSubstr("has no target cuda-sm_12"));
  if (const auto why = missing_nvrtc(); !why.empty()) {
    GTEST_SKIP() << "CUDA text is compiled by NVRTC: " << why;
  }
  Worker engine(bundled("{target=cuda-sm_90,engine=graph}"));
  const Observation o = engine.run(lookup(), inputs_of_lookup(1), {}, kAmple);
  EXPECT_EQ(o.kind, Kind::malformed);
  EXPECT_THAT(o.detail, HasSubstr("choose a cpu target"));
}

}  // namespace
}  // namespace assay::harness::testing
