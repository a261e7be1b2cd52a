// A driver or device that is not there, is too old or misbehaves: each has its
// class and its words, and the run goes on where it can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/process.h"
#include "harness/workers/cuda/cuda_driver.h"
#include "harness/workers/cuda/cuda_testing.h"

namespace assay::harness::testing {
namespace {

using ::testing::HasSubstr;

TEST(CudaColumn, WithoutADeviceSaysWhy) {
  struct Row {
    const char* driver;  // empty: the fake one
    const char* settings;
    const char* words;
  };
  const std::vector<Row> rows = {
      {"/no/such/libcuda.so.1", "", "no CUDA driver: /no/such/libcuda.so.1"},
      {"libm.so.6", "", "has no cuInit: CUDA 11.4 or later is due"},
      {"", "count=0", "does not start: CUDA_ERROR_NO_DEVICE"},
      {"", "init=999", "does not start: CUDA error 999"}};
  for (const Row& row : rows) {
    SubjectConfig config = planner_on_gpu(row.settings);
    if (*row.driver != '\0') {
      config.environment["ASSAY_CUDA_DRIVER"] = row.driver;
    }
    Worker worker(config);
    const auto identity = worker.identify();
    ASSERT_FALSE(identity.ok()) << row.words;
    EXPECT_THAT(identity.error().message, HasSubstr(row.words));
    EXPECT_EQ(run(worker, "negate").kind, Kind::unsupported);
  }
}

TEST(CudaColumn, NeedsTheDevicesOwnTarget) {
  SubjectConfig config = planner_on_gpu();
  config.target = "cuda-sm_90";
  Worker named(config);
  EXPECT_THAT(named.identify().error().message, HasSubstr("called cuda"));
  Worker worker(planner_on_gpu());
  const Observation o = run(worker, "older");
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_THAT(o.detail,
              HasSubstr("the plan is for sm_80, and the device is sm_90"));
  // The planner's code is for sm_90, whatever it is asked for.
  Worker other(planner_on_gpu("sm=100"));
  EXPECT_EQ(other.identify()->column, "planner@7/cuda-sm_100");
  EXPECT_THAT(run(other, "negate").detail, HasSubstr("the device is sm_100"));
}

TEST(CudaColumn, EachErrorOfTheDriverHasItsClass) {
  struct Row {
    const char* settings;
    Kind kind;
    const char* words;
  };
  const std::vector<Row> rows = {
      {"load=222", Kind::unsupported, "fake: this is refused"},
      {"load=209", Kind::unsupported, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {"load=218", Kind::malformed, "CUDA_ERROR_INVALID_PTX"},
      {"load=2", Kind::out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {"load=700", Kind::device_lost, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {"alloc=2", Kind::out_of_memory, "buffer 0 (8 bytes)"},
      {"refuse=701", Kind::crashed, "refuses the launch: CUDA error 701"},
      {"refuse=719", Kind::device_lost, "CUDA_ERROR_LAUNCH_FAILED"},
      {"skip=1", Kind::returned, ""}};
  for (const Row& row : rows) {
    Worker worker(planner_on_gpu(row.settings));
    const Observation o = run(worker, "negate");
    EXPECT_EQ(o.kind, row.kind) << row.settings << ": " << o.detail;
    EXPECT_THAT(o.detail, HasSubstr(row.words)) << row.settings;
  }
}

// A plan is launched twice, so this is the second case's first.
TEST(CudaColumn, GoesOnWithAnotherDeviceProcess) {
  for (const int error : {700, 702, 714, 716, 719, 214, 999}) {
    Worker worker(planner_on_gpu("launch=3:" + std::to_string(error)));
    expect_negates(worker);
    EXPECT_EQ(run(worker, "negate").kind, Kind::device_lost) << error;
    expect_negates(worker);
  }
  Worker worker(planner_on_gpu("launch=3:710"));
  expect_negates(worker);
  EXPECT_EQ(run(worker, "negate").error.exception, "AcceleratorError");
  expect_negates(worker);
}

TEST(CudaColumn, ADeviceThatIsGoneIsNotUnsupported) {
  const std::string file =
      ::testing::TempDir() + "/once-" + std::to_string(getpid());
  for (const char* how : {" launch=3:700", " launch=3:-1"}) {
    std::filesystem::remove(file);
    Worker worker(planner_on_gpu("once=" + file + how));
    expect_negates(worker);
    const Observation last =
        worker.run(doing("negate"), inputs(), {}, milliseconds(1500));
    EXPECT_TRUE(last.kind == Kind::device_lost || last.kind == Kind::timed_out)
        << last.detail;
    for (int i = 0; i < 2; ++i) {
      const Observation o = run(worker, "negate");
      EXPECT_EQ(o.kind, Kind::device_lost) << o.detail;
      EXPECT_THAT(o.detail, HasSubstr("CUDA_ERROR_NO_DEVICE"));
    }
  }
  std::filesystem::remove(file);
}

TEST(CudaColumn, WithoutAContextSaysWhy) {
  Worker full(planner_on_gpu("context=2"));
  EXPECT_EQ(run(full, "negate").kind, Kind::out_of_memory);
  Worker taken(planner_on_gpu("context=46"));
  const Observation o = run(taken, "negate");
  EXPECT_EQ(o.kind, Kind::device_lost);
  EXPECT_THAT(o.detail, HasSubstr("Fake GPU gives no context: CUDA error 46"));
}

TEST(CudaColumn, AKernelWithoutEndIsKilledWithItsProcess) {
  Worker worker(planner_on_gpu("launch=3:-1"));
  expect_negates(worker);
  const Observation o =
      worker.run(doing("negate"), inputs(), {}, milliseconds(1500));
  EXPECT_EQ(o.kind, Kind::timed_out) << o.detail;
  expect_negates(worker);
}

TEST(CudaColumn, AKernelThatDoesNothingIsSeen) {
  Worker worker(planner_on_gpu("skip=1"));
  const Observation o = run(worker, "negate");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(o.breaches,
              ::testing::ElementsAre(HasSubstr("2 of 2 elements were never")));
}

TEST(CudaColumn, AnOldDriverLaunchesNoClusters) {
  SubjectConfig config = planner_on_gpu();
  config.environment["ASSAY_CUDA_DRIVER"] =
      build_file("lib/fake_old_cuda_driver.so");
  Worker worker(config);
  EXPECT_THAT(run(worker, "clusters").detail, HasSubstr("CUDA 11.8"));
  EXPECT_EQ(run(worker, "clusters").kind, Kind::unsupported);
  EXPECT_EQ(run(worker, "cooperates").kind, Kind::returned);
}

TEST(CudaProbe, SaysWhatDeviceThereIs) {
  const std::string set = "ASSAY_CUDA_DRIVER=";
  const std::string worker = build_file("bin/assay-cuda-worker");
  const Finished found =
      run_process({"env", set + build_file("lib/fake_cuda_driver.so"),
                   "ASSAY_FAKE_CUDA=sm=120", worker, "--probe"});
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_THAT(found.output, HasSubstr("\"sm\":\"sm_120\""));
  const Finished none =
      run_process({"env", set + "/no/such.so", worker, "--probe"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.output, HasSubstr("no CUDA driver"));
}

TEST(CudaTarget, SuffixesAreOfTheSameDevice) {
  using worker::cuda::misfit;
  for (const char* target : {"sm_90", "sm_90a"}) {
    EXPECT_FALSE(misfit(target, "sm_90")) << target;
  }
  EXPECT_FALSE(misfit("sm_100f", "sm_100"));
  for (const char* target : {"sm_9", "sm_80", "sm_900", "sm_100a", ""}) {
    EXPECT_TRUE(misfit(target, "sm_90")) << target;
  }
}

}  // namespace
}  // namespace assay::harness::testing
