// A subject that breaks every rule of docs/subject-protocol.md, one at a time,
// to show that each costs one case only. What it does is chosen by a program's
// operation (bad.crash.default), by the option "mode", or for what happens in
// hello by --mode. Programs without either return copies of their operands.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/program_text.h"
#include "harness/wire/fp_env.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker {
namespace {

using Results = Outcome<std::vector<Produced>>;

struct Self {
  Descriptors descriptors;
  std::vector<std::string> command;
};

struct Run {
  const Self& self;
  const Program& program;
  const std::vector<Region>& inputs;
  const std::vector<Region>& outputs;
};

void send_bytes(int socket, const std::string& bytes) {
  (void)!send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// Goes on as a fresh process with the same socket: whatever was sent is the
// answer to the request.
[[noreturn]] void start_over(const Self& self) {
  fcntl(self.descriptors.socket, F_SETFD, 0);
  fcntl(self.descriptors.shm, F_SETFD, 0);
  std::vector<char*> argv;
  for (const std::string& a : self.command) {
    argv.push_back(const_cast<char*>(a.c_str()));
  }
  argv.push_back(nullptr);
  execv("/proc/self/exe", argv.data());
  _exit(111);
}

[[noreturn]] void reply_raw(const Self& self, const std::string& bytes) {
  send_bytes(self.descriptors.socket, bytes);
  start_over(self);
}

[[noreturn]] void reply_json(const Self& self, const Json& json) {
  reply_raw(self, encode_record(json));
}

[[noreturn]] void sleep_forever() {
  signal(SIGTERM, SIG_IGN);
  for (;;) pause();
}

[[noreturn]] void die_by(int which) {
  signal(which, SIG_DFL);  // a sanitizer's handler would exit instead
  raise(which);
  _exit(112);
}

Produced copy_of(const Region& r) {
  return {r.type, [r](std::byte* to) {
            std::memcpy(to, r.data,
                        static_cast<std::size_t>(r.type.span() *
                                                 size_bytes(r.type.dtype)));
          }};
}

Produced zeros(TensorType type) {
  return {std::move(type), [](std::byte*) {}};
}

// What a program without bad operations returns: every output is an input,
// seen through identities.
const Region& source(const Run& run, ValueRef v) {
  while (run.program.is_node(v)) v = operands(run.program.node(v).args[0])[0];
  return run.inputs.at(static_cast<std::size_t>(v.id));
}

Results behave(const Run& run) {
  std::vector<Produced> out;
  for (std::size_t i = 0; i < run.program.outputs.size(); ++i) {
    const Region& from = source(run, run.program.outputs[i]);
    if (run.outputs.empty()) {
      out.push_back(copy_of(from));
    } else if (i < run.outputs.size()) {
      copy_of(from).write(run.outputs[i].data);
    }
  }
  return out;
}

// Throws std::bad_alloc once the limit that the harness set is reached.
[[gnu::noinline]] void allocate_all() {
  constexpr std::size_t kBlock = std::size_t{32} << 20;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (;;) {
    blocks.push_back(std::make_unique<char[]>(kBlock));
    std::memset(blocks.back().get(), 1, kBlock);
  }
}

void allocate_all_or_terminate() noexcept { allocate_all(); }

Results flood(const Run& run, bool and_die) {
  for (int i = 0; i < 60000; ++i) {
    fmt::print(stderr,
               "line {} of a very talkative subject, with text to "
               "fill any pipe that nobody reads\n",
               i);
  }
  if (and_die) die_by(SIGSEGV);
  return behave(run);
}

Results overwrite(const Run& run, std::ptrdiff_t from_start, bool at_end) {
  const Region& r = run.outputs.at(0);
  const auto bytes = at_end ? r.type.span() * size_bytes(r.type.dtype) : 0;
  const Results results = behave(run);
  r.data[bytes + from_start] = std::byte{0};
  return results;
}

// Starts a process in a session of its own. Of `twice` its parent has ended
// by the time this returns.
float start_daemon(bool twice) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (twice && fork() != 0) _exit(0);
    const pid_t self = getpid();
    (void)!write(ends[1], &self, sizeof self);
    sleep_forever();
  }
  pid_t pid = 0;
  (void)!read(ends[0], &pid, sizeof pid);
  if (twice) waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return static_cast<float>(pid);
}

