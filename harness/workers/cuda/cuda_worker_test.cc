// Launch plans through the driver API, on a fake driver: what comes back is
// what the PTX machine gives, and what a GPU alone does is there, too. No
// hardware is seen by these tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/workers/cuda/cuda_testing.h"

namespace assay::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

// One program after the other in one process.
class CudaWorker : public ::testing::Test {
 protected:
  Observation gpu(const char* deed) { return run(gpu_, deed); }
  Worker gpu_{planner_on_gpu()};
};

TEST_F(CudaWorker, IsTheDevicesColumn) {
  const auto identity = gpu_.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_EQ(identity->column, "planner@7/cuda-sm_90");
  EXPECT_THAT(identity->facts, AllOf(Contains(Pair("gpu", "Fake GPU")),
                                     Contains(Pair("driver", "12.4")),
                                     Contains(Pair("who", "a test"))));
}

TEST_F(CudaWorker, GivesWhatTheMachineGives) {
  Worker machine(planner_on_machine());
  for (const char* deed :
       {"negate", "copies", "overlaps", "fills", "twice", "mutates", "shares",
        "clusters", "cooperates", "idles", "stale", "refuses", "guards",
        "crash", "keeps_quiet", "garbles", "shortens", "mistypes"}) {
    SCOPED_TRACE(deed);
    // The machine's worker takes no machine code, so it has another plan.
    const std::string twin = std::string(deed) == "stale" ? "negate" : deed;
    const Observation m = run(machine, twin.c_str());
    const Observation g = gpu(deed);
    EXPECT_EQ(m.kind, g.kind) << m.detail << g.detail;
    EXPECT_EQ(m.error.exception, g.error.exception);
    EXPECT_EQ(m.error.clause, g.error.clause);
    EXPECT_EQ(m.error.message, g.error.message);
    EXPECT_EQ(m.breaches, g.breaches);
    ASSERT_EQ(m.outputs.size(), g.outputs.size());
    for (std::size_t k = 0; k < m.outputs.size(); ++k) {
      EXPECT_EQ(*m.outputs[k].storage, *g.outputs[k].storage);
    }
  }
}

TEST_F(CudaWorker, HasOneAnswerWhereTheMachineHasThree) {
  const Observation o = gpu("power");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(8, 16));
  EXPECT_THAT(o.depends_on, IsEmpty());
  EXPECT_EQ(o.evidence, Evidence::ran);
}

TEST_F(CudaWorker, RunsThePlansOwnMachineCode) {
  const Observation o = gpu("binary");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(3, 4));
}

TEST_F(CudaWorker, AsksForLargeClusters) {
  const Observation o = gpu("flocks");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_EQ(numbers(o.outputs[0])[0], -3);
}

TEST_F(CudaWorker, GuardsShowASmallStepOutOfABuffer) {
  const Observation o = gpu("wild");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(o.breaches,
              ElementsAre(HasSubstr("P2: 4 bytes behind buffer 1 (8 bytes)"),
                          StartsWith("P4: output 0: 1 of 2 elements were")));
  EXPECT_THAT(o.breaches[0], HasSubstr("the first at byte 16"));
  expect_negates(gpu_);
}

TEST_F(CudaWorker, UndefinedMemoryShows) {
  EXPECT_THAT(gpu("forgets").breaches,
              ElementsAre("P4: output 0: 1 of 2 elements were never written, "
                          "the first is 1"));
  EXPECT_THAT(gpu("reads").breaches,
              ElementsAre(HasSubstr("2 of 2 elements depend on memory that "
                                    "nobody wrote")));
  // These come in any order, and this one never promised to write.
  EXPECT_THAT(gpu("adds").breaches, IsEmpty());
  EXPECT_THAT(gpu("empty_half").breaches, IsEmpty());
  EXPECT_THAT(numbers(gpu("empty_half").outputs[0])[0], -3);
}

