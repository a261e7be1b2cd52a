#include "harness/subject/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/program_text.h"
#include "harness/subject/arena.h"
#include "harness/subject/child.h"
#include "harness/subject/death.h"
#include "harness/subject/reply.h"
#include "harness/subject/written.h"
#include "harness/wire/shared_memory.h"

namespace assay::harness {
namespace {

constexpr std::chrono::milliseconds kExplainDeadline{120000};
// Consecutive failures to start after which a subject that did start before
// is given up: a machine may be busy for a while.
constexpr int kFailedStarts = 3;

bool answered(Observation::Kind kind) {
  return kind == Observation::Kind::returned ||
         kind == Observation::Kind::linted ||
         kind == Observation::Kind::raised ||
         kind == Observation::Kind::unsupported;
}

void append(std::vector<std::string>* to, std::vector<std::string> more) {
  to->insert(to->end(), more.begin(), more.end());
}

// How a second call differs from the first, which returned; empty if it does
// not.
std::string repetition_fault(const Observation& first,
                             const Observation& second) {
  if (second.kind == Observation::Kind::raised) {
    return "the second call raised " + second.error.exception;
  }
  if (second.kind != Observation::Kind::returned ||
      second.outputs.size() != first.outputs.size()) {
    return "the second call returned something else";
  }
  for (std::size_t k = 0; k < first.outputs.size(); ++k) {
    const Tensor a = components(first.outputs[k]);
    const Tensor b = components(second.outputs[k]);
    if (a.dtype() != b.dtype() || a.type.sizes != b.type.sizes) {
      return fmt::format("output {} is of another type in the second call", k);
    }
    for (std::int64_t i = 0; i < a.numel(); ++i) {
      if (a.bits(i) == b.bits(i)) continue;
      return fmt::format(
          "output {}, element {}: {:#x}, and {:#x} in the "
          "second call",
          k, i, a.bits(i), b.bits(i));
    }
  }
  return {};
}

}  // namespace

// A started process that has said hello, with its shared memory and at most
// one compiled program.
class Worker::Process {
 public:
  // The process, or the observation that every program of it would be.
  static std::variant<std::unique_ptr<Process>, Observation> start(
      const SubjectConfig& config);

  const HelloReply& hello() const { return hello_; }
  // Of the last program that it compiled or refused.
  Lowering lowering() const { return lowering_; }
  bool alive() { return child_->alive(); }
  // Grown so large that a fresh one is the better choice.
  bool bloated() const;

  std::vector<Tensor> read_all(const std::vector<Placed>& placed) const {
    std::vector<Tensor> out;
    for (const Placed& p : placed) {
      out.push_back(read_tensor(p.type, memory_.data() + p.byte_offset));
    }
    return out;
  }

  // Nothing on success.
  std::optional<Observation> compile(const std::string& text,
                                     std::chrono::milliseconds deadline);

  // Requires a compiled program.
  Observation run(const Program& program, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds deadline);

  std::string explain(const std::string& kind,
                      std::chrono::milliseconds deadline);

  // Gives the compiled program up, while its case can still be blamed for
  // what that does. Nothing on success, or if none is compiled.
  std::optional<Observation> drop(std::chrono::milliseconds deadline);

 private:
  Process(const SubjectConfig& config, SharedMemory memory,
          std::unique_ptr<WorkerChild> child)
      : config_(config), memory_(std::move(memory)), child_(std::move(child)) {}

