#include "harness/workers/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <map>
#include <new>
#include <utility>

#include "harness/wire/fp_env.h"
#include "harness/wire/shared_memory.h"

namespace assay::harness::worker {
namespace {

Json failure_json(const Failure& f, const char* phase) {
  Json reply = {{"ok", false},
                {"kind", f.kind},
                {"phase", phase},
                {"exception", f.exception},
                {"classes", f.classes},
                {"clause", f.clause.empty() ? Json() : Json(f.clause)},
                {"message", f.message}};
  if (!f.lowering.empty()) reply["lowering"] = f.lowering;
  return reply;
}

Failure internal(std::string message) {
  return {"internal", std::move(message)};
}

class Server {
 public:
  Server(const Descriptors& d, Handler& handler)
      : socket_(d.socket),
        memory_(SharedMemory::attach(d.shm)),
        handler_(handler),
        control_(fp_control()) {
    // Processes that a subject starts (a compiler, say) must not inherit these.
    fcntl(d.socket, F_SETFD, FD_CLOEXEC);
    fcntl(d.shm, F_SETFD, FD_CLOEXEC);
  }

  int run() {
    while (const auto text = receive()) {
      const Json request = Json::parse(*text, nullptr, false);
      if (request.is_object() && request.value("verb", "") == "quit") {
        return 0;
      }
      if (!send(encode_record(guarded_answer(request)))) return 1;
    }
    return 0;
  }

 private:
  // Nothing that a handler throws may end the process.
  Json guarded_answer(const Json& request) {
    const char* phase = "run";
    try {
      if (!request.is_object()) {
        return failure_json(internal("the request is not a JSON object"),
                            phase);
      }
      const std::string verb = request.value("verb", "");
      if (verb == "compile") phase = "compile";
      Json reply = answer(verb, request, phase);
      const std::uint32_t now = fp_control();
      reply["fp_env"] = {{"mxcsr", now}, {"before", control_}};
      set_fp_control(control_);
      return reply;
    } catch (const std::bad_alloc& e) {
      set_fp_control(control_);
      return failure_json({"out_of_memory", e.what()}, phase);
    } catch (const std::exception& e) {
      set_fp_control(control_);
      return failure_json(internal(e.what()), phase);
    }
  }

  Json answer(const std::string& verb, const Json& request, const char* phase) {
    if (verb == "hello") return hello(request, phase);
    if (verb == "compile") return compile(request, phase);
    if (verb == "run") return launch(request, phase);
    if (verb == "explain") return explain(request, phase);
    if (verb == "drop") {
      executables_.erase(request.at("handle").get<std::int64_t>());
      return {{"ok", true}};
    }
    return failure_json(internal(fmt::format("unknown verb '{}'", verb)),
                        phase);
  }

  Json hello(const Json& request, const char* phase) {
    const int protocol = request.at("protocol").get<int>();
    if (protocol != kProtocolVersion) {
      return failure_json(
          internal(fmt::format("protocol {} is asked for, {} is spoken",
                               protocol, kProtocolVersion)),
          phase);
    }
    auto outcome = handler_.hello(request.value("target", ""),
                                  request.value("options", Json::object()));
    if (const auto* f = std::get_if<Failure>(&outcome)) {
      return failure_json(*f, phase);
    }
    const Hello& h = std::get<Hello>(outcome);
    Json reply = {{"ok", true},
                  {"protocol", kProtocolVersion},
                  {"name", h.name},
                  {"version", h.version},
                  {"device", h.device},
                  {"identity", h.identity},
                  {"slow_compile", h.slow_compile},
                  {"allocates_outputs", h.allocates_outputs}};
    if (!h.writes_operands) reply["writes_operands"] = false;
    if (!h.evidence.empty()) reply["evidence"] = h.evidence;
    if (!h.promises.empty()) reply["promises"] = h.promises;
    return reply;
  }

  Json compile(const Json& request, const char* phase) {
    auto outcome = handler_.compile(request.at("program").get<std::string>(),
                                    request.value("target", ""),
                                    request.value("options", Json::object()));
    if (const auto* f = std::get_if<Failure>(&outcome)) {
      return failure_json(*f, phase);
    }
    const std::int64_t handle = next_handle_++;
    auto& executable = std::get<std::unique_ptr<Executable>>(outcome);
    const std::string lowering = executable->lowering();
    executables_[handle] = std::move(executable);
    Json reply = {{"ok", true}, {"handle", handle}};
    if (!lowering.empty()) reply["lowering"] = lowering;
    return reply;
  }

  Executable* find(const Json& request) {
    const auto found =
        executables_.find(request.at("handle").get<std::int64_t>());
    return found == executables_.end() ? nullptr : found->second.get();
  }

