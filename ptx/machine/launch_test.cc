// Whole kernels: parameters, guards, loops, blocks over threads.
#include <numeric>

#include "ptx/testing/testing.h"

namespace assay::ptx::testing {
namespace {

const char* const kAxpy = R"(
.version 8.7
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $L__BB0_2;
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.s32 %rd4, %r5, 4;
  add.s64 %rd5, %rd3, %rd4;
  ld.global.f32 %f2, [%rd5];
  cvta.to.global.u64 %rd6, %rd2;
  add.s64 %rd7, %rd6, %rd4;
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
$L__BB0_2:
  ret;
}
)";

TEST(Launch, RunsAPointwiseKernelOnAnyNumberOfThreads) {
  for (unsigned threads : {1U, 2U, 5U}) {
    constexpr std::size_t kCount = 100'003;
    std::vector<float> x(kCount);
    std::vector<float> y(kCount, 1);
    std::iota(x.begin(), x.end(), 0.0F);
    Machine machine;
    auto program = Program::load(kAxpy);
    ASSERT_TRUE(program) << program.error().message;
    Arguments a;
    a.add(machine.add_constant("x", bytes_of_vector(x)));
    a.add(machine.add_buffer("y", bytes_of_vector(y), Contents::defined));
    a.add(2.0F).add(std::uint32_t{kCount});
    LaunchOptions options;
    options.threads = threads;
    auto report = machine.launch(*program, "k", {{(kCount + 127) / 128}, {128}},
                                 a.bytes(), options);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->ok()) << report->faults[0].text();
    for (std::size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(y[i], 2 * static_cast<float>(i) + 1) << i;
  }
}

TEST(Launch, RefusesWhatDoesNotFit) {
  Machine machine;
  auto program = Program::load(kAxpy);
  ASSERT_TRUE(program) << program.error().message;
  Arguments a;
  a.add(std::uint64_t{0});
  auto refused = [&](const std::string& entry, const LaunchShape& shape) {
    auto r = machine.launch(*program, entry, shape, a.bytes());
    return r ? std::string("ran") : r.error().message;
  };
  EXPECT_NE(refused("other", {}).find("no entry other"), std::string::npos);
  EXPECT_NE(refused("k", {{1}, {2048}}).find("1024"), std::string::npos);
  EXPECT_NE(refused("k", {{1}, {0}}).find("1024"), std::string::npos);
  EXPECT_NE(refused("k", {{1}, {32}, 300'000}).find("227"), std::string::npos);
  EXPECT_NE(refused("k", {}).find("24 bytes of arguments"), std::string::npos);
}

TEST(Launch, NamesWhatItDoesNotSupport) {
  auto program =
      Program::load(kernel(".reg .b64 %rd1;\n ld.param.u64 %rd1, [p0];\n"
                           " wgmma.fence.sync.aligned;\n ret;"));
  ASSERT_TRUE(program) << program.error().message;
  Status status = program->check("k");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "unsupported: wgmma.fence.sync.aligned (PTX line 8)");
}

}  // namespace
}  // namespace assay::ptx::testing