  const SubjectConfig& config_;
  SharedMemory memory_;
  std::unique_ptr<WorkerChild> child_;
  HelloReply hello_;
  std::optional<std::int64_t> handle_;
  Lowering lowering_ = Lowering::untold;
  // Breaches of hello, and of the last compile: they hold for every run.
  std::vector<std::string> hello_breaches_, compile_breaches_;
};

std::variant<std::unique_ptr<Worker::Process>, Observation>
Worker::Process::start(const SubjectConfig& config) {
  Result<SharedMemory> memory = SharedMemory::create();
  if (!memory) return not_run(memory.error().message);
  auto child =
      WorkerChild::start(config.command, config.environment, memory->fd());
  if (!child) return not_run(child.error().message);
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
  if (!hello) return malformed(fmt::format("hello: {}", hello.error().message));
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
  lowering_ = Lowering::untold;
  if (exchange.kind == Exchange::Kind::replied) {
    const Result<Lowering> told = read_lowering(exchange.reply);
    if (!told) return malformed(told.error().message);
    lowering_ = *told;
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
  if (!written) return not_run(written.error().message + file_limit());
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
  const InputWrites due = hello_.writes_operands ? input_writes(program)
                                                 : InputWrites(inputs.size());
  append(&seen.breaches, arena.breaches(memory_.data(), due));
  append(&seen.breaches, read_breaches(exchange.reply));
  if (seen.kind != Observation::Kind::returned) return seen;
  if (hello_.evidence == Evidence::compiled_linted) {
    seen.kind = Observation::Kind::linted;
    seen.remarks = read_lint(exchange.reply);
    return seen;
  }

  if (own_outputs) {
    if (const auto breach = negative_sizes(exchange.reply)) {
      seen.breaches.push_back(*breach);
      return seen;
    }
    const auto placed = read_outputs(exchange.reply, arena.end(), size);
    if (!placed) return malformed(placed.error().message);
    const Status mapped = memory_.map(size);
    if (!mapped)
      return malformed(fmt::format("run: {}", mapped.error().message));
    if (const auto breach = oversized(*placed)) {
      seen.breaches.push_back(*breach);
      return seen;
    }
    const auto others =
        read_alternatives(exchange.reply, placed->size(), arena.end(), size);
    if (!others) return malformed(others.error().message);
    auto layouts = read_layouts(exchange.reply, *placed);
    if (!layouts) return malformed(layouts.error().message);
    seen.layouts = std::move(*layouts);
    seen.outputs = read_all(*placed);
    for (const std::vector<Placed>& other : *others) {
      if (const auto breach = oversized(other)) {
        seen.breaches.push_back(*breach);
        return seen;
      }
      seen.alternatives.push_back(read_all(other));
    }
    if (!others->empty()) seen.depends_on = read_depends_on(exchange.reply);
    append(&seen.breaches,
           metadata_breaches(seen.outputs, expected, program.outputs.size()));
    // Few programs write, and inputs are copied to look at them.
    if (std::any_of(due.begin(), due.end(),
                    [](const auto& write) { return write.has_value(); })) {
      append(&seen.breaches,
             write_breaches(program, due, arena.inputs(memory_.data()),
                            seen.outputs));
    }
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

Worker::Worker(SubjectConfig config) : config_(std::move(config)) {}

Worker::~Worker() = default;

// Starts a process where there is none. Nothing on success. A subject that
// never started is not tried again: it would cost every case its time.
std::optional<Observation> Worker::ensure_process() {
  if (process_ && (!process_->alive() || process_->bloated())) {
    process_.reset();
  }
  if (!process_) kept_.clear();
  if (process_) return std::nullopt;
  if (start_failure_ && (!started_ || failed_starts_ >= kFailedStarts)) {
    return *start_failure_;
  }
  for (;;) {
    auto started = Process::start(config_);
    auto* failure = std::get_if<Observation>(&started);
    if (failure == nullptr) {
      started_ = true;
      failed_starts_ = 0;
      process_ = std::move(std::get<std::unique_ptr<Process>>(started));
      return std::nullopt;
    }
    ++failed_starts_;
    // What is gone, or does not come back, says nothing of a program.
    if (started_ && failure->kind == Observation::Kind::unsupported) {
      failure->kind = Observation::Kind::device_lost;
    } else if (started_ && failed_starts_ < kFailedStarts) {
      continue;
    } else if (started_) {
      *failure =
          not_run(fmt::format("it has started before and does not in {} "
                              "attempts: {}",
                              kFailedStarts, failure->detail));
    }
    start_failure_ = std::make_unique<Observation>(std::move(*failure));
    return *start_failure_;
  }
}

// Gives up what rerun has kept. Nothing on success.
std::optional<Observation> Worker::forget(std::chrono::milliseconds deadline) {
  if (kept_.empty()) return std::nullopt;
  kept_.clear();
  return process_->drop(deadline);
}

Result<Identity> Worker::identify() {
  if (const auto failure = ensure_process()) {
    return Error{fmt::format("subject {} does not start: {}", config_.spelling,
                             failure->detail)};
  }
  const HelloReply& hello = process_->hello();
  Identity identity;
  identity.column = column_name(hello, config_);
  identity.facts = hello.facts;
  identity.slow_compile = hello.slow_compile;
  return identity;
}

std::string Worker::text_for_subject(const Program& program) const {
  if (program.device == 0 || process_->hello().device.starts_with("cuda")) {
    return to_text(program);
  }
  Program first = program;
  first.device = 0;
  return to_text(first);
}

// Clause D1: the same call twice gives the same bits. What our own machine
// executes cannot do otherwise, and takes its time; on a GPU a program that is
// at fault may take the device with it, and runs once.
void Worker::repeat(const Program& program, const std::vector<Tensor>& inputs,
                    const std::vector<TensorType>& expected,
                    std::chrono::milliseconds deadline, Observation* seen) {
  if (seen->kind != Observation::Kind::returned || !seen->breaches.empty() ||
      process_->hello().evidence != Evidence::ran ||
      process_->hello().device.starts_with("cuda")) {
    return;
  }
  Observation again = process_->run(program, inputs, expected, deadline);
  if (!answered(again.kind)) {
    *seen = std::move(again);
    return;
  }
  const std::string fault = repetition_fault(*seen, again);
  if (!fault.empty()) seen->breaches.push_back("D1: " + fault);
}

Observation Worker::run(const Program& program,
                        const std::vector<Tensor>& inputs,
                        const std::vector<TensorType>& expected,
                        std::chrono::milliseconds deadline) {
  const auto begin = std::chrono::steady_clock::now();
  Observation seen;
  if (auto failure = ensure_process()) {
    seen = std::move(*failure);
  } else if (auto stuck = forget(deadline)) {
    seen = std::move(*stuck);
  } else if (auto refused =
                 process_->compile(text_for_subject(program), deadline)) {
    seen = std::move(*refused);
    seen.lowering = process_->lowering();
  } else {
    seen = process_->run(program, inputs, expected, deadline);
    repeat(program, inputs, expected, deadline, &seen);
    seen.torch = followed_release(process_->hello().facts);
    seen.flush = declared_flush(process_->hello().facts);
    seen.evidence = process_->hello().evidence;
    seen.lowering = process_->lowering();
    // A process that answered and died is caught here, too.
    if (answered(seen.kind) || process_->alive()) {
      auto broken = process_->drop(deadline);
      // A subject may end with its device.
      if (broken && seen.kind != Observation::Kind::device_lost) {
        seen = std::move(*broken);
      }
    }
  }
  if (seen.kind == Observation::Kind::out_of_memory) process_.reset();
  seen.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return seen;
}

Observation Worker::rerun(const Program& program,
                          const std::vector<Tensor>& inputs,
                          const std::vector<TensorType>& expected,
                          std::chrono::milliseconds deadline) {
  if (auto failure = ensure_process()) return std::move(*failure);
  const std::string text = text_for_subject(program);
  if (kept_ != text) {
    if (auto broken = forget(deadline)) return std::move(*broken);
    if (auto refused = process_->compile(text, deadline)) {
      return std::move(*refused);
    }
    kept_ = text;
  }
  Observation seen = process_->run(program, inputs, expected, deadline);
  if (!answered(seen.kind)) process_.reset();
  return seen;
}

std::string Worker::explain(const Program& program, const std::string& kind) {
  Texts made = texts(program, {kind});
  auto* text = std::get_if<std::vector<std::string>>(&made);
  return text != nullptr ? std::move(text->front()) : std::string();
}

Worker::Texts Worker::texts(const Program& program,
                            const std::vector<std::string>& kinds) {
  if (auto failure = ensure_process()) return std::move(*failure);
  if (auto failure =
          process_->compile(text_for_subject(program), kExplainDeadline)) {
    return std::move(*failure);
  }
  std::vector<std::string> out;
  for (const std::string& kind : kinds) {
    out.push_back(process_->explain(kind, kExplainDeadline));
  }
  (void)process_->drop(kExplainDeadline);
  return out;
}

}  // namespace assay::harness
