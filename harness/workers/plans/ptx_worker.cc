// A subject that executes another subject's launch plans on the PTX machine:
//
//   assay-ptx-worker [--lint] PROGRAM [ARGUMENT...] --socket-fd N --shm-fd N
//
// PROGRAM is a worker of its own (docs/subject-protocol.md) that compiles for
// the target and says what it would launch (docs/launch-plan.md). It sees the
// same shared memory, and checks what its guards check about the inputs; what
// follows is executed here. With --lint nothing is executed: the code is looked
// at (docs/ptx-lint.md), and a run answers with what was found.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/program_text.h"
#include "harness/wire/wire.h"
#include "harness/workers/approximate/recorded_device.h"
#include "harness/workers/plans/compiled_program.h"
#include "harness/workers/plans/emulated_plan.h"
#include "harness/workers/plans/lint_plan.h"
#include "harness/workers/plans/run_plan.h"
#include "harness/workers/plans/sibling.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker {
namespace {

constexpr const char* kUnsupported = "unsupported: ";
constexpr const char* kTargetPrefix = "cuda-";
// The option that names the device whose recorded results count.
constexpr const char* kRecorded = "recorded";

class LintedProgram : public CompiledProgram {
 public:
  LintedProgram(Sibling* compiler, Compiled compiled, PlanLint lint)
      : CompiledProgram(compiler, std::move(compiled)),
        lint_(std::move(lint)) {}

  Outcome<std::vector<Produced>> run(const std::vector<Region>& inputs,
                                     const std::vector<Region>&) override {
    if (auto failure = check(inputs)) return std::move(*failure);
    return std::vector<Produced>();
  }

  std::optional<std::vector<std::string>> lint() override {
    constexpr std::size_t kLines = 8;
    return ptx::summary(lint_.findings, kLines);
  }

  // "lint": all of it, and what each kernel takes.
  std::optional<std::string> explain(const std::string& kind) override {
    if (kind != "lint") return CompiledProgram::explain(kind);
    std::string text;
    for (const std::string& line :
         ptx::summary(lint_.findings, lint_.findings.size())) {
      text += line + "\n";
    }
    for (const std::string& line : lint_.resources) text += line + "\n";
    return text;
  }

 private:
  PlanLint lint_;
};

class PlannedProgram : public CompiledProgram {
 public:
  PlannedProgram(Sibling* compiler, Compiled compiled, EmulatedPlan plan,
                 const ptx::RecordedResults* recorded)
      : CompiledProgram(compiler, std::move(compiled)),
        plan_(std::move(plan)),
        recorded_(recorded) {}

  Outcome<std::vector<Produced>> run(const std::vector<Region>& inputs,
                                     const std::vector<Region>&) override {
    alternatives_ = {};
    if (auto failure = check(inputs)) return std::move(*failure);
    const std::vector<std::vector<std::byte>> before = contents(inputs);
    Outcome<PlanRun> nominal =
        execute(before, ptx::Approximation::nominal, &inputs);
    if (auto* failure = std::get_if<Failure>(&nominal)) {
      return std::move(*failure);
    }
    PlanRun& run = std::get<PlanRun>(nominal);
    if (!run.approximate.empty()) {
      for (const auto which :
           {ptx::Approximation::lowest, ptx::Approximation::highest}) {
        Outcome<PlanRun> other = execute(before, which, nullptr);
        if (auto* failure = std::get_if<Failure>(&other)) {
          return std::move(*failure);
        }
        alternatives_.outputs.push_back(
            produced(std::move(std::get<PlanRun>(other).outputs)));
      }
      alternatives_.depends_on = {run.approximate.begin(),
                                  run.approximate.end()};
    }
    return produced(std::move(run.outputs));
  }

  Alternatives take_alternatives() override {
    return std::exchange(alternatives_, {});
  }

 private:
  // On a copy of the inputs, which `changed` gets back.
  Outcome<PlanRun> execute(std::vector<std::vector<std::byte>> inputs,
                           ptx::Approximation which,
                           const std::vector<Region>* changed) const {
    std::vector<std::span<std::byte>> spans(inputs.begin(), inputs.end());
    Result<PlanRun> run = plan_.run(spans, which, recorded_);
    if (!run) return internal(run.error().message);
    if (auto failure = failure_of(*run)) return std::move(*failure);
    for (std::size_t i = 0; changed != nullptr && i < inputs.size(); ++i) {
      std::memcpy((*changed)[i].data, inputs[i].data(), inputs[i].size());
    }
    return std::move(*run);
  }

  EmulatedPlan plan_;
  const ptx::RecordedResults* recorded_;  // null: none
  Alternatives alternatives_;
};

class PtxHandler : public Handler {
 public:
  PtxHandler(Sibling* compiler, bool lints)
      : compiler_(compiler), lints_(lints) {}

