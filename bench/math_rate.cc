// How fast the math text is: each f32 function over an array that fits in the
// first cache, as the system's compilers make it for this machine's targets,
// beside libm called for each element, in the same run.
//
//   math_rate [--benchmark_filter=/exp/] [--benchmark_out=FILE]
//
// `ns` is the time for an element.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/library/target.h"
#include "compiler/library/toolchain.h"
#include "compiler/math/math.h"
#include "compiler/text/cpp/render.h"

namespace assay::compiler {
namespace {

constexpr int kCount = 4096;

struct Function {
  const char* name;
  float lo, hi;  // ordinary arguments
  float (*libm)(float);
};

// Where libm has no such function, what one would write with it.
constexpr Function kFunctions[] = {
    {"exp", -10, 10, [](float x) { return std::exp(x); }},
    {"exp2", -10, 10, [](float x) { return std::exp2(x); }},
    {"expm1", -10, 10, [](float x) { return std::expm1(x); }},
    {"log", 0.01F, 10, [](float x) { return std::log(x); }},
    {"log2", 0.01F, 10, [](float x) { return std::log2(x); }},
    {"log10", 0.01F, 10, [](float x) { return std::log10(x); }},
    {"log1p", 0, 10, [](float x) { return std::log1p(x); }},
    {"tanh", -4, 4, [](float x) { return std::tanh(x); }},
    {"sigmoid", -8, 8, [](float x) { return 1 / (1 + std::exp(-x)); }},
    {"silu", -8, 8, [](float x) { return x / (1 + std::exp(-x)); }},
    {"silu_narrow", -8, 8, [](float x) { return x / (1 + std::exp(-x)); }},
    {"mish", -8, 8,
     [](float x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {"erf", -3, 3, [](float x) { return std::erf(x); }},
    {"erfc", -3, 5, [](float x) { return std::erfc(x); }},
    {"gelu", -4, 4,
     [](float x) { return x * 0.5F * std::erfc(x * -0.70710678F); }},
    {"gelu_f16", -4, 4,
     [](float x) { return x * 0.5F * std::erfc(x * -0.70710678F); }},
    {"gelu_tanh", -4, 4,
     [](float x) {
       const float u = 0.79788456F * (x + 0.044715F * x * x * x);
       return 0.5F * x * (1 + std::tanh(u));
     }},
    {"rsqrt", 0.1F, 10, [](float x) { return 1 / std::sqrt(x); }},
    {"sin", -10, 10, [](float x) { return std::sin(x); }},
    {"cos", -10, 10, [](float x) { return std::cos(x); }},
    {"tan", -10, 10, [](float x) { return std::tan(x); }},
    {"asin", -1, 1, [](float x) { return std::asin(x); }},
    {"acos", -1, 1, [](float x) { return std::acos(x); }},
    {"atan", -4, 4, [](float x) { return std::atan(x); }},
    {"sinh", -4, 4, [](float x) { return std::sinh(x); }},
    {"cosh", -4, 4, [](float x) { return std::cosh(x); }},
    {"asinh", -4, 4, [](float x) { return std::asinh(x); }},
    {"acosh", 1, 5, [](float x) { return std::acosh(x); }},
    {"atanh", -1, 1, [](float x) { return std::atanh(x); }},
    {"erfcx", -3, 5, [](float x) { return std::exp(x * x) * std::erfc(x); }},
    {"lgamma", -4, 10, [](float x) { return std::lgamma(x); }},
};

// The files that functions of f32 need, in the order in which they must stand.
constexpr const char* kFiles[] = {
    "basic",          "exp_f32",     "log_f32",  "log_short",
    "rsqrt",          "trig_f32",    "atan_f32", "erf_f32",
    "hyperbolic_f32", "sigmoid_f32", "tanh_f32", "inverse_hyperbolic_f32",
    "gelu_f32",       "lgamma_f32"};

std::string loop_over(const Function& f) {
  std::string text;
  for (const char* file : kFiles) text += math_text(file);
  return text +
         fmt::format(
             "static void k(void* const* b, const long*, long, long end) {{\n"
             "  const float* __restrict x = (const float*)b[0];\n"
             "  float* __restrict y = (float*)b[1];\n"
             "  for (long i = 0; i < end; ++i) y[i] = a_{}(x[i]);\n}}\n"
             "typedef void (*kernel)(void* const*, const long*, long, long);\n"
             "extern \"C\" __attribute__((visibility(\"default\")))\n"
             "const kernel {}[] = {{k, 0}};\n",
             f.name, kEntryName);
}

std::vector<float> arguments(const Function& f) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> draw(f.lo, f.hi);
  std::vector<float> x(kCount);
  for (float& v : x) v = draw(random);
  return x;
}

// The inverse of a rate is a time.
void report(benchmark::State& state) {
  state.counters["ns"] = benchmark::Counter(
      1e-9 * kCount * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void run_text(benchmark::State& state, const Function& f,
              const ToolchainOptions& options) {
  const auto library = load_kernels(loop_over(f), options);
  if (!library.ok()) {
    state.SkipWithError(library.error().message.c_str());
    return;
  }
  std::vector<float> x = arguments(f);
  std::vector<float> y(kCount);
  void* const buffers[] = {x.data(), y.data()};
  for (auto _ : state) {
    (*library)->kernels()[0](buffers, nullptr, 0, kCount);
    benchmark::ClobberMemory();
  }
  report(state);
}

void run_libm(benchmark::State& state, const Function& f) {
  const std::vector<float> x = arguments(f);
  std::vector<float> y(kCount);
  for (auto _ : state) {
    for (int i = 0; i < kCount; ++i) {
      y[static_cast<std::size_t>(i)] = f.libm(x[static_cast<std::size_t>(i)]);
    }
    benchmark::ClobberMemory();
  }
  report(state);
}

void register_all() {
  for (const Function& f : kFunctions) {
    for (const Target& target : machine_targets()) {
      if (target.name == "cpu-baseline") continue;
      for (const std::string& compiler : system_compilers()) {
        ToolchainOptions options;
        options.compiler = compiler;
        options.march = target.march;
        benchmark::RegisterBenchmark(
            fmt::format("/{}/{}/{}", f.name, target.name, compiler).c_str(),
            [&f, options](benchmark::State& s) { run_text(s, f, options); });
      }
    }
    benchmark::RegisterBenchmark(fmt::format("/{}/libm", f.name).c_str(),
                                 [&f](benchmark::State& s) { run_libm(s, f); });
  }
}

}  // namespace
}  // namespace assay::compiler

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  assay::compiler::register_all();
  benchmark::RunSpecifiedBenchmarks();
}
