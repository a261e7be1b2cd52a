// A compiler that says what it would launch, judged on the PTX machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/workers/bad_testing.h"

namespace assay::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SubjectConfig planner(const std::string& target = "cuda-sm_90") {
  SubjectConfig config;
  config.spelling = "worker:planner";
  config.target = target;
  config.command = {
      build_file("bin/assay-ptx-worker"), "/usr/bin/env", "python3",
      std::string(ASSAY_SOURCE_DIR) + "/harness/testing/plan_worker.py"};
  return config;
}

class PtxWorker : public ::testing::Test {
 protected:
  Observation run(const std::string& deed) {
    return worker_.run(doing(deed), inputs(), {}, kAmple);
  }
  // The next program does not suffer from the last one.
  void expect_goes_on() {
    const Observation o = run("negate");
    ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
    EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(-3, -4));
  }
  Worker worker_{planner()};
};

TEST_F(PtxWorker, IsTheCompilersColumn) {
  const auto identity = worker_.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_EQ(identity->column, "planner@7/cuda-sm_90");
  EXPECT_EQ(identity->facts.at("who"), "a test");
  Worker cpu(planner("cpu"));
  EXPECT_THAT(cpu.identify().error().message, HasSubstr("cuda-sm_90"));
}

TEST_F(PtxWorker, ExecutesAPlan) {
  const Observation o = run("negate");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(-3, -4));
  EXPECT_THAT(o.breaches, IsEmpty());
  EXPECT_THAT(o.alternatives, IsEmpty());
  EXPECT_EQ(o.evidence, Evidence::emulated);
}

TEST_F(PtxWorker, CopiesAndFills) {
  const Observation o = run("copies");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(3, 1));
}

// 2^3 and 2^4 within the documented bound of ex2.approx.
TEST_F(PtxWorker, WhatIsOpenHasItsEnds) {
  const Observation o = run("power");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(8, 16));
  EXPECT_THAT(o.depends_on, ElementsAre("ex2.approx.f32"));
  ASSERT_EQ(o.alternatives.size(), 2u);
  EXPECT_LT(numbers(o.alternatives[0][0])[0], 8);
  EXPECT_GT(numbers(o.alternatives[1][0])[0], 8);
  EXPECT_NEAR(numbers(o.alternatives[1][0])[0], 8, 1e-4);
}

TEST_F(PtxWorker, RefusalsComeFromChecksAndGuards) {
  const Observation check = run("refuses");
  ASSERT_EQ(check.kind, Kind::raised) << check.detail;
  EXPECT_EQ(check.error.exception, "IndexError");
  EXPECT_EQ(check.error.clause, "bad/E1");
  const Observation guard = run("guards");
  ASSERT_EQ(guard.kind, Kind::raised) << guard.detail;
  EXPECT_EQ(guard.error.exception, "ValueError");
  expect_goes_on();
}

TEST_F(PtxWorker, AWildKernelCrashesItsCaseAlone) {
  const Observation o = run("wild");
  EXPECT_EQ(o.kind, Kind::crashed);
  EXPECT_THAT(o.detail, AllOf(HasSubstr("run: "), HasSubstr("bounds"),
                              HasSubstr("kernel")));
  expect_goes_on();
  EXPECT_THAT(run("traps").detail, HasSubstr("trap"));
  expect_goes_on();
}

TEST_F(PtxWorker, ACompilerThatDiesIsStartedAgain) {
  const Observation o = run("crash");
  EXPECT_EQ(o.kind, Kind::crashed);
  EXPECT_THAT(o.detail, HasSubstr("exited with code 5"));
  expect_goes_on();
}

TEST_F(PtxWorker, WhatIsNoPlanIsNamed) {
  EXPECT_EQ(run("keeps_quiet").kind, Kind::unsupported);
  const Observation tensor = run("tensor");
  EXPECT_EQ(tensor.kind, Kind::unsupported);
  EXPECT_THAT(tensor.detail, HasSubstr("the PTX machine has no wgmma"));
  for (const auto& [deed, words] :
       {std::pair{"garbles", "launches[0].module: there is no module 3"},
        std::pair{"shortens", "kernel has 3 parameters, 2 are given"},
        std::pair{"mistypes", "PTX line 1"}}) {
    const Observation o = run(deed);
    EXPECT_EQ(o.kind, Kind::malformed) << deed;
    EXPECT_THAT(o.detail, HasSubstr(words));
  }
  expect_goes_on();
}

}  // namespace
}  // namespace assay::harness::testing
