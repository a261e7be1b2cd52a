// Worker: one process at a time, started when needed, replaced when it died,
// was killed, or broke the protocol.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/program_text.h"
#include "harness/subject.h"
#include "harness/worker_process.h"

namespace assay {
namespace {

constexpr std::chrono::milliseconds kExplainDeadline{120000};
// Consecutive failures to start after which a subject that did start before
// is given up.
constexpr int kFailedStarts = 3;

bool answered(Observation::Kind kind) {
  return kind == Observation::Kind::returned ||
         kind == Observation::Kind::raised ||
         kind == Observation::Kind::unsupported;
}

}  // namespace

TorchVersion followed_release(const std::map<std::string, std::string>& facts) {
  const auto fact = facts.find("torch");
  if (fact == facts.end()) return kDefaultTorch;
  return parse_torch_version(fact->second).value_or(kDefaultTorch);
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
  auto started = Process::start(config_);
  if (auto* failure = std::get_if<Observation>(&started)) {
    ++failed_starts_;
    start_failure_ = std::make_unique<Observation>(std::move(*failure));
    return *start_failure_;
  }
  started_ = true;
  failed_starts_ = 0;
  process_ = std::move(std::get<std::unique_ptr<Process>>(started));
  return std::nullopt;
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

Observation Worker::run(const Program& program,
                        const std::vector<Tensor>& inputs,
                        const std::vector<TensorType>& expected,
                        std::chrono::milliseconds deadline) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = to_text(program);
  Observation seen;
  if (auto failure = ensure_process()) {
    seen = std::move(*failure);
  } else if (auto stuck = forget(deadline)) {
    seen = std::move(*stuck);
  } else if (auto refused = process_->compile(text, deadline)) {
    seen = std::move(*refused);
  } else {
    seen = process_->run(program, inputs, expected, deadline);
    seen.torch = followed_release(process_->hello().facts);
    // A process that answered and died is caught here, too.
    if (answered(seen.kind) || process_->alive()) {
      auto broken = process_->drop(deadline);
      if (broken) seen = std::move(*broken);
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
  const std::string text = to_text(program);
  if (auto failure = ensure_process()) return std::move(*failure);
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
  if (ensure_process()) return {};
  if (process_->compile(to_text(program), kExplainDeadline)) return {};
  std::string text = process_->explain(kind, kExplainDeadline);
  (void)process_->drop(kExplainDeadline);
  return text;
}

}  // namespace assay
