// assay-eager-worker: LibTorch without a compiler, one column for each level
// of ATEN_CPU_CAPABILITY. Single-threaded, so that sums have one order.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/version.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "harness/workers/eager/eager_program.h"

namespace assay::harness::worker {
namespace {

// The part of at::show_config() that names libraries and their versions. The
// rest is how and where torch was built, which the fact `libtorch` covers.
std::string libraries_of(const std::string& config) {
  return config.substr(0, config.find("  - Build settings:"));
}

// MKL and oneDNN choose kernels by what the processor is, whatever instruction
// set they are told to keep to; what they chose decides results, so it is asked
// for. Of MKL: how often its vector square root is not correctly rounded, which
// tells its kernel for Intel's processors from the generic one.
std::string sqrt_of_blas() {
  constexpr std::int64_t kNumbers = 10000;
  const at::Tensor x = at::linspace(0.5, 2, kNumbers, at::kFloat);
  const at::Tensor wrong =
      at::sqrt(x).ne(at::sqrt(x.to(at::kDouble)).to(at::kFloat));
  return std::to_string(wrong.sum().item<std::int64_t>()) + " of " +
         std::to_string(kNumbers) + " not correctly rounded";
}

// Of oneDNN: does it compute in f16 here?
std::string f16_of_onednn() {
  const auto op = c10::Dispatcher::singleton().findSchema(
      {"mkldnn::_is_mkldnn_fp16_supported", ""});
  if (!op) return "unknown";
  torch::jit::Stack stack;
  op->callBoxed(&stack);
  return stack.at(0).toBool() ? "f16" : "f32";
}

class EagerHandler : public Handler {
 public:
  Outcome<Hello> hello(const std::string& target,
                       const Json& options) override {
    if (target != "cpu") {
      return Failure{"internal", "eager runs on target cpu, not " + target};
    }
    if (!options.empty()) {
      return Failure{"internal",
                     "eager takes no options, but was given " + options.dump()};
    }
    std::string level = at::get_cpu_capability();
    std::transform(level.begin(), level.end(), level.begin(), [](char c) {
      return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    Hello h;
    h.name = "eager";
    h.version = TORCH_VERSION;
    h.device = "cpu-" + level;
    h.identity = {{"torch", TORCH_VERSION},
                  {"cpu_capability", level},
                  {"sqrt", sqrt_of_blas()},
                  {"onednn_f16", f16_of_onednn()},
                  {"blas", libraries_of(at::show_config())}};
    return h;
  }

  Outcome<std::unique_ptr<Executable>> compile(const std::string& program,
                                               const std::string&,
                                               const Json&) override {
    return eager_compile(program);
  }
};

int run(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const auto descriptors = take_descriptors(&args);
  if (!descriptors) return 2;
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
  EagerHandler handler;
  return serve(*descriptors, handler);
}

}  // namespace
}  // namespace assay::harness::worker

int main(int argc, char** argv) {
  return assay::harness::worker::run(argc, argv);
}
