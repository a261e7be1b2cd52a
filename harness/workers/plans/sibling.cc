#include "harness/workers/plans/sibling.h"

#include <chrono>
#include <utility>

namespace assay::harness::worker {
namespace {

// Whoever asked us has a deadline, and kills us both.
constexpr std::chrono::hours kNoDeadline{24};

Failure failure_of(const Json& reply) {
  Failure f{text_at(reply, "kind"), text_at(reply, "message"),
            text_at(reply, "exception")};
  f.clause = text_at(reply, "clause");
  f.lowering = text_at(reply, "lowering");
  const auto classes = reply.find("classes");
  if (classes != reply.end() && classes->is_array()) {
    for (const Json& c : *classes) {
      if (c.is_string()) f.classes.push_back(c.get<std::string>());
    }
  }
  return f;
}

}  // namespace

Failure internal(std::string message) {
  return {"internal", std::move(message)};
}

std::string text_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

Outcome<Json> Sibling::hello(const std::string& target, const Json& options) {
  hello_ = {{"verb", "hello"},
            {"protocol", kProtocolVersion},
            {"target", target},
            {"options", options}};
  child_.reset();
  if (auto failure = start()) return std::move(*failure);
  return greeted_;
}

Outcome<Json> Sibling::ask(const Json& request) {
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

Outcome<Compiled> Sibling::compile(const std::string& program,
                                   const std::string& target,
                                   const Json& options) {
  Outcome<Json> compiled = ask({{"verb", "compile"},
                                {"program", program},
                                {"target", target},
                                {"options", options}});
  if (auto* failure = std::get_if<Failure>(&compiled)) {
    return std::move(*failure);
  }
  const Json& reply = std::get<Json>(compiled);
  return Compiled{reply.at("handle").get<std::int64_t>(),
                  text_at(reply, "lowering")};
}

void Sibling::drop(std::int64_t handle) {
  if (!child_ || !child_->alive()) return;
  (void)ask({{"verb", "drop"}, {"handle", handle}});
}

std::optional<Failure> Sibling::start() {
  if (child_ && child_->alive()) return std::nullopt;
  auto started = WorkerChild::start(command_, {}, shm_);
  if (!started) return internal(started.error().message);
  child_ = std::move(*started);
  ++generation_;
  Outcome<Json> reply = ask(hello_);
  if (auto* failure = std::get_if<Failure>(&reply)) {
    child_.reset();  // it is not greeted, and takes no other request
    return std::move(*failure);
  }
  greeted_ = std::move(std::get<Json>(reply));
  return std::nullopt;
}

Json inputs_json(const std::vector<Region>& inputs) {
  Json list = Json::array();
  for (const Region& r : inputs) {
    list.push_back(to_json(Placed{r.type, r.byte_offset, r.storage_offset}));
  }
  return list;
}

}  // namespace assay::harness::worker
