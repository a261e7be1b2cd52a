// assay-eager-worker: LibTorch without a compiler, one column for each level
// of ATEN_CPU_CAPABILITY. Single-threaded, so that sums have one order.
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "harness/workers/eager_program.h"

namespace assay::harness::worker {
namespace {

// The part of at::show_config() that names libraries and their versions. The
// rest is how and where torch was built, which the fact `libtorch` covers.
std::string libraries_of(const std::string& config) {
  return config.substr(0, config.find("  - Build settings:"));
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
