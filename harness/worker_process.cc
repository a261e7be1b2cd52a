#include "harness/worker_process.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/worker_arena.h"
#include "harness/worker_death.h"

namespace assay {
namespace {

// ATen's convention: aten.add_.Tensor writes to its first operand. Python's
// dunder methods (aten.__and__.Scalar) do not.
bool mutates(const Node& node) {
  const std::size_t last = node.op.rfind('.');
  const std::string name = node.op.substr(0, last);
  return name.ends_with("_") && !name.ends_with("__");
}

void append(std::vector<std::string>* to, std::vector<std::string> more) {
  to->insert(to->end(), more.begin(), more.end());
}

}  // namespace

std::variant<std::unique_ptr<Worker::Process>, Observation>
Worker::Process::start(const SubjectConfig& config) {
  Result<SharedMemory> memory = SharedMemory::create();
  if (!memory) return malformed(memory.error().message);
  auto child =
      WorkerChild::start(config.command, config.environment, memory->fd());
  if (!child) return malformed(child.error().message);
  std::unique_ptr<Process> process(
      new Process(config, std::move(*memory), std::move(*child)));
  const Exchange exchange =
      process->child_->exchange({{"verb", "hello"},
                                 {"protocol", kProtocolVersion},
                                 {"target", config.target},
                                 {"options", options_json(config.options)}},
                                config.hello_deadline);
  if (auto failure = failed(exchange, "hello")) return std::move(*failure);
  Result<HelloReply> hello = read_hello(exchange.reply);
  if (!hello) return malformed("hello: " + hello.error().message);
  process->hello_ = std::move(*hello);
  if (const auto leak = leaked_control(exchange.reply, "starting")) {
    process->hello_breaches_.push_back(*leak);
  }
  return process;
}

bool Worker::Process::bloated() const {
  const Result<std::int64_t> limit = worker_memory_limit();
  return limit && *limit > 0 && resident_memory(child_->pid()) > *limit / 4;
}

std::optional<Observation> Worker::Process::compile(
    const std::string& text, std::chrono::milliseconds deadline) {
  const Exchange exchange =
      child_->exchange({{"verb", "compile"},
                        {"program", text},
                        {"target", config_.target},
                        {"options", options_json(config_.options)}},
                       deadline);
  compile_breaches_.clear();
  if (exchange.kind == Exchange::Kind::replied) {
    if (const auto leak = leaked_control(exchange.reply, "compile")) {
      compile_breaches_.push_back(*leak);
    }
  }
  if (auto failure = failed(exchange, "compile")) {
    append(&failure->breaches, hello_breaches_);
    append(&failure->breaches, compile_breaches_);
    return failure;
  }
  const auto handle = exchange.reply.find("handle");
  if (handle == exchange.reply.end() || !handle->is_number_integer()) {
    return malformed("compile: a reply without a handle");
  }
  handle_ = handle->get<std::int64_t>();
  return std::nullopt;
}

Observation Worker::Process::run(const Program& program,
                                 const std::vector<Tensor>& inputs,
                                 const std::vector<TensorType>& expected,
                                 std::chrono::milliseconds deadline) {
  const bool own_outputs = hello_.allocates_outputs;
  const Arena arena(inputs, own_outputs ? std::vector<TensorType>() : expected);
  const Status written = arena.write(&memory_);
  if (!written) return malformed("run: " + written.error().message);
  const Exchange exchange = child_->exchange({{"verb", "run"},
                                              {"handle", *handle_},
                                              {"inputs", arena.inputs_json()},
                                              {"outputs", arena.outputs_json()},
                                              {"scratch", arena.end()}},
                                             deadline);
  Observation seen;
  const std::int64_t size = memory_.file_size();
  if (auto failure = failed(exchange, "run")) seen = std::move(*failure);
  if (exchange.kind != Exchange::Kind::replied) return seen;
  append(&seen.breaches, hello_breaches_);
  append(&seen.breaches, compile_breaches_);
  if (const auto leak = leaked_control(exchange.reply, "run")) {
    seen.breaches.push_back(*leak);
  }
  if (size < arena.end()) {
    return malformed("run: the shared memory has been made shorter");
  }
  const bool may_write =
      std::any_of(program.nodes.begin(), program.nodes.end(), mutates);
  append(&seen.breaches, arena.breaches(memory_.data(), may_write));
  if (seen.kind != Observation::Kind::returned) return seen;

  if (own_outputs) {
    const auto placed = read_outputs(exchange.reply, arena.end(), size);
    if (!placed) return malformed(placed.error().message);
    const Status mapped = memory_.map(size);
    if (!mapped) return malformed("run: " + mapped.error().message);
    for (const Placed& p : *placed) {
      seen.outputs.push_back(
          read_tensor(p.type, memory_.data() + p.byte_offset));
    }
    append(&seen.breaches,
           metadata_breaches(seen.outputs, expected, program.outputs.size()));
  } else {
    seen.outputs = arena.outputs(memory_.data());
  }
  return seen;
}

std::string Worker::Process::explain(const std::string& kind,
                                     std::chrono::milliseconds deadline) {
  if (!handle_) return {};
  const Exchange exchange = child_->exchange(
      {{"verb", "explain"}, {"handle", *handle_}, {"kind", kind}}, deadline);
  if (failed(exchange, "explain")) return {};
  const auto text = exchange.reply.find("text");
  return text != exchange.reply.end() && text->is_string()
             ? text->get<std::string>()
             : std::string();
}

std::optional<Observation> Worker::Process::drop(
    std::chrono::milliseconds deadline) {
  if (!handle_) return std::nullopt;
  const Exchange exchange =
      child_->exchange({{"verb", "drop"}, {"handle", *handle_}}, deadline);
  handle_.reset();
  return failed(exchange, "drop");
}

}  // namespace assay
