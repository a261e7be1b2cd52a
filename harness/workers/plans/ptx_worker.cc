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

#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/program_text.h"
#include "harness/subject/child.h"
#include "harness/wire/wire.h"
#include "harness/workers/plans/lint_plan.h"
#include "harness/workers/plans/run_plan.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker {
namespace {

// Whoever asked us has a deadline, and kills us both.
constexpr std::chrono::hours kNoDeadline{24};
constexpr const char* kUnsupported = "unsupported: ";

Failure internal(std::string message) {
  return {"internal", std::move(message)};
}

std::string text_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

// The worker that compiles. Started at hello, and again where it died.
class Compiler {
 public:
  Compiler(std::vector<std::string> command, int shm)
      : command_(std::move(command)), shm_(shm) {}

  // The reply, or why there is none that says "ok".
  Outcome<Json> ask(const Json& request) {
    if (const auto failure = start()) return *failure;
    Exchange exchange = child_->exchange(request, kNoDeadline);
    switch (exchange.kind) {
      case Exchange::Kind::replied:
        break;
      case Exchange::Kind::died:
        return Failure{exchange.out_of_memory ? "out_of_memory" : "died",
                       std::move(exchange.detail)};
      case Exchange::Kind::timed_out:
      case Exchange::Kind::malformed:
        return internal(std::move(exchange.detail));
    }
    if (exchange.reply.value("ok", false)) return std::move(exchange.reply);
    return failure_of(exchange.reply);
  }

  // A new process, greeted so, now and whenever it has to be replaced.
  Outcome<Json> hello(const Json& request) {
    hello_ = request;
    child_.reset();
    if (auto failure = start()) return std::move(*failure);
    return greeted_;
  }

  void drop(std::int64_t handle) {
    if (!child_ || !child_->alive()) return;
    (void)ask({{"verb", "drop"}, {"handle", handle}});
  }

 private:
  static Failure failure_of(const Json& reply) {
    Failure f{text_at(reply, "kind"), text_at(reply, "message"),
              text_at(reply, "exception")};
    f.clause = text_at(reply, "clause");
    const auto classes = reply.find("classes");
    if (classes != reply.end() && classes->is_array()) {
      for (const Json& c : *classes) {
        if (c.is_string()) f.classes.push_back(c.get<std::string>());
      }
    }
    return f;
  }

  // Nothing where there is a process that has said hello.
  std::optional<Failure> start() {
    if (child_ && child_->alive()) return std::nullopt;
    auto started = WorkerChild::start(command_, {}, shm_);
    if (!started) return internal(started.error().message);
    child_ = std::move(*started);
    Outcome<Json> reply = ask(hello_);
    if (auto* failure = std::get_if<Failure>(&reply)) {
      return std::move(*failure);
    }
    greeted_ = std::move(std::get<Json>(reply));
    return std::nullopt;
  }

  std::vector<std::string> command_;
  int shm_;
  std::unique_ptr<WorkerChild> child_;
  Json hello_;    // the request
  Json greeted_;  // the reply to it
};

Json inputs_json(const std::vector<Region>& inputs) {
  Json list = Json::array();
  for (const Region& r : inputs) {
    list.push_back(to_json(Placed{r.type, r.byte_offset, r.storage_offset}));
  }
  return list;
}

// A program that the other worker holds.
class CompiledProgram : public Executable {
 public:
  CompiledProgram(Compiler* compiler, std::int64_t handle)
      : compiler_(compiler), handle_(handle) {}
  ~CompiledProgram() override { compiler_->drop(handle_); }
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;

  std::optional<std::string> explain(const std::string& kind) override {
    const Outcome<Json> reply = compiler_->ask(
        {{"verb", "explain"}, {"handle", handle_}, {"kind", kind}});
    const auto* json = std::get_if<Json>(&reply);
    if (json == nullptr || !json->value("text", Json()).is_string()) {
      return std::nullopt;
    }
    return text_at(*json, "text");
  }

 protected:
  // What its guards have against these inputs.
  std::optional<Failure> check(const std::vector<Region>& inputs) {
    Outcome<Json> checked = compiler_->ask({{"verb", "run"},
                                            {"handle", handle_},
                                            {"inputs", inputs_json(inputs)},
                                            {"outputs", Json::array()},
                                            {"scratch", 0}});
    if (auto* failure = std::get_if<Failure>(&checked)) {
      return std::move(*failure);
    }
    return std::nullopt;
  }

 private:
  Compiler* compiler_;
  std::int64_t handle_;
};

class LintedProgram : public CompiledProgram {
 public:
  LintedProgram(Compiler* compiler, std::int64_t handle, PlanLint lint)
      : CompiledProgram(compiler, handle), lint_(std::move(lint)) {}

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
  PlannedProgram(Compiler* compiler, std::int64_t handle, ExecutablePlan plan)
      : CompiledProgram(compiler, handle), plan_(std::move(plan)) {}

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
  static std::vector<std::vector<std::byte>> contents(
      const std::vector<Region>& inputs) {
    std::vector<std::vector<std::byte>> out;
    for (const Region& r : inputs) {
      const auto bytes = r.type.span() * size_bytes(r.type.dtype);
      out.emplace_back(r.data, r.data + bytes);
    }
    return out;
  }

