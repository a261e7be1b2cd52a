// How fast the PTX machine is: elements per second of a pointwise f32 kernel
// of 20 instructions, with all checks and without.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptx/machine/machine.h"

namespace assay::ptx {
namespace {

const char* const kPointwise = R"(
.version 8.7
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<9>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
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
  ld.global.f32 %f1, [%rd5];
  mul.rn.f32 %f2, %f1, 0f40400000;
  add.rn.f32 %f3, %f2, 0f3F800000;
  abs.f32 %f4, %f1;
  fma.rn.f32 %f5, %f3, %f4, %f2;
  max.f32 %f6, %f5, %f1;
  div.rn.f32 %f7, %f6, %f3;
  cvta.to.global.u64 %rd6, %rd2;
  add.s64 %rd7, %rd6, %rd4;
  st.global.f32 [%rd7], %f7;
$L__BB0_2:
  ret;
}
)";

void Pointwise(benchmark::State& state) {
  constexpr std::size_t kCount = std::size_t{1} << 22;
  std::vector<float> x(kCount, 1.5F);
  std::vector<float> y(kCount);
  Machine machine;
  Arguments a;
  a.add(machine.add_constant("x", std::as_bytes(std::span(x))));
  a.add(machine.add_buffer("y", std::as_writable_bytes(std::span(y)),
                           Contents::undefined));
  a.add(std::uint32_t{kCount});
  auto program = Program::load(kPointwise);
  if (!program) {
    state.SkipWithError(program.error().message.c_str());
    return;
  }
  LaunchOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  options.find_races = state.range(1) != 0;
  for (auto _ : state) {
    auto report = machine.launch(*program, "k", {{kCount / 256}, {256}},
                                 a.bytes(), options);
    if (!report || !report->ok()) state.SkipWithError("the kernel failed");
  }
  state.counters["elements"] = benchmark::Counter(
      static_cast<double>(kCount) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(Pointwise)
    ->ArgNames({"threads", "races"})
    ->Args({2, 1})
    ->Args({1, 1})
    ->Args({1, 0})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Text to something that can be launched: what every small kernel pays.
void Load(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Program::load(kPointwise));
}
BENCHMARK(Load)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay::ptx

BENCHMARK_MAIN();
