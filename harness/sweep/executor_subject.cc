#include <fmt/format.h>

#include <chrono>

#include "harness/sweep/subject.h"

namespace assay {
namespace {

constexpr std::chrono::milliseconds kDeadline{600000};

std::string what_it_did(const Observation& o) {
  using Kind = Observation::Kind;
  switch (o.kind) {
    case Kind::returned:
      return fmt::format("it returned {} tensors", o.outputs.size());
    case Kind::raised:
      return fmt::format("it raised {}: {}", o.error.exception,
                         o.error.message);
    case Kind::unsupported:
      return "unsupported: " + o.detail;
    default:
      return "it did not answer: " + o.detail;
  }
}

class ExecutorSubject : public SweepSubject {
 public:
  explicit ExecutorSubject(std::unique_ptr<Executor> executor)
      : executor_(std::move(executor)) {}

  Result<Identity> identify() override { return executor_->identify(); }

  Result<Tensor> results(const reference::Sweep& sweep, std::uint64_t first,
                         std::int64_t n) override {
    const Program program = sweep.program(n);
    const std::vector<Tensor> inputs = sweep.tensors(first, n);
    const std::vector<TensorType> expected = {sweep.result_type(n)};
    Observation o = executor_->rerun(program, inputs, expected, kDeadline);
    using Kind = Observation::Kind;
    if (o.kind == Kind::crashed || o.kind == Kind::timed_out) {
      // Once more by a fresh process, so that an accident ends no sweep.
      o = executor_->rerun(program, inputs, expected, kDeadline);
    }
    if (!o.breaches.empty()) return Error{o.breaches.front()};
    if (o.kind != Kind::returned || o.outputs.size() != 1) {
      return Error{what_it_did(o)};
    }
    const TensorType& type = o.outputs[0].type;
    if (type.dtype != expected[0].dtype || type.sizes != expected[0].sizes) {
      return Error{"it returned another dtype or shape"};
    }
    return type.is_contiguous() && o.outputs[0].offset == 0
               ? std::move(o.outputs[0])
               : o.outputs[0].contiguous();
  }

 private:
  std::unique_ptr<Executor> executor_;
};

}  // namespace

std::unique_ptr<SweepSubject> executor_subject(
    std::unique_ptr<Executor> executor) {
  return std::make_unique<ExecutorSubject>(std::move(executor));
}

}  // namespace assay