  // On a copy of the inputs, which `changed` gets back.
  Outcome<PlanRun> execute(std::vector<std::vector<std::byte>> inputs,
                           ptx::Approximation which,
                           const std::vector<Region>* changed) const {
    std::vector<std::span<std::byte>> spans(inputs.begin(), inputs.end());
    Result<PlanRun> run = plan_.run(spans, which);
    if (!run) return internal(run.error().message);
    if (!run->assertion.empty()) {
      // What PyTorch raises where a kernel of CUDA asserts.
      return Failure{
          "refused",
          "CUDA error: device-side assert triggered: " + run->assertion,
          "AcceleratorError",
          {"AcceleratorError", "RuntimeError", "Exception"}};
    }
    if (!run->faults.empty()) return Failure{"died", run->faults.front()};
    if (run->refusal) {
      return Failure{"refused",
                     run->refusal->message,
                     run->refusal->exception,
                     {run->refusal->exception},
                     run->refusal->clause};
    }
    for (std::size_t i = 0; changed != nullptr && i < inputs.size(); ++i) {
      std::memcpy((*changed)[i].data, inputs[i].data(), inputs[i].size());
    }
    return std::move(*run);
  }

  static std::vector<Produced> produced(std::vector<Tensor> tensors) {
    std::vector<Produced> out;
    for (Tensor& t : tensors) {
      TensorType type = t.type;
      out.push_back({std::move(type), [t = std::move(t)](std::byte* to) {
                       std::memcpy(to, t.storage->data(), t.storage->size());
                     }});
    }
    return out;
  }

  ExecutablePlan plan_;
  Alternatives alternatives_;
};

class PtxHandler : public Handler {
 public:
  PtxHandler(Compiler* compiler, bool lints)
      : compiler_(compiler), lints_(lints) {}

  Outcome<Hello> hello(const std::string& target,
                       const Json& options) override {
    if (!target.starts_with("cuda-")) {
      return internal(
          fmt::format("target {} is asked for; the PTX machine stands in for "
                      "targets like cuda-sm_90",
                      target));
    }
    Outcome<Json> answer = compiler_->hello({{"verb", "hello"},
                                             {"protocol", kProtocolVersion},
                                             {"target", target},
                                             {"options", options}});
    if (auto* failure = std::get_if<Failure>(&answer)) {
      return std::move(*failure);
    }
    const Json& reply = std::get<Json>(answer);
    Hello h;
    h.name = text_at(reply, "name");
    h.version = text_at(reply, "version");
    h.device = text_at(reply, "device");
    h.identity = reply.value("identity", Json::object());
    h.slow_compile = reply.value("slow_compile", false);
    h.evidence = lints_ ? "compiled_linted" : "emulated";
    return h;
  }

  Outcome<std::unique_ptr<Executable>> compile(const std::string& program,
                                               const std::string& target,
                                               const Json& options) override {
    Outcome<Json> compiled = compiler_->ask({{"verb", "compile"},
                                             {"program", program},
                                             {"target", target},
                                             {"options", options}});
    if (auto* failure = std::get_if<Failure>(&compiled)) {
      return std::move(*failure);
    }
    const auto handle =
        std::get<Json>(compiled).at("handle").get<std::int64_t>();
    Outcome<std::unique_ptr<Executable>> made =
        lints_ ? linted(handle, program) : planned(handle);
    if (std::holds_alternative<Failure>(made)) compiler_->drop(handle);
    return made;
  }

 private:
  Outcome<std::unique_ptr<Executable>> planned(std::int64_t handle) {
    Outcome<LaunchPlan> plan = plan_of(handle, "launches");
    if (auto* failure = std::get_if<Failure>(&plan)) {
      return std::move(*failure);
    }
    Result<ExecutablePlan> made =
        ExecutablePlan::make(std::move(std::get<LaunchPlan>(plan)));
    if (made) {
      return std::unique_ptr<Executable>(std::make_unique<PlannedProgram>(
          compiler_, handle, std::move(*made)));
    }
    std::string why = made.error().message;
    if (!why.starts_with(kUnsupported)) return internal(std::move(why));
    return Failure{"unsupported", "the PTX machine has no " +
                                      why.substr(std::strlen(kUnsupported))};
  }

  Outcome<std::unique_ptr<Executable>> linted(std::int64_t handle,
                                              const std::string& text) {
    const Result<Program> program = parse_program(text);
    if (!program) return internal(program.error().message);
    Outcome<LaunchPlan> plan = plan_of(handle, "launches+cubin");
    if (std::holds_alternative<Failure>(plan)) {
      plan = plan_of(handle, "launches");
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
        std::make_unique<LintedProgram>(compiler_, handle, std::move(*lint)));
  }

  Outcome<LaunchPlan> plan_of(std::int64_t handle, const char* kind) {
    Outcome<Json> answer = compiler_->ask(
        {{"verb", "explain"}, {"handle", handle}, {"kind", kind}});
    if (auto* failure = std::get_if<Failure>(&answer)) {
      return std::move(*failure);
    }
    const std::string text = text_at(std::get<Json>(answer), "text");
    if (text.empty()) {
      return Failure{"unsupported",
                     "the compiler gives no launch plan (docs/launch-plan.md)"};
    }
    Result<LaunchPlan> plan = read_launch_plan(text);
    if (!plan) return internal(plan.error().message);
    return std::move(*plan);
  }

  Compiler* compiler_;
  bool lints_;
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
  Compiler compiler(std::move(args), descriptors->shm);
  PtxHandler handler(&compiler, lints);
  return serve(*descriptors, handler);
}

}  // namespace
}  // namespace assay::harness::worker

int main(int argc, char** argv) {
  return assay::harness::worker::run(argc, argv);
}
