// How fast the oracle works out what is right for every input: each of the 26
// functions in f32 and some operations on pairs of f16, by each engine of this
// CPU on all cores, and by MPFR alone on one input in 2^14, in the same run.
//
//   golden_rate [--benchmark_filter=exp] [--benchmark_out=FILE]
//
// `all_inputs_s` is the time for all 2^32 inputs, of MPFR's sample scaled up.
#include <benchmark/benchmark.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "reference/sweep/function_specs.h"
#include "reference/sweep/sweep.h"
#include "suite/language/load.h"

namespace assay::reference {
namespace {

// Blocks of every `stride`-th part of the sweep, by all cores.
std::uint64_t work_out(const Sweep& sweep, const Engine* engine,
                       std::uint64_t stride, std::size_t lanes) {
  const std::uint64_t blocks = sweep.inputs() / kBlock / stride;
  std::atomic<std::uint64_t> next{0}, hard{0};
  const auto work = [&] {
    const auto oracle = SweepOracle::make(sweep, engine);
    if (!oracle) throw std::runtime_error(oracle.error().message);
    const auto out = std::make_unique<BlockResult>();
    constexpr std::uint64_t kAtOnce = 64;
    for (;;) {
      const std::uint64_t begin = next.fetch_add(kAtOnce);
      if (begin >= blocks) break;
      for (std::uint64_t b = begin; b < std::min(begin + kAtOnce, blocks);
           ++b) {
        const Status s =
            (*oracle)->elements(b * stride * kBlock, lanes, out.get());
        if (!s) throw std::runtime_error(s.error().message);
        benchmark::DoNotOptimize(out->rounded[0]);
      }
    }
    hard += (*oracle)->decided_by_mpfr();
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency());
       ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& t : threads) t.join();
  return hard;
}

void measure(benchmark::State& state, const Sweep& sweep,
             const Engine* engine) {
  // 8 inputs of every 256th block make one input in 2^14 for MPFR.
  const std::uint64_t stride = engine != nullptr ? 1 : 256;
  const std::size_t lanes = engine != nullptr ? kBlock : 8;
  std::uint64_t hard = 0;
  double seconds = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    hard = work_out(sweep, engine, stride, lanes);
    const std::chrono::duration<double> d =
        std::chrono::steady_clock::now() - begin;
    seconds = d.count();
    state.SetIterationTime(seconds);
  }
  const double share =
      static_cast<double>(lanes) / static_cast<double>(kBlock * stride);
  const double inputs = static_cast<double>(sweep.inputs());
  state.counters["all_inputs_s"] = seconds / share;
  state.counters["inputs_per_s"] = inputs * share / seconds;
  if (engine != nullptr) state.counters["by_mpfr"] = static_cast<double>(hard);
}

void add(const std::string& name, const Sweep& sweep, const Engine* engine) {
  benchmark::RegisterBenchmark(
      (name + "/" + (engine != nullptr ? engine->name : "mpfr")).c_str(),
      [sweep, engine](benchmark::State& s) { measure(s, sweep, engine); })
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kSecond);
}

void add_all(const language::SpecSet& specs, const std::string& op, DType t) {
  const Result<Sweep> sweep = Sweep::open(specs, {op, t, {}});
  if (!sweep) throw std::runtime_error(sweep.error().message);
  for (const Engine& e : engines()) add(sweep->name(), *sweep, &e);
  add(sweep->name(), *sweep, nullptr);
}

}  // namespace
}  // namespace assay::reference

int main(int argc, char** argv) {
  namespace r = assay::reference;
  for (const std::string& name : r::function_names()) {
    r::add_all(r::function_specs(), name, assay::DType::f32);
  }
  const assay::language::LoadResult loaded =
      assay::language::load_specs(std::string(ASSAY_SOURCE_DIR) + "/specs");
  for (const char* op : {"add", "mul", "div", "pow"}) {
    r::add_all(loaded.specs, op, assay::DType::f16);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
