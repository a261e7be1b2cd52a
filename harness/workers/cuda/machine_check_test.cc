// What counts as the same value on the PTX machine and on the hardware. The
// plan copies, so the bits on the machine are those of the input; the bits on
// the device are made up.
#include "harness/workers/cuda/machine_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/dtype.h"
#include "core/tensor.h"
#include "harness/workers/plans/launch_plan.h"

namespace assay::harness::worker::cuda {
namespace {

using ::testing::HasSubstr;
using Outcome = MachineCheck::Outcome;
using Bits = std::vector<std::uint64_t>;

Tensor tensor_of(DType dtype, const Bits& bits) {
  Tensor out = Tensor::zeros(dtype, {static_cast<std::int64_t>(bits.size())});
  for (std::size_t i = 0; i < bits.size(); ++i) {
    out.set_bits(static_cast<std::int64_t>(i), bits[i]);
  }
  return out;
}

LaunchPlan copying(const Tensor& x) {
  Result<LaunchPlan> plan = read_launch_plan(fmt::format(
      R"({{"plan": 1, "target": "sm_90", "modules": [],
      "buffers": [{{"kind": "input", "index": 0}},
                  {{"kind": "output", "bytes": {0}}}],
      "launches": [{{"copy": {{"from": {{"buffer": 0}}, "to": {{"buffer": 1}},
                               "bytes": {0}}}}}],
      "outputs": [{{"buffer": 1, "dtype": "{1}", "sizes": [{2}],
                    "strides": [1]}}]}})",
      x.storage->size(), dtype_name(x.dtype()), x.numel()));
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return plan ? std::move(*plan) : LaunchPlan();
}

MachineCheck check(DType dtype, const Bits& machine, const Bits& device) {
  const Tensor x = tensor_of(dtype, machine);
  return check_machine(copying(x), {*x.storage}, {tensor_of(dtype, device)});
}

TEST(MachineCheck, ANaNIsANaNInEveryFormat) {
  struct Format {
    DType dtype;
    std::uint64_t quiet, other;
  };
  for (const Format& f :
       {Format{DType::f64, 0x7fffffffffffffff, 0xfff8000000000000},
        Format{DType::f32, 0x7fffffff, 0x7fc00000},
        Format{DType::f16, 0x7fff, 0xfe00}, Format{DType::bf16, 0x7fff, 0xffc0},
        Format{DType::f8e5m2, 0x7f, 0xfe},
        Format{DType::f8e4m3fn, 0x7f, 0xff}}) {
    SCOPED_TRACE(dtype_name(f.dtype));
    const MachineCheck found =
        check(f.dtype, {f.quiet, 0, f.quiet}, {f.other, 0, f.quiet});
    EXPECT_EQ(found.outcome, Outcome::same) << found.detail;
    EXPECT_EQ(found.elements, 3);
    EXPECT_EQ(found.differing, 0);
    EXPECT_EQ(found.payloads, 1);
    EXPECT_EQ(to_json(found, LaunchPlan()).at("payloads"), 1);
  }
}

TEST(MachineCheck, ANaNIsNoNumber) {
  const MachineCheck found =
      check(DType::f32, {0x7fffffff, 0x7f800000}, {0x7fc00000, 0x7f800001});
  EXPECT_EQ(found.outcome, Outcome::differs);
  EXPECT_EQ(found.differing, 1);
  EXPECT_EQ(found.payloads, 1);
  EXPECT_THAT(found.detail, HasSubstr("element 1: 0x7f800000 on the machine, "
                                      "0x7f800001 on the device"));
  EXPECT_EQ(check(DType::f8e4m3fn, {0x7e}, {0x7f}).outcome, Outcome::differs);
}

TEST(MachineCheck, OtherBitsAreExact) {
  const MachineCheck zeros = check(DType::f32, {0}, {0x80000000});
  EXPECT_EQ(zeros.outcome, Outcome::differs);
  for (const DType dtype : {DType::i32, DType::u32}) {
    const MachineCheck found = check(dtype, {0x7fffffff}, {0x7fc00000});
    EXPECT_EQ(found.outcome, Outcome::differs);
    EXPECT_EQ(found.differing, 1);
    EXPECT_EQ(found.payloads, 0);
  }
}

}  // namespace
}  // namespace assay::harness::worker::cuda