// Returns the numbers of two processes that it leaves behind.
Results leave_daemons(const Run&) {
  const float pids[] = {start_daemon(false), start_daemon(true)};
  return std::vector{
      Produced{TensorType::contiguous(DType::f32, {2}),
               [pids](std::byte* to) { std::memcpy(to, pids, sizeof pids); }}};
}

Json outputs_reply(Json outputs) {
  return {{"ok", true}, {"outputs", std::move(outputs)}};
}

Json tensor_at(std::int64_t offset) {
  return to_json({TensorType::contiguous(DType::f32, {2}), offset, 0});
}

const std::map<std::string, std::function<Results(const Run&)>> kModes = {
    {"crash", [](const Run&) -> Results { die_by(SIGSEGV); }},
    {"abort", [](const Run&) -> Results { die_by(SIGABRT); }},
    {"killed", [](const Run&) -> Results { die_by(SIGKILL); }},
    {"exit", [](const Run&) -> Results { _exit(3); }},
    {"exit0", [](const Run&) -> Results { _exit(0); }},
    {"hang", [](const Run&) -> Results { sleep_forever(); }},
    {"oom",
     [](const Run& run) {
       allocate_all();
       return behave(run);
     }},
    {"oom_dies",
     [](const Run& run) {
       allocate_all_or_terminate();
       return behave(run);
     }},
    {"ftz",
     [](const Run& run) {
       set_fp_control(fp_control() | 0x8040);
       return behave(run);
     }},
    {"rounding",
     [](const Run& run) {
       std::fesetround(FE_UPWARD);
       return behave(run);
     }},
    {"not_json",
     [](const Run& run) -> Results {
       reply_raw(run.self, std::string("\6\0\0\0{oops!", 10));
     }},
    {"not_object",
     [](const Run& run) -> Results {
       reply_json(run.self, {1, 2});
     }},
    {"wrong_length",
     [](const Run& run) -> Results {
       reply_raw(run.self, "\xff\xff\xff\xff{}");
     }},
    {"truncated",
     [](const Run& run) -> Results {
       send_bytes(run.self.descriptors.socket,
                  encode_record({{"ok", true}}).substr(0, 9));
       sleep_forever();
     }},
    {"truncated_exit",
     [](const Run& run) -> Results {
       send_bytes(run.self.descriptors.socket,
                  encode_record({{"ok", true}}).substr(0, 9));
       _exit(0);
     }},
    {"two_replies",
     [](const Run& run) -> Results {
       const std::string one = encode_record(outputs_reply(Json::array()));
       reply_raw(run.self, one + one);
     }},
    {"closes_socket",
     [](const Run& run) -> Results {
       close(run.self.descriptors.socket);
       sleep_forever();
     }},
    {"no_ok",
     [](const Run& run) -> Results {
       reply_json(run.self, {{"fine", true}});
     }},
    {"odd_fields",
     [](const Run& run) -> Results {
       reply_json(run.self, {{"ok", false},
                             {"kind", "refused"},
                             {"exception", 7},
                             {"classes", "many"},
                             {"message", Json::array()}});
     }},
    {"outside",
     [](const Run& run) -> Results {
       reply_json(run.self, outputs_reply({tensor_at(std::int64_t{1} << 40)}));
     }},
    {"before",
     [](const Run& run) -> Results {
       reply_json(run.self, outputs_reply({tensor_at(0)}));
     }},
    {"overflow",
     [](const Run& run) -> Results {
       Json tensor = tensor_at(8192);
       tensor["sizes"] = {std::int64_t{1} << 62, 16};
       tensor["strides"] = {16, 1};
       reply_json(run.self, outputs_reply({tensor}));
     }},
    {"expanded",
     [](const Run& run) -> Results {
       Json tensor = tensor_at(4096);
       tensor["sizes"] = {std::int64_t{1} << 40};
       tensor["strides"] = {0};
       reply_json(run.self, outputs_reply({tensor}));
     }},
    {"negative",
     [](const Run& run) -> Results {
       Json tensor = tensor_at(4096);
       tensor["sizes"] = {0, -2};
       tensor["strides"] = {-2, 1};
       reply_json(run.self, outputs_reply({tensor}));
     }},
    {"unknown_dtype",
     [](const Run& run) -> Results {
       Json tensor = tensor_at(8192);
       tensor["dtype"] = "c32";
       reply_json(run.self, outputs_reply({tensor}));
     }},
    {"layout_of_other_rank",
     [](const Run& run) {
       Results results = behave(run);
       for (Produced& p : std::get<std::vector<Produced>>(results)) {
         p.layout = ReturnedLayout{{2, 1}, 0};
       }
       return results;
     }},
    {"storage_below_all",
     [](const Run& run) {
       Results results = behave(run);
       for (Produced& p : std::get<std::vector<Produced>>(results)) {
         p.layout = ReturnedLayout{{1}, 0, -2};
       }
       return results;
     }},
    {"shrinks",
     [](const Run& run) -> Results {
       (void)!ftruncate(run.self.descriptors.shm, 0);
       reply_json(run.self, outputs_reply(Json::array()));
     }},
    {"past_end", [](const Run& run) { return overwrite(run, 5, true); }},
    {"before_start", [](const Run& run) { return overwrite(run, -3, false); }},
    {"mutates",
     [](const Run& run) {
       Results results = behave(run);
       run.inputs.at(0).data[0] ^= std::byte{1};
       return results;
     }},
    {"returns_another",
     [](const Run& run) {
       Results results = behave(run);
       Produced& first = std::get<std::vector<Produced>>(results).at(0);
       first.write = [write = first.write](std::byte* to) {
         write(to);
         to[0] ^= std::byte{1};
       };
       return results;
     }},
    {"unsteady",
     [](const Run& run) {
       Results results = behave(run);
       static int calls = 0;
       if (++calls % 2 != 0) return results;
       auto& list = std::get<std::vector<Produced>>(results);
       if (list.empty()) {
         run.outputs.at(0).data[0] ^= std::byte{1};
       } else {
         list.at(0).write = [first = list.at(0).write](std::byte* to) {
           first(to);
           to[0] ^= std::byte{1};
         };
       }
       return results;
     }},
    {"raises_twice",
     [](const Run& run) -> Results {
       static int calls = 0;
       if (++calls % 2 != 0) return behave(run);
       return Failure{
           "refused", "once is enough", "ValueError", {"ValueError"}, ""};
     }},
    {"dies_twice",
     [](const Run& run) -> Results {
       static int calls = 0;
       if (++calls % 2 == 0) die_by(SIGSEGV);
       return behave(run);
     }},
    {"wrong_dtype",
     [](const Run&) -> Results {
       return std::vector{zeros(TensorType::contiguous(DType::f64, {2}))};
     }},
    {"wrong_sizes",
     [](const Run&) -> Results {
       return std::vector{zeros(TensorType::contiguous(DType::f32, {1, 2}))};
     }},
    {"too_few", [](const Run&) -> Results { return std::vector<Produced>(); }},
    {"too_many",
     [](const Run& run) {
       Results results = behave(run);
       auto& list = std::get<std::vector<Produced>>(results);
       list.push_back(list.at(0));
       return results;
     }},
    {"raises",
     [](const Run&) -> Results {
       return Failure{"refused",
                      "as it should be",
                      "RuntimeError",
                      {"RuntimeError", "Exception"},
                      "bad/E1"};
     }},
    {"wrong_class",
     [](const Run&) -> Results {
       return Failure{"refused",
                      "no such key",
                      "KeyError",
                      {"KeyError", "LookupError", "Exception"}};
     }},
    {"nameless",
     [](const Run&) -> Results {
       return Failure{"refused", ""};
     }},
    {"unsupported",
     [](const Run&) -> Results {
       return Failure{"unsupported", "not today"};
     }},
    {"internal",
     [](const Run&) -> Results {
       return Failure{"internal", "my fault"};
     }},
    {"loses_device",
     [](const Run&) -> Results {
       return Failure{"device_lost", "gone"};
     }},
    {"ends_with_device",
     [](const Run& run) -> Results {
       send_bytes(
           run.self.descriptors.socket,
           encode_record(
               {{"ok", false}, {"kind", "device_lost"}, {"message", "gone"}}));
       die_by(SIGABRT);
     }},
    {"confesses", behave},
    {"throws",
     [](const Run&) -> Results { throw std::runtime_error("loose"); }},
    {"slow",
     [](const Run& run) {
       usleep(300000);
       return behave(run);
     }},
    {"floods", [](const Run& run) { return flood(run, false); }},
    {"floods_and_dies", [](const Run& run) { return flood(run, true); }},
    {"dies_after_reply",
     [](const Run& run) -> Results {
       send_bytes(run.self.descriptors.socket,
                  encode_record(outputs_reply(Json::array())));
       die_by(SIGABRT);
     }},
    {"daemons", leave_daemons},
    {"orphan",
     [](const Run&) -> Results {
       if (fork() == 0) sleep_forever();  // holds socket and output open
       die_by(SIGSEGV);
     }},
};

