// assay.e8m0_encode of every float without a sign on the PTX machine: by the
// instruction where the target has it, by bits elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "compiler/math/math.h"
#include "compiler/testing/cuda_testing.h"
#include "compiler/testing/emulate.h"

namespace assay::compiler {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 18;

void expect_all_codes(const std::string& target) {
  const auto artifact =
      compiled(parsed("%0 = input f32[" + std::to_string(kChunk) +
                      "]\n%1 = assay.e8m0_encode(%0)\nreturn %1\n"),
               for_cuda(target));
  ASSERT_NE(artifact, nullptr);
  const std::string plan = artifact->explain("launches");
  Tensor x = Tensor::zeros(DType::f32, {kChunk});
  std::vector<std::byte> expected(static_cast<std::size_t>(kChunk));
  for (std::uint64_t start = 0; start < (std::uint64_t{1} << 31);
       start += kChunk) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto bits = static_cast<std::uint32_t>(start + i);
      std::memcpy(x.storage->data() + 4 * i, &bits, sizeof bits);
      expected[i] = std::byte{math::a_e8m0_encode(math::a_float(bits))};
    }
    const Emulated run = emulate(plan, {x}, Races::not_looked_for);
    ASSERT_TRUE(run.faults.empty()) << run.faults.front();
    const auto& got = *run.outputs[0].storage;
    const auto differs =
        std::mismatch(got.begin(), got.end(), expected.begin());
    ASSERT_EQ(differs.first, got.end())
        << target << ": pattern "
        << start + static_cast<std::uint64_t>(differs.first - got.begin());
  }
}

TEST(E8m0, EveryFloatByInstruction) {
  ASSAY_NEEDS_NVRTC();
  const std::vector<std::string> targets = tested_targets();
  if (std::find(targets.begin(), targets.end(), "sm_100f") == targets.end()) {
    GTEST_SKIP() << "this NVRTC has no target sm_100f";
  }
  expect_all_codes("sm_100f");
}

TEST(E8m0, EveryFloatByBits) {
  ASSAY_NEEDS_NVRTC();
  expect_all_codes("sm_90");
}

}  // namespace
}  // namespace assay::compiler