TEST_F(CudaWorker, ALostDeviceCostsOneCase) {
  for (const auto& [deed, error] :
       {std::pair{"astray", "CUDA_ERROR_ILLEGAL_ADDRESS"},
        std::pair{"traps", "CUDA_ERROR_LAUNCH_FAILED"}}) {
    const Observation o = gpu(deed);
    EXPECT_EQ(o.kind, Kind::device_lost) << o.detail;
    EXPECT_THAT(o.detail, AllOf(StartsWith("run: kernel: "), HasSubstr(error)));
    expect_negates(gpu_);
  }
}

TEST_F(CudaWorker, AnAssertionIsWhatPyTorchRaises) {
  for (int i = 0; i < 2; ++i) {
    const Observation o = gpu("asserts");
    ASSERT_EQ(o.kind, Kind::raised) << o.detail;
    EXPECT_EQ(o.error.exception, "AcceleratorError");
    EXPECT_THAT(o.error.classes, Contains("RuntimeError"));
    EXPECT_THAT(o.error.message, HasSubstr("device-side assert triggered"));
  }
  expect_negates(gpu_);
}

TEST_F(CudaWorker, AProgramThatIsKeptSurvivesItsDevice) {
  for (int i = 0; i < 2; ++i) {
    const Observation o = gpu_.rerun(doing("asserts"), inputs(), {}, kAmple);
    EXPECT_EQ(o.kind, Kind::raised) << o.detail;
  }
}

TEST_F(CudaWorker, WhatTheDriverDoesNotLaunchIsACrash) {
  for (const char* deed : {"tensor", "overshares", "crowds"}) {
    const Observation o = gpu(deed);
    EXPECT_EQ(o.kind, Kind::crashed) << deed;
    EXPECT_THAT(o.detail, HasSubstr("kernel: the driver refuses the launch"));
    expect_negates(gpu_);
  }
}

class Comparison : public ::testing::Test {
 protected:
  Comparison() { std::filesystem::remove(file_); }
  ~Comparison() override { std::filesystem::remove(file_); }

  // The observation, and the line of the file.
  std::pair<Observation, nlohmann::json> compare(const char* deed,
                                                 const char* settings = "") {
    Worker worker(planner_on_gpu(settings, {"--compare", file_}));
    Observation o = run(worker, deed);
    std::ifstream in(file_);
    std::string line;
    std::string last;
    while (std::getline(in, line)) last = line;
    return {std::move(o), nlohmann::json::parse(last, nullptr, false)};
  }

  std::string file_ =
      ::testing::TempDir() + "/compare-" + std::to_string(getpid()) + ".jsonl";
};

TEST_F(Comparison, SameBitsAreWrittenDown) {
  const auto [o, line] = compare("negate");
  EXPECT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_EQ(line.at("outcome"), "same");
  EXPECT_EQ(line.at("elements"), 2);
  EXPECT_EQ(line.at("payloads"), 0);
  EXPECT_THAT(line.at("kernels"), ElementsAre("kernel"));
  EXPECT_EQ(line.at("target"), "sm_90");
}

TEST_F(Comparison, OtherBitsAreTheHarnesssFault) {
  const auto [o, line] = compare("negate", "swap=neg:abs");
  EXPECT_EQ(o.kind, Kind::malformed);
  EXPECT_THAT(o.detail,
              HasSubstr("output 0, element 0: 0xc0400000 on the machine, "
                        "0x40400000 on the device"));
  EXPECT_EQ(line.at("outcome"), "differs");
  EXPECT_EQ(line.at("differing"), 2);
}

TEST_F(Comparison, WhatIsOpenIsListed) {
  const auto [power, open] = compare("power", "swap=ex2.approx:neg");
  EXPECT_EQ(power.kind, Kind::returned) << power.detail;
  EXPECT_EQ(open.at("outcome"), "approximate");
  EXPECT_EQ(open.at("detail"), "ex2.approx.f32");
  EXPECT_EQ(open.at("differing"), 2);
  EXPECT_EQ(compare("wild").second.at("outcome"), "fault");
  EXPECT_THAT(compare("wild").second.at("detail"), HasSubstr("bounds"));
  EXPECT_EQ(compare("adds", "swap=%f2,:%f1,").second.at("outcome"),
            "unordered");
}

}  // namespace
}  // namespace assay::harness::testing
