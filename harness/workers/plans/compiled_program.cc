#include "harness/workers/plans/compiled_program.h"

#include <cstring>
#include <utility>

namespace assay::harness::worker {

Hello hello_of(const Json& reply) {
  Hello h;
  h.name = text_at(reply, "name");
  h.version = text_at(reply, "version");
  h.device = text_at(reply, "device");
  h.identity = reply.value("identity", Json::object());
  h.slow_compile = reply.value("slow_compile", false);
  h.writes_operands = reply.value("writes_operands", true);
  return h;
}

Outcome<std::string> plan_text(Sibling* compiler, std::int64_t handle,
                               const char* kind) {
  Outcome<Json> answer =
      compiler->ask({{"verb", "explain"}, {"handle", handle}, {"kind", kind}});
  if (auto* failure = std::get_if<Failure>(&answer)) {
    return std::move(*failure);
  }
  std::string text = text_at(std::get<Json>(answer), "text");
  if (text.empty()) {
    return Failure{"unsupported",
                   "the compiler gives no launch plan (docs/launch-plan.md)"};
  }
  return text;
}

Failure assertion_failure(const std::string& message) {
  return {"refused",
          "CUDA error: device-side assert triggered: " + message,
          "AcceleratorError",
          {"AcceleratorError", "RuntimeError", "Exception"}};
}

std::optional<Failure> failure_of(const PlanRun& run) {
  if (!run.assertion.empty()) return assertion_failure(run.assertion);
  if (!run.faults.empty()) return Failure{"died", run.faults.front()};
  if (!run.refusal) return std::nullopt;
  return Failure{"refused",
                 run.refusal->message,
                 run.refusal->exception,
                 {run.refusal->exception},
                 run.refusal->clause};
}

std::optional<std::string> CompiledProgram::explain(const std::string& kind) {
  const Outcome<Json> reply = compiler_->ask(
      {{"verb", "explain"}, {"handle", handle_}, {"kind", kind}});
  const auto* json = std::get_if<Json>(&reply);
  if (json == nullptr || !json->value("text", Json()).is_string()) {
    return std::nullopt;
  }
  return text_at(*json, "text");
}

std::optional<Failure> CompiledProgram::check(
    const std::vector<Region>& inputs) {
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

std::vector<Produced> produced(std::vector<Tensor> tensors) {
  std::vector<Produced> out;
  for (Tensor& t : tensors) {
    TensorType type = t.type;
    out.push_back({std::move(type), [t = std::move(t)](std::byte* to) {
                     std::memcpy(to, t.storage->data(), t.storage->size());
                   }});
  }
  return out;
}

std::vector<std::vector<std::byte>> contents(
    const std::vector<Region>& inputs) {
  std::vector<std::vector<std::byte>> out;
  for (const Region& r : inputs) {
    const auto bytes = r.type.span() * size_bytes(r.type.dtype);
    out.emplace_back(r.data, r.data + bytes);
  }
  return out;
}

}  // namespace assay::harness::worker