class BadExecutable : public Executable {
 public:
  BadExecutable(const Self& self, Program program, std::string mode)
      : self_(self), program_(std::move(program)), mode_(std::move(mode)) {}

  ~BadExecutable() override {
    if (mode_ == "dies_in_drop") die_by(SIGSEGV);
  }

  Results run(const std::vector<Region>& inputs,
              const std::vector<Region>& outputs) override {
    const Run run = {self_, program_, inputs, outputs};
    if (mode_.empty() || mode_ == "dies_in_drop") return behave(run);
    const auto mode = kModes.find(mode_);
    if (mode == kModes.end()) return Failure{"internal", "no mode " + mode_};
    return mode->second(run);
  }

  std::vector<std::string> take_breaches() override {
    if (mode_ != "confesses") return {};
    return {"P2: behind the device's", "P1: not its to say", "",
            "P4: " + std::string(1000, 'x'), "P4: \a"};
  }

  std::string lowering() override {
    return mode_ == "guesses_lowering" ? "guessed" : "";
  }

 private:
  const Self& self_;
  Program program_;
  std::string mode_;
};

class BadHandler : public Handler {
 public:
  BadHandler(const Self& self, std::string mode, bool plugin)
      : self_(self), mode_(std::move(mode)), plugin_(plugin) {}

