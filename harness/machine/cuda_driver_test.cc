#include "harness/machine/cuda_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/testing/variable.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;

const std::string kFake = ASSAY_BINARY_DIR "/lib/fake_driver.so";

TEST(CudaDriver, NamesItsDevices) {
  const Variable named("ASSAY_CUDA_DRIVER", kFake);
  const Result<CudaDriver> driver = find_cuda_driver();
  ASSERT_TRUE(driver.ok()) << driver.error().message;
  EXPECT_EQ(driver->version, "12.8");
  ASSERT_EQ(driver->devices.size(), 2u);
  EXPECT_EQ(driver->devices[0].name, "Alpha");
  EXPECT_EQ(driver->devices[0].sm, "sm_90");
  EXPECT_EQ(driver->devices[1].sm, "sm_121");
}

TEST(CudaDriver, SaysWhyThereIsNone) {
  const auto why = [](const std::string& library) {
    const Result<CudaDriver> driver = find_cuda_driver(library);
    return driver.ok() ? std::string() : driver.error().message;
  };
  EXPECT_THAT(why("libnone.so.1"), HasSubstr("libnone.so.1"));
  EXPECT_THAT(why("libm.so.6"), HasSubstr("lacks functions"));
  const Variable empty("FAKE_DRIVER", "empty");
  EXPECT_THAT(why(kFake), HasSubstr("no device"));
}

}  // namespace
}  // namespace assay::harness
