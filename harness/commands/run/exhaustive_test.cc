// assay exhaustive on columns of GPUs: emulated, on a (fake) device, and on one
// that is lost on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/testing/command.h"
#include "harness/testing/variable.h"
#include "harness/testing/workers.h"

namespace assay::harness {
namespace {

using testing::build_file;
using testing::CommandResult;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ExhaustiveOnGpus : public ::testing::Test {
 protected:
  ExhaustiveOnGpus() { fs::remove_all(dir_); }
  ~ExhaustiveOnGpus() override { fs::remove_all(dir_); }

  void SetUp() override {
    Worker compiler(testing::subject("bundled{target=cuda-sm_90}"));
    if (const auto why = testing::missing_nvrtc(compiler); !why.empty()) {
      GTEST_SKIP() << "sweeps of CUDA text need NVRTC: " << why;
    }
  }

  CommandResult sweep(const std::string& subject,
                      const std::string& op = "exp") const {
    return testing::run_command(
        {build_file("bin/assay"), "exhaustive", op, "--dtype", "bf16",
         "--length", "16384", "--jobs", "1", "--json", "--subject", subject,
         "--out", dir_.string()},
        {});
  }

  static nlohmann::json row(const CommandResult& r) {
    return nlohmann::json::parse(r.out, nullptr, false);
  }

  fs::path dir_ =
      fs::path(::testing::TempDir()) / ("sweep-" + std::to_string(getpid()));
  Variable driver_{"ASSAY_CUDA_DRIVER", build_file("lib/fake_cuda_driver.so")};
};

TEST_F(ExhaustiveOnGpus, HasEveryInputOfAnEmulatedColumn) {
  const CommandResult r = sweep("bundled{target=cuda-sm_90}");
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_EQ(row(r)["column"], "bundled/cuda-sm_90");
  EXPECT_EQ(row(r)["complete"], true);
  EXPECT_EQ(row(r)["inputs"], 65536);
  EXPECT_EQ(row(r)["broken"], 0);
}

TEST_F(ExhaustiveOnGpus, AsksALostDeviceAgain) {
  // Every process loses it in the same launch, after some blocks.
  const Variable fake("ASSAY_FAKE_CUDA", "launch=5:700");
  const CommandResult r = sweep("bundled{target=cuda}");
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_EQ(row(r)["complete"], true);
  EXPECT_EQ(row(r)["inputs"], 65536);
}

TEST_F(ExhaustiveOnGpus, SaysThatADeviceIsGone) {
  const Variable fake("ASSAY_FAKE_CUDA", "launch=1:700");
  const CommandResult r = sweep("bundled{target=cuda}");
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_EQ(row(r)["complete"], false);
  EXPECT_THAT(row(r).value("fault", ""), HasSubstr("device lost: run: "));
  // The same command goes on where that has passed.
  const Variable well("ASSAY_FAKE_CUDA", "");
  EXPECT_EQ(sweep("bundled{target=cuda}").exit_code, 0);
}

}  // namespace
}  // namespace assay::harness
