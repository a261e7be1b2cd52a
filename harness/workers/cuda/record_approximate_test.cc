// Recording a device's approximate instructions, on the fake driver, and
// columns without a GPU that take what was recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/process.h"
#include "harness/testing/variable.h"
#include "harness/workers/approximate/recorded_device.h"
#include "harness/workers/cuda/cuda_testing.h"

namespace assay::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
namespace fs = std::filesystem;

constexpr const char* kName = "Fake-GPU-sm_90";
// 3.0 and what follows.
constexpr const char* kThree = "1077936128";

class Recording : public ::testing::Test {
 protected:
  Recording()
      : cache_(fs::path(::testing::TempDir()) /
               ("recording-" + std::to_string(getpid()))),
        variable_("ASSAY_CACHE", cache_.string()) {
    fs::remove_all(cache_);
  }
  ~Recording() override { fs::remove_all(cache_); }

  Finished record(const std::vector<std::string>& words,
                  const std::string& settings = "") const {
    const Variable driver("ASSAY_CUDA_DRIVER",
                          build_file("lib/fake_cuda_driver.so"));
    const Variable fake("ASSAY_FAKE_CUDA", settings);
    std::vector<std::string> command = {build_file("bin/assay-cuda-worker"),
                                        "--record", "",
                                        (cache_ / "summaries").string(), "2"};
    command.insert(command.end(), words.begin(), words.end());
    return run_process(command);
  }

  nlohmann::json summary() const {
    std::ifstream in(cache_ / "summaries" / kName / "summary.json");
    return nlohmann::json::parse(in, nullptr, false);
  }

  // 2 to the power of two numbers, on the machine with what was recorded.
  static Observation power(Worker& worker, double a, double b) {
    return worker.run(doing("power"), {tensor(DType::f32, {2}, {a, b})}, {},
                      kAmple);
  }

  fs::path cache_;
  Variable variable_;
};

TEST_F(Recording, HasAllSixteenBitInputs) {
  const std::vector<std::string> names = {"ex2.approx.f16", "tanh.approx.f16",
                                          "ex2.approx.ftz.bf16",
                                          "tanh.approx.bf16"};
  std::vector<std::string> words = {"0", "0"};
  words.insert(words.end(), names.begin(), names.end());
  const Finished first = record(words);
  ASSERT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.output,
              HasSubstr("ex2.approx.f16: 65536 inputs, 0 not correctly "
                        "rounded, at most 0 away, 0 outside"));
  const auto device = worker::RecordedDevice::open(
      worker::recordings_folder() / kName, "sm_90");
  ASSERT_TRUE(device.ok()) << device.error().message;
  for (const std::string& name : names) {
    const auto& i = *worker::find_approximate(name);
    // Subnormal bf16 numbers, which .ftz makes zeros.
    const auto flushed = [&i](std::uint64_t x) {
      return i.ftz && (x & 0x7f80U) == 0 ? x & 0x8000U : x;
    };
    for (std::uint64_t x = 0; x < 65536; ++x) {
      const std::uint64_t right = flushed(ptx::approximate(
          i.function, ptx::Approximation::nominal, flushed(x)));
      ASSERT_EQ((*device)->find(i.function, i.ftz, x, 0), right)
          << name << " " << x;
    }
  }
  ASSERT_EQ(summary()["instructions"].size(), names.size());
  EXPECT_EQ(summary()["device"]["gpu"], "Fake GPU");
  // What is whole is left; what is gone is asked for again.
  fs::remove(worker::recordings_folder() / kName / "tanh.approx.f16.table");
  const auto before = summary();
  const Finished again = record(words);
  EXPECT_THAT(again.output, AllOf(HasSubstr("ex2.approx.f16: recorded already"),
                                  HasSubstr("tanh.approx.f16: 65536 inputs")));
  EXPECT_EQ(summary(), before);
}

TEST_F(Recording, DecidesWhatTheIsaLeavesOpen) {
  SubjectConfig config = planner_on_machine();
  Worker without(config);
  EXPECT_THAT(power(without, 3, 3).depends_on, ElementsAre("ex2.approx.f32"));
  // A device whose ex2 is another function shows whose results these are.
  const Finished done =
      record({kThree, "65536", "ex2.approx.f32"}, "swap=ex2.approx:neg");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(done.output, HasSubstr("65536 outside of the ISA's bound"));
  config.options["recorded"] = kName;
  Worker with(config);
  const auto identity = with.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_EQ(identity->column, "planner@7+recorded=Fake-GPU-sm_90/cuda-sm_90");
  EXPECT_THAT(identity->facts, Contains(Key("recorded")));
  const Observation o = power(with, 3, 3.0001);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(o.depends_on, IsEmpty());
  EXPECT_EQ(o.evidence, Evidence::emulated);
  EXPECT_EQ(numbers(o.outputs[0])[0], -3);
  // Where nothing was recorded the bound counts.
  const Observation beyond = power(with, 3, 5);
  EXPECT_THAT(beyond.depends_on, ElementsAre("ex2.approx.f32"));
  EXPECT_EQ(numbers(beyond.outputs[0])[1], 32);
}

TEST_F(Recording, RecordsOfNobodyAreRefused) {
  SubjectConfig config = planner_on_machine();
  for (const auto& [name, why] : std::map<std::string, std::string>{
           {"None-sm_90", "has no recording of None-sm_90 but of nothing"},
           {"../x", "takes the name of a folder"}}) {
    config.options["recorded"] = name;
    Worker worker(config);
    const auto identity = worker.identify();
    ASSERT_FALSE(identity.ok());
    EXPECT_THAT(identity.error().message, HasSubstr(why));
  }
}

TEST_F(Recording, WrongRequestsAreToldWhy) {
  EXPECT_THAT(record({"7", "0"}).output, HasSubstr("no multiple of 65536"));
  EXPECT_EQ(record({"7", "0"}).exit_code, 2);
  EXPECT_THAT(record({"x", "0"}).output, HasSubstr("'x' is no number"));
  EXPECT_THAT(record({"0", "0", "div.full.f32"}).output,
              HasSubstr("'div.full.f32' is none of ex2.approx.f32"));
  EXPECT_THAT(record({"65536", "0", "ex2.approx.f16"}).output,
              HasSubstr("has 65536 inputs"));
  const Finished none = record({"0", "0"}, "count=0");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.output, HasSubstr("no GPU can be used here"));
}

TEST_F(Recording, ALostDeviceLeavesNoHalfTable) {
  const Finished lost =
      record({"0", "0", "ex2.approx.f16", "tanh.approx.f16"}, "launch=2:700");
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.output, AllOf(HasSubstr("tanh.approx.f16: inputs from 0x0"),
                                 HasSubstr("the same command goes on")));
  std::vector<std::string> there;
  for (const auto& e :
       fs::directory_iterator(worker::recordings_folder() / kName)) {
    there.push_back(e.path().filename().string());
  }
  EXPECT_THAT(there, ElementsAre("ex2.approx.f16.table"));
}

// Only a device of that kind has them.
TEST_F(Recording, LeavesOutWhatTheDeviceDoesNotHave) {
  const Finished some =
      record({"0", "0", "tanh.approx.bf16", "ex2.approx.f16"}, "ptx=218");
  EXPECT_EQ(some.exit_code, 0) << some.output;
  EXPECT_THAT(some.output, HasSubstr("tanh.approx.bf16: left out: loading"));
}

}  // namespace
}  // namespace assay::harness::testing
