#include "harness/subject/gpu.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/process.h"
#include "harness/subject/places.h"

namespace assay::harness {

Result<Gpu> gpu_of_this_machine() {
  const Result<std::string> worker = find_program(kCudaWorker);
  if (!worker) return worker.error();
  const Finished probe = run_process({*worker, "--probe"}, Collect::output);
  const std::string said = probe.output.substr(0, probe.output.find('\n'));
  const auto facts = nlohmann::json::parse(said, nullptr, false);
  if (probe.exit_code == 0 && facts.is_object()) {
    return Gpu{facts.value("sm", ""), facts.value("gpu", ""),
               facts.value("driver", "")};
  }
  return Error{!said.empty() ? said
                             : fmt::format("{} --probe ended with code {}",
                                           *worker, probe.exit_code)};
}

}  // namespace assay::harness