  Outcome<Hello> hello(const std::string&, const Json&) override {
    if (mode_ == "dies_in_hello") die_by(SIGSEGV);
    if (mode_ == "hangs_in_hello") sleep_forever();
    if (mode_ == "refuses_hello") return Failure{"internal", "no licence"};
    if (mode_ == "other_protocol") {
      reply_json(
          self_,
          {{"ok", true}, {"protocol", 2}, {"name", "bad"}, {"device", "cpu"}});
    }
    if (mode_ == "ftz_in_hello") set_fp_control(fp_control() | 0x8040);
    Hello h;
    h.name = mode_ == "nameless_hello" ? "" : "bad";
    h.version = "1";
    h.device = mode_ == "rings_in_hello" ? "cpu\a\033[31m" : "cpu";
    if (mode_ == "talks_in_hello") h.identity["log"] = std::string(99999, 'x');
    h.allocates_outputs = !plugin_;
    return h;
  }

  Outcome<std::unique_ptr<Executable>> compile(const std::string& text,
                                               const std::string&,
                                               const Json& options) override {
    Result<Program> program = parse_program(text);
    if (!program) return Failure{"internal", program.error().message};
    std::string mode = options.value("mode", "");
    for (const Node& n : program->nodes) {
      if (n.op.starts_with("bad.")) mode = n.op.substr(4, n.op.rfind('.') - 4);
    }
    if (mode == "dies_in_compile") die_by(SIGSEGV);
    if (mode == "ftz_in_compile") {
      set_fp_control(fp_control() | 0x8040);
      mode.clear();
    }
    if (mode == "refuses_in_compile") {
      return Failure{"refused",
                     "compile says no",
                     "TypeError",
                     {"TypeError", "Exception"}};
    }
    return std::unique_ptr<Executable>(
        std::make_unique<BadExecutable>(self_, std::move(*program), mode));
  }

 private:
  const Self& self_;
  std::string mode_;
  bool plugin_;
};

int run(int argc, char** argv) {
  Self self;
  self.command.assign(argv, argv + argc);
  std::vector<std::string> args(argv + 1, argv + argc);
  const auto descriptors = take_descriptors(&args);
  if (!descriptors) return 2;
  self.descriptors = *descriptors;
  std::string mode;
  bool plugin = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--plugin") plugin = true;
    if (args[i] == "--mode" && i + 1 < args.size()) mode = args[i + 1];
  }
  BadHandler handler(self, mode, plugin);
  return serve(self.descriptors, handler);
}

}  // namespace
}  // namespace assay::harness::worker

int main(int argc, char** argv) {
  return assay::harness::worker::run(argc, argv);
}