  Outcome<Hello> hello(const std::string& target,
                       const Json& options) override {
    if (!target.starts_with(kTargetPrefix)) {
      return internal(
          fmt::format("target {} is asked for; the PTX machine stands in for "
                      "targets like cuda-sm_90",
                      target));
    }
    if (const Status there = take_recording(target, options); !there) {
      return Failure{"unsupported", there.error().message};
    }
    Outcome<Json> answer = compiler_->hello(target, compilers(options));
    if (auto* failure = std::get_if<Failure>(&answer)) {
      return std::move(*failure);
    }
    Hello h = hello_of(std::get<Json>(answer));
    h.evidence = lints_ ? "compiled_linted" : "emulated";
    if (recorded_ != nullptr) {
      h.identity["recorded"] = recorded_->device();
      h.identity["recorded_instructions"] = recorded_->instructions();
    }
    return h;
  }

  Outcome<std::unique_ptr<Executable>> compile(const std::string& program,
                                               const std::string& target,
                                               const Json& options) override {
    Outcome<Compiled> answer =
        compiler_->compile(program, target, compilers(options));
    if (auto* failure = std::get_if<Failure>(&answer)) {
      return std::move(*failure);
    }
    const auto& compiled = std::get<Compiled>(answer);
    Outcome<std::unique_ptr<Executable>> made =
        lints_ ? linted(compiled, program) : planned(compiled);
    if (std::holds_alternative<Failure>(made)) {
      compiler_->drop(compiled.handle);
    }
    return made;
  }

 private:
  // The machine's own option is not the compiler's.
  static Json compilers(Json options) {
    options.erase(kRecorded);
    return options;
  }

  Status take_recording(const std::string& target, const Json& options) {
    const auto name = options.find(kRecorded);
    if (name == options.end() || lints_) return success();
    const std::string device = name->is_string() ? *name : "";
    if (device.empty() || device.find('/') != std::string::npos) {
      return Error{
          "recorded=NAME takes the name of a folder in the cache's "
          "approximate/, NVIDIA-H100-80GB-HBM3-sm_90, say"};
    }
    auto opened =
        RecordedDevice::open(recordings_folder() / device,
                             target.substr(std::strlen(kTargetPrefix)));
    if (!opened) return opened.error();
    recorded_ = std::move(*opened);
    return success();
  }

  Outcome<std::unique_ptr<Executable>> planned(const Compiled& compiled) {
    Outcome<LaunchPlan> plan = plan_of(compiled.handle, "launches");
    if (auto* failure = std::get_if<Failure>(&plan)) {
      return std::move(*failure);
    }
    Result<EmulatedPlan> made =
        EmulatedPlan::make(std::move(std::get<LaunchPlan>(plan)));
    if (made) {
      return std::unique_ptr<Executable>(std::make_unique<PlannedProgram>(
          compiler_, compiled, std::move(*made), recorded_.get()));
    }
    std::string why = made.error().message;
    if (!why.starts_with(kUnsupported)) return internal(std::move(why));
    return Failure{"unsupported", "the PTX machine has no " +
                                      why.substr(std::strlen(kUnsupported))};
  }

  Outcome<std::unique_ptr<Executable>> linted(const Compiled& compiled,
                                              const std::string& text) {
    const Result<Program> program = parse_program(text);
    if (!program) return internal(program.error().message);
    Outcome<LaunchPlan> plan = plan_of(compiled.handle, "launches+cubin");
    if (std::holds_alternative<Failure>(plan)) {
      plan = plan_of(compiled.handle, "launches");
    }
    if (auto* failure = std::get_if<Failure>(&plan)) {
      return std::move(*failure);
    }
    Result<PlanLint> lint = lint_plan(std::get<LaunchPlan>(plan), *program);
    if (!lint) {
      return Failure{"unsupported", "the lint does not understand the code: " +
                                        lint.error().message};
    }
    return std::unique_ptr<Executable>(
        std::make_unique<LintedProgram>(compiler_, compiled, std::move(*lint)));
  }

  Outcome<LaunchPlan> plan_of(std::int64_t handle, const char* kind) {
    Outcome<std::string> text = plan_text(compiler_, handle, kind);
    if (auto* failure = std::get_if<Failure>(&text)) {
      return std::move(*failure);
    }
    Result<LaunchPlan> plan = read_launch_plan(std::get<std::string>(text));
    if (!plan) return internal(plan.error().message);
    return std::move(*plan);
  }

  Sibling* compiler_;
  bool lints_;
  std::unique_ptr<RecordedDevice> recorded_;
};

int run(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const auto descriptors = take_descriptors(&args);
  const bool lints = !args.empty() && args.front() == "--lint";
  if (lints) args.erase(args.begin());
  if (!descriptors || args.empty()) {
    fmt::print(stderr,
               "usage: assay-ptx-worker [--lint] PROGRAM [ARGUMENT...] "
               "--socket-fd N --shm-fd N\n");
    return 2;
  }
  Sibling compiler(std::move(args), descriptors->shm);
  PtxHandler handler(&compiler, lints);
  return serve(*descriptors, handler);
}

}  // namespace
}  // namespace assay::harness::worker

int main(int argc, char** argv) {
  return assay::harness::worker::run(argc, argv);
}
