// The bundled compiler's column on a GPU, on the fake driver: the kernels of
// its column without one, and the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/testing/variable.h"
#include "harness/testing/workers.h"

namespace assay::harness::testing {
namespace {

using ::testing::IsEmpty;

class BundledOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = missing_nvrtc(emulated_); !why.empty()) {
      GTEST_SKIP() << "both compile their text by NVRTC: " << why;
    }
  }

  void expect_same(const std::string& lines,
                   const std::vector<Tensor>& inputs) {
    const Observation e = emulated_.run(program(lines), inputs, {}, kAmple);
    const Observation g = gpu_.run(program(lines), inputs, {}, kAmple);
    EXPECT_EQ(e.kind, g.kind) << e.detail << g.detail;
    EXPECT_EQ(e.error.exception, g.error.exception);
    EXPECT_EQ(e.error.clause, g.error.clause);
    EXPECT_THAT(g.breaches, IsEmpty());
    EXPECT_EQ(g.evidence, Evidence::ran);
    ASSERT_EQ(e.outputs.size(), g.outputs.size());
    for (std::size_t k = 0; k < e.outputs.size(); ++k) {
      for (std::int64_t i = 0; i < e.outputs[k].numel(); ++i) {
        EXPECT_EQ(e.outputs[k].bits(i), g.outputs[k].bits(i)) << i;
      }
    }
  }

  Variable driver_{"ASSAY_CUDA_DRIVER", build_file("lib/fake_cuda_driver.so")};
  Worker emulated_{subject("bundled{target=cuda-sm_90}")};
  Worker gpu_{subject("bundled{target=cuda}")};
};

TEST_F(BundledOnGpu, IsTheColumnOfItsSm) {
  const auto identity = gpu_.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_EQ(identity->column, "bundled/cuda-sm_90");
  EXPECT_EQ(identity->column, emulated_.identify()->column);
  EXPECT_EQ(identity->facts.at("gpu"), "Fake GPU");
}

TEST_F(BundledOnGpu, HasTheSameBits) {
  const std::string exp =
      "%0 = input f32[700]\n%1 = aten.exp.default(%0)\nreturn %1\n";
  expect_same(exp, {tensor(DType::f32, {700}, {0.5, -3, 88.9, 1e-40})});
  // Partial sums lie in temporary memory.
  const std::string sum =
      "%0 = input f32[3, 5000]\n"
      "%1 = aten.sum.dim_IntList(%0, [1])\nreturn %1\n";
  expect_same(sum, {tensor(DType::f32, {3, 5000}, {0.1, 0.7, -2.3})});
}

TEST_F(BundledOnGpu, RefusesAsWithoutIt) {
  const std::string lookup =
      "%0 = input f32[3, 2]\n%1 = input i64[2]\n"
      "%2 = aten.embedding.default(%0, %1)\nreturn %2\n";
  for (const double last : {2, 3}) {
    expect_same(lookup, {tensor(DType::f32, {3, 2}, {1, 2, 3}),
                         tensor(DType::i64, {2}, {0, last})});
  }
}

}  // namespace
}  // namespace assay::harness::testing
