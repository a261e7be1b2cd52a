#include "harness/workers/plans/lint_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/workers/plans/lint_expectation.h"
#include "ptx/lint/cubin.h"
#include "ptx/lint/ptx_lint.h"
#include "ptx/lint/sass_lint.h"
#include "ptx/text/parser.h"

namespace assay::harness::worker {
namespace {

std::string resources_of(const ptx::CubinKernel& kernel, int sm) {
  const auto spilled = [&](ptx::SassKind kind) {
    return std::count_if(kernel.code.begin(), kernel.code.end(),
                         [&](const ptx::SassWord& word) {
                           return ptx::decode(word, sm).kind == kind;
                         });
  };
  return fmt::format(
      "{}: {} registers, {} bytes of local memory ({} stores, {} loads), {} "
      "bytes of shared memory, {} instructions",
      kernel.name, kernel.registers, kernel.local_bytes,
      spilled(ptx::SassKind::store_local), spilled(ptx::SassKind::load_local),
      kernel.shared_bytes, kernel.code.size());
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

Status lint_cubin(const PlanCubin& made, const ptx::Module& module,
                  const std::string& target, PlanLint* out) {
  if (!made.error.empty()) {
    out->findings.push_back({ptx::Rule::no_machine_code, 0, "",
                             std::string(first_line(made.error))});
    return success();
  }
  const Result<ptx::Cubin> cubin =
      ptx::read_cubin({reinterpret_cast<const char*>(made.content.data()),
                       made.content.size()});
  if (!cubin.ok()) return cubin.error();
  for (ptx::Finding& f : ptx::lint_machine_code(module, *cubin, target)) {
    out->findings.push_back(std::move(f));
  }
  for (const ptx::CubinKernel& kernel : cubin->kernels) {
    out->resources.push_back(resources_of(kernel, cubin->sm));
  }
  return success();
}

}  // namespace

Result<PlanLint> lint_plan(const LaunchPlan& plan, const Program& program) {
  std::vector<ptx::Module> modules;
  PlanLint out;
  for (const std::string& text : plan.modules) {
    Result<ptx::Module> module = ptx::parse_module(text);
    if (!module.ok()) return module.error();
    if (auto wrong = ptx::lint_target(*module, plan.target)) {
      out.findings.push_back(std::move(*wrong));
    }
    modules.push_back(std::move(*module));
  }
  for (ptx::Finding& f : ptx::lint(modules, expectation_of(program))) {
    out.findings.push_back(std::move(f));
  }
  for (const PlanCubin& cubin : plan.cubins) {
    const Status linted =
        lint_cubin(cubin, modules.at(cubin.module), plan.target, &out);
    if (!linted.ok()) return linted.error();
  }
  return out;
}

}  // namespace assay::harness::worker
