// A subject that executes another subject's launch plans on a GPU:
//
//   assay-cuda-worker [--compare FILE] PROGRAM [ARGUMENT...]
//     --socket-fd N --shm-fd N
//   assay-cuda-worker --probe
//   assay-cuda-worker --record ... (record_approximate.h)
//
// PROGRAM is a worker of its own (docs/subject-protocol.md) that compiles for
// the device's target and says what it would launch (docs/launch-plan.md). With
// --compare each plan runs on the PTX machine, too, and a line of FILE says
// whether the bits are the same. --probe prints what device there is, or why
// there is none (exit code 3).
//
// The device is in the hands of a third process, this program with --execute:
// an error that loses a context costs that process and neither the compiler
// nor this one.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/program_text.h"
#include "harness/subject/arena.h"
#include "harness/wire/descriptor.h"
#include "harness/wire/shared_memory.h"
#include "harness/wire/wire.h"
#include "harness/workers/cuda/cuda_driver.h"
#include "harness/workers/cuda/device_handler.h"
#include "harness/workers/cuda/machine_check.h"
#include "harness/workers/cuda/record_approximate.h"
#include "harness/workers/plans/compiled_program.h"
#include "harness/workers/plans/launch_plan.h"
#include "harness/workers/plans/sibling.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker::cuda {
namespace {

constexpr int kNoDeviceExit = 3;

// What the programs of a worker share.
struct Ends {
  Sibling compiler;
  Sibling device;
  SharedMemory memory;
  std::string compare;  // a file's path; empty: nothing is compared
};

// A program may return what it never wrote, by the definition of that
// operation: aten.empty.memory_format, aten.new_empty.default.
bool may_be_undefined(const Program& program) {
  return std::any_of(
      program.nodes.begin(), program.nodes.end(),
      [](const Node& n) { return n.op.find("empty") != std::string::npos; });
}

Status append_line(const std::string& file, const std::string& line) {
  const Descriptor to(
      open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  const std::string text = line + "\n";
  // In one write, since workers run side by side.
  if (!to.valid() || write(to.get(), text.data(), text.size()) !=
                         static_cast<ssize_t>(text.size())) {
    return Error{fmt::format("{}: {}", file, std::strerror(errno))};
  }
  return success();
}

class CudaProgram : public CompiledProgram {
 public:
  CudaProgram(Ends* ends, Compiled compiled, std::string plan, Json options)
      : CompiledProgram(&ends->compiler, std::move(compiled)),
        ends_(ends),
        plan_(std::move(plan)),
        options_(std::move(options)) {}
  ~CudaProgram() override {
    if (loaded()) ends_->device.drop(handle_);
  }

  // Nothing on success. Where the device was lost, it is loaded again.
  std::optional<Failure> load() {
    if (loaded()) return std::nullopt;
    // The device was there at hello: without it the program is not refused.
    if (const auto gone = ends_->device.start()) {
      return Failure{"device_lost", gone->message};
    }
    Outcome<Compiled> there = ends_->device.compile(plan_, "cuda", options_);
    if (auto* failure = std::get_if<Failure>(&there)) return lost(*failure);
    handle_ = std::get<Compiled>(there).handle;
    generation_ = ends_->device.generation();
    return std::nullopt;
  }

  Outcome<std::vector<Produced>> run(const std::vector<Region>& inputs,
                                     const std::vector<Region>&) override {
    breaches_.clear();
    if (auto failure = check(inputs)) return std::move(*failure);
    if (auto failure = load()) return std::move(*failure);
    const std::vector<std::vector<std::byte>> before = contents(inputs);
    const std::int64_t scratch = ends_->memory.file_size();
    Outcome<Json> answer = ends_->device.ask({{"verb", "run"},
                                              {"handle", handle_},
                                              {"inputs", inputs_json(inputs)},
                                              {"outputs", Json::array()},
                                              {"scratch", scratch}});
    if (auto* failure = std::get_if<Failure>(&answer)) return lost(*failure);
    const Json& reply = std::get<Json>(answer);
    breaches_ = reply.value("breaches", std::vector<std::string>());
    Result<std::vector<Tensor>> outputs = read_outputs(reply, scratch);
    if (!outputs) return internal(outputs.error().message);
    if (auto failure = compare(before, *outputs)) return std::move(*failure);
    return produced(std::move(*outputs));
  }

  std::vector<std::string> take_breaches() override {
    return std::exchange(breaches_, {});
  }

 private:
  bool loaded() const {
    return generation_ != 0 && generation_ == ends_->device.generation();
  }

  // A lost context is a lost process; the next plan begins with another one.
  Failure lost(Failure failure) {
    if (failure.kind != "device_lost") return failure;
    ends_->device.replace();
    generation_ = 0;
    if (failure.exception == "CUDA_ERROR_ASSERT") {
      return assertion_failure(failure.message);
    }
    return failure;
  }

  Result<std::vector<Tensor>> read_outputs(const Json& reply,
                                           std::int64_t scratch) {
    ends_->memory.release_old();
    const std::int64_t size = ends_->memory.file_size();
    const Status mapped = ends_->memory.map(size);
    if (!mapped) return mapped.error();
    std::vector<Tensor> out;
    for (const Json& item : reply.at("outputs")) {
      Result<Placed> placed = placed_from_json(item, scratch, size);
      if (!placed) return placed.error();
      out.push_back(read_tensor(placed->type,
                                ends_->memory.data() + placed->byte_offset));
    }
    return out;
  }

  // Nothing where nothing is compared, or nothing is to be said.
  std::optional<Failure> compare(
      const std::vector<std::vector<std::byte>>& inputs,
      const std::vector<Tensor>& outputs) {
    if (ends_->compare.empty()) return std::nullopt;
    const Result<LaunchPlan> plan = read_launch_plan(plan_);
    if (!plan) return internal(plan.error().message);
    const MachineCheck found = check_machine(*plan, inputs, outputs);
    const Status kept =
        append_line(ends_->compare, to_json(found, *plan).dump());
    if (!kept) return internal(kept.error().message);
    if (found.outcome != MachineCheck::Outcome::differs) return std::nullopt;
    return internal("the PTX machine and the device differ: " + found.detail);
  }

  Ends* ends_;
  std::string plan_;
  Json options_;
  std::int64_t handle_ = 0;  // of the process of `generation_`
  int generation_ = 0;
  std::vector<std::string> breaches_;
};

class CudaHandler : public Handler {
 public:
  explicit CudaHandler(Ends* ends) : ends_(ends) {}

  Outcome<Hello> hello(const std::string& target,
                       const Json& options) override {
    if (target != "cuda") {
      return internal(fmt::format(
          "target {} is asked for; the device's is called cuda", target));
    }
    Outcome<Json> device = ends_->device.hello(target, Json::object());
    if (auto* failure = std::get_if<Failure>(&device)) {
      return std::move(*failure);
    }
    const Json& found = std::get<Json>(device);
    target_ = text_at(found, "device");
    Outcome<Json> compiler = ends_->compiler.hello(target_, options);
    if (auto* failure = std::get_if<Failure>(&compiler)) {
      return std::move(*failure);
    }
    Hello h = hello_of(std::get<Json>(compiler));
    h.device = target_;
    h.identity.update(found.at("identity"));
    return h;
  }

  Outcome<std::unique_ptr<Executable>> compile(const std::string& text,
                                               const std::string& /*target*/,
                                               const Json& options) override {
    const Result<Program> program = parse_program(text);
    if (!program) return internal(program.error().message);
    Outcome<Compiled> answer = ends_->compiler.compile(text, target_, options);
    if (auto* failure = std::get_if<Failure>(&answer)) {
      return std::move(*failure);
    }
    const auto& compiled = std::get<Compiled>(answer);
    const std::int64_t handle = compiled.handle;
    Outcome<std::string> plan =
        plan_text(&ends_->compiler, handle, "launches+cubin");
    if (std::holds_alternative<Failure>(plan)) {
      plan = plan_text(&ends_->compiler, handle, "launches");
    }
    if (auto* failure = std::get_if<Failure>(&plan)) {
      ends_->compiler.drop(handle);
      return std::move(*failure);
    }
    auto out = std::make_unique<CudaProgram>(
        ends_, compiled, std::move(std::get<std::string>(plan)),
        Json{{kMayBeUndefined, may_be_undefined(*program)}});
    if (auto failure = out->load()) return std::move(*failure);
    return std::unique_ptr<Executable>(std::move(out));
  }

 private:
  Ends* ends_;
  std::string target_;  // "cuda-sm_90"
};

int probe() {
  const Result<Driver> driver = Driver::load();
  const Result<DeviceFacts> facts =
      driver ? first_device(*driver) : Result<DeviceFacts>(driver.error());
  if (!facts) {
    fmt::print("{}\n", facts.error().message);
    return kNoDeviceExit;
  }
  fmt::print(
      "{}\n",
      Json{{"sm", facts->sm}, {"gpu", facts->name}, {"driver", facts->driver}}
          .dump());
  return 0;
}

int run(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  if (args == std::vector<std::string>{"--probe"}) return probe();
  if (!args.empty() && args[0] == "--record") {
    return record_approximate({args.begin() + 1, args.end()});
  }
  const auto descriptors = take_descriptors(&args);
  if (descriptors && args == std::vector<std::string>{"--execute"}) {
    DeviceHandler handler;
    return serve(*descriptors, handler);
  }
  std::string compare;
  if (args.size() > 1 && args[0] == "--compare") {
    compare = args[1];
    args.erase(args.begin(), args.begin() + 2);
  }
  if (!descriptors || args.empty()) {
    fmt::print(stderr,
               "usage: assay-cuda-worker [--compare FILE] PROGRAM "
               "[ARGUMENT...] --socket-fd N --shm-fd N\n"
               "       assay-cuda-worker --probe\n");
    return 2;
  }
  std::error_code failed;
  const std::string self =
      std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (failed) {
    fmt::print(stderr, "/proc/self/exe: {}\n", failed.message());
    return 2;
  }
  const int shm = fcntl(descriptors->shm, F_DUPFD_CLOEXEC, 0);
  Ends ends{Sibling(std::move(args), descriptors->shm),
            Sibling({self, "--execute"}, descriptors->shm),
            SharedMemory::attach(shm), std::move(compare)};
  CudaHandler handler(&ends);
  return serve(*descriptors, handler);
}

}  // namespace
}  // namespace assay::harness::worker::cuda

int main(int argc, char** argv) {
  return assay::harness::worker::cuda::run(argc, argv);
}