  Json launch(const Json& request, const char* phase) {
    Executable* executable = find(request);
    if (executable == nullptr) {
      return failure_json(internal("unknown handle"), phase);
    }
    memory_.release_old();
    const std::int64_t size = memory_.file_size();
    const Status mapped = memory_.map(size);
    if (!mapped) return failure_json(internal(mapped.error().message), phase);
    auto inputs = regions(request.at("inputs"), size);
    if (!inputs) return failure_json(internal(inputs.error().message), phase);
    auto outputs = regions(request.value("outputs", Json::array()), size);
    if (!outputs) {
      return failure_json(internal(outputs.error().message), phase);
    }
    auto outcome = executable->run(*inputs, *outputs);
    if (const auto* f = std::get_if<Failure>(&outcome)) {
      return failure_json(*f, phase);
    }
    // A leak must be seen before our own code runs on.
    const std::uint32_t leaked = fp_control();
    set_fp_control(control_);
    Json reply = {{"ok", true}};
    const auto& produced = std::get<std::vector<Produced>>(outcome);
    if (outputs->empty()) {
      const Status placed =
          place_all(produced, executable->take_alternatives(),
                    request.value("scratch", std::int64_t{0}), &reply);
      if (!placed) {
        return failure_json({"out_of_memory", placed.error().message}, phase);
      }
    } else {
      reply["outputs"] = request["outputs"];
    }
    const std::vector<std::string> breaches = executable->take_breaches();
    if (!breaches.empty()) reply["breaches"] = breaches;
    if (const auto lint = executable->lint()) reply["lint"] = *lint;
    set_fp_control(leaked);
    return reply;
  }

  Result<std::vector<Region>> regions(const Json& list, std::int64_t size) {
    std::vector<Region> out;
    for (const Json& item : list) {
      Result<Placed> placed = placed_from_json(item, 0, size);
      if (!placed) return placed.error();
      out.push_back({std::move(placed->type),
                     memory_.data() + placed->byte_offset,
                     placed->storage_offset, placed->byte_offset});
    }
    return out;
  }

  Status place_all(const std::vector<Produced>& produced,
                   const Alternatives& others, std::int64_t scratch,
                   Json* reply) {
    std::int64_t end = scratch;
    Result<Json> placed = place(produced, &end);
    if (!placed) return placed.error();
    (*reply)["outputs"] = std::move(*placed);
    add_layouts(produced, reply);
    if (others.outputs.empty()) return success();
    (*reply)["depends_on"] = others.depends_on;
    for (const std::vector<Produced>& other : others.outputs) {
      placed = place(other, &end);
      if (!placed) return placed.error();
      (*reply)["alternatives"].push_back(std::move(*placed));
    }
    return success();
  }

  // All or none: the harness takes no others.
  static void add_layouts(const std::vector<Produced>& produced, Json* reply) {
    Json list = Json::array();
    for (const Produced& p : produced) {
      if (!p.layout) return;
      list.push_back({{"strides", p.layout->strides},
                      {"offset", p.layout->storage_offset}});
      if (p.layout->storage != kStorageUntold) {
        list.back()["storage"] = p.layout->storage;
      }
    }
    (*reply)["layouts"] = std::move(list);
  }

  // From `end` on, which becomes the place behind the last tensor.
  Result<Json> place(const std::vector<Produced>& produced, std::int64_t* end) {
    Json list = Json::array();
    std::vector<std::int64_t> offsets;
    for (const Produced& p : produced) {
      const std::int64_t at = align_up(*end, kTensorAlignment);
      offsets.push_back(at);
      list.push_back(to_json(Placed{p.type, at, 0}));
      *end = at + p.type.span() * size_bytes(p.type.dtype);
    }
    if (*end > memory_.file_size()) {
      const Status grown = memory_.resize(*end);
      if (!grown) return grown.error();
    }
    const Status mapped = memory_.map(*end);
    if (!mapped) return mapped.error();
    for (std::size_t i = 0; i < produced.size(); ++i) {
      produced[i].write(memory_.data() + offsets[i]);
    }
    return list;
  }

  Json explain(const Json& request, const char* phase) {
    Executable* executable = find(request);
    if (executable == nullptr) {
      return failure_json(internal("unknown handle"), phase);
    }
    const auto text = executable->explain(request.value("kind", ""));
    return {{"ok", true}, {"text", text ? Json(*text) : Json()}};
  }

  std::optional<std::string> receive() {
    for (;;) {
      auto record = reader_.next();
      if (!record) return std::nullopt;
      if (*record) return std::move(**record);
      char bytes[65536];
      const ssize_t n = read(socket_, bytes, sizeof bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return std::nullopt;
      reader_.append(bytes, static_cast<std::size_t>(n));
    }
  }

  bool send(const std::string& record) {
    std::size_t sent = 0;
    while (sent < record.size()) {
      const ssize_t n = ::send(socket_, record.data() + sent,
                               record.size() - sent, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }

  int socket_;
  SharedMemory memory_;
  Handler& handler_;
  const std::uint32_t control_;
  RecordReader reader_;
  std::map<std::int64_t, std::unique_ptr<Executable>> executables_;
  std::int64_t next_handle_ = 1;
};

}  // namespace

std::optional<Descriptors> take_descriptors(std::vector<std::string>* args) {
  Descriptors d;
  const auto take = [args](const std::string& name) {
    for (std::size_t i = 0; i + 1 < args->size(); ++i) {
      if ((*args)[i] != name) continue;
      const std::string& text = (*args)[i + 1];
      int value = -1;
      const char* end = text.data() + text.size();
      const auto r = std::from_chars(text.data(), end, value);
      if (r.ec != std::errc() || r.ptr != end) return -1;
      const auto at = args->begin() + static_cast<std::ptrdiff_t>(i);
      args->erase(at, at + 2);
      return value;
    }
    return -1;
  };
  d.socket = take("--socket-fd");
  d.shm = take("--shm-fd");
  if (d.socket < 0 || d.shm < 0) {
    fmt::print(stderr,
               "this program is a worker of assay: it is started with "
               "--socket-fd N --shm-fd N\n");
    return std::nullopt;
  }
  return d;
}

int serve(const Descriptors& descriptors, Handler& handler) {
  return Server(descriptors, handler).run();
}

}  // namespace assay::harness::worker
