#include "harness/subject/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/process.h"
#include "harness/subject/gpu.h"
#include "harness/subject/places.h"
#include "harness/subject/reply.h"

namespace assay::harness {
namespace {

constexpr const char* kKnown =
    "known are eager, eager{isa=LEVEL}, bundled, bundled{defect=NAME}, "
    "plugin:FILE.so, torch:BACKEND, torch:BACKEND@VERSION, "
    "torch:BACKEND{\"OPTION\":VALUE}, jax, onnxruntime, "
    "onnxruntime{optimize=LEVEL} and worker:PROGRAM";

using Options = std::map<std::string, std::string>;

// Backends that come in a package of their own.
const std::map<std::string, std::string> kBackendPackages = {
    {"openvino", "openvino"}};

// One thread: the order of a sum must not depend on the machine's load.
const Options kOneThread = {{"OMP_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}};

// Which targets are judged without a GPU, oldest first. Those that run are a
// generation each whose code differs most.
struct CudaTarget {
  const char* name;
  bool runs = false;
};
struct CudaColumns {
  const char* subject;
  std::vector<CudaTarget> targets;
};
// On this machine's GPU, launched as a user's are: torch.compile's programs by
// torch, which calls cuBLAS and cuDNN, too.
constexpr const char* kColumnsHere[] = {
    "bundled{target=cuda}", "torch:eager{target=cuda}",
    "torch:inductor{target=cuda,launcher=torch}"};
const std::vector<CudaColumns> kCudaColumns = {
    {"bundled",
     {{"sm_75", true},
      {"sm_80"},
      {"sm_86"},
      {"sm_89"},
      {"sm_90", true},
      {"sm_90a"},
      {"sm_100"},
      {"sm_100f", true},
      {"sm_100a"},
      {"sm_103"},
      {"sm_110"},
      {"sm_120"},
      {"sm_120f"}}},
    {"torch:inductor",
     {{"sm_75"},
      {"sm_80", true},
      {"sm_86"},
      {"sm_89"},
      {"sm_90", true},
      {"sm_100", true},
      {"sm_120"}}},
};

struct Spelling {
  std::string head;  // "torch"
  std::string rest;  // "inductor@2.15.0", empty without ':'
  Options options;   // of the braces
};

// {"a": true, "b": "x"} or {a=true,b=x}. Values are JSON texts, or plain
// words where a word cannot be taken for anything else.
Result<Options> read_options(const std::string& braces) {
  Options out;
  const Json json = Json::parse(braces, nullptr, false);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      const std::string word =
          value.is_string() ? value.get<std::string>() : std::string();
      out[key] =
          value.is_string() && option_json(word) == value ? word : value.dump();
    }
    return out;
  }
  std::string inside = braces.substr(1, braces.size() - 2);
  while (!inside.empty()) {
    const std::size_t comma = std::min(inside.find(','), inside.size());
    const std::string item = inside.substr(0, comma);
    inside.erase(0, comma + 1);
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error{
          fmt::format("'{}' is neither a JSON object nor a list of "
                      "name=value",
                      braces)};
    }
    out[item.substr(0, equals)] = item.substr(equals + 1);
  }
  return out;
}

// Where the options begin: at the brace whose partner ends the text. Braces
// before that one belong to a path.
Result<std::size_t> find_options(const std::string& text) {
  if (text.ends_with('}')) {
    // JSON first, whose strings may hold braces.
    for (std::size_t at = text.find('{'); at != std::string::npos;
         at = text.find('{', at + 1)) {
      if (Json::accept(text.substr(at))) return at;
    }
  }
  std::size_t begin = text.size();
  int open = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == '}') ++open;
    if (text[at] != '{') continue;
    if (--open < 0) {
      return Error{fmt::format("'{}' has no closing brace at its end", text)};
    }
    if (open == 0 && begin == text.size() && text.ends_with('}')) begin = at;
  }
  return begin;
}

Result<Spelling> split(const std::string& text) {
  Spelling out;
  const Result<std::size_t> end = find_options(text);
  if (!end) return end.error();
  const std::string plain = text.substr(0, *end);
  if (*end < text.size()) {
    Result<Options> options = read_options(text.substr(*end));
    if (!options) return options.error();
    out.options = std::move(*options);
  }
  const std::size_t colon = std::min(plain.find(':'), plain.size());
  out.head = plain.substr(0, colon);
  if (colon < plain.size()) out.rest = plain.substr(colon + 1);
  return out;
}

std::string take(Options* options, const std::string& name) {
  const auto found = options->find(name);
  if (found == options->end()) return {};
  std::string value = found->second;
  options->erase(found);
  return value;
}

Result<std::string> existing_file(const std::string& path,
                                  const char* example) {
  std::error_code failed;
  const auto file = std::filesystem::absolute(path, failed);
  if (path.empty()) return Error{fmt::format("a file is due: {}", example)};
  if (!std::filesystem::is_regular_file(file, failed)) {
    return Error{fmt::format("there is no file {}", path)};
  }
  return file.string();
}

// oneDNN and MKL choose their kernels by themselves; they are held to the
// level too, so that the column is what a machine of that level shows.
Options eager_environment(const std::string& level) {
  Options out = kOneThread;
  out["ATEN_CPU_CAPABILITY"] = level;
  if (level == "avx2") {
    out["ONEDNN_MAX_CPU_ISA"] = "AVX2";
    out["MKL_ENABLE_INSTRUCTIONS"] = "AVX2";
  } else if (level == "default") {
    out["ONEDNN_MAX_CPU_ISA"] = "SSE41";
    out["MKL_ENABLE_INSTRUCTIONS"] = "SSE4_2";
  }
  return out;
}

Result<SubjectConfig> in_python(const std::string& backend,
                                const std::string& version) {
  const auto package = kBackendPackages.find(backend);
  Result<std::string> python = find_python(
      version, package == kBackendPackages.end() ? "" : package->second);
  if (!python) return python.error();
  Result<std::string> worker =
      find_source("harness/workers/python/torch_worker.py");
  if (!worker) return worker.error();
  SubjectConfig config;
  config.command = {*python, *worker, "--backend", backend};
  config.environment = kOneThread;
  return config;
}

// Where torch is not the one that the worker in C++ was built for, Python
// stands in for it, under a name of its own.
Result<SubjectConfig> eager_worker() {
  const EagerTorch torch = eager_torch();
  if (in_bundle() && !torch.fits()) return in_python("eager", "");
  Result<std::string> program = find_program("assay-eager-worker");
  if (!program) return program.error();
  SubjectConfig config;
  config.command = {*program};
  if (!torch.libraries.empty()) {
    const char* before = std::getenv("LD_LIBRARY_PATH");
    const bool more = before != nullptr && *before != '\0';
    config.environment["LD_LIBRARY_PATH"] =
        torch.libraries + (more ? ":" + std::string(before) : "");
  }
  return config;
}

Result<SubjectConfig> eager(Spelling s) {
  const std::vector<std::string> levels = cpu_levels();
  std::string level = take(&s.options, "isa");
  if (level.empty()) level = levels.back();
  if (!s.rest.empty() || !s.options.empty() ||
      std::find(levels.begin(), levels.end(), level) == levels.end()) {
    return Error{fmt::format(
        "eager takes {{isa=LEVEL}}; this machine has {}. On a GPU it is "
        "torch:eager{{target=cuda}}",
        fmt::join(levels, ", "))};
  }
  Result<SubjectConfig> config = eager_worker();
  if (config) config->environment.merge(eager_environment(level));
  return config;
}

// A compiler for a GPU says what it would launch, and that is executed: by the
// machine's first GPU for the target cuda, by the PTX machine where the target
// names an SM.
Result<SubjectConfig> on_device(SubjectConfig config) {
  const bool here = config.target == "cuda";
  if (!here && !config.target.starts_with("cuda-")) return config;
  Result<std::string> device =
      find_program(here ? kCudaWorker : "assay-ptx-worker");
  if (!device) return device.error();
  std::vector<std::string> command = {*device};
  if (here) {
    if (config.options.contains("recorded")) {
      return Error{
          "recorded=NAME is for the PTX machine, target=cuda-sm_90, say; a GPU "
          "gives results of its own"};
    }
    const std::string file = take(&config.options, "compare");
    if (!file.empty()) {
      command.insert(command.end(),
                     {"--compare", std::filesystem::absolute(file).string()});
    }
  } else if (take(&config.options, "run") == "false") {
    command.emplace_back("--lint");
  }
  config.command.insert(config.command.begin(), command.begin(), command.end());
  config.plugin = false;
  return config;
}

Result<SubjectConfig> plugin(const std::string& file, Spelling s) {
  Result<std::string> host = find_program("assay-plugin-worker");
  if (!host) return host.error();
  SubjectConfig config;
  config.command = {*host, file};
  if (const std::string target = take(&s.options, "target"); !target.empty()) {
    config.target = target;
  }
  config.options = std::move(s.options);
  config.plugin = true;
  return on_device(std::move(config));
}

Result<SubjectConfig> bundled(Spelling s) {
  if (!s.rest.empty()) return Error{"bundled takes only {name=value}"};
  Result<std::string> file = find_plugin("assay_bundled.so");
  if (!file) return file.error();
  Result<SubjectConfig> config = plugin(*file, std::move(s));
  // Part of this tree: the run's identities name its revision.
  if (config) config->versioned = false;
  return config;
}

Result<SubjectConfig> vendor_plugin(Spelling s) {
  Result<std::string> file =
      existing_file(s.rest, "plugin:/path/to/libvendor.so");
  if (!file) return file.error();
  return plugin(*file, std::move(s));
}

Result<SubjectConfig> foreign_worker(Spelling s) {
  Result<std::string> file = existing_file(s.rest, "worker:/path/to/program");
  if (!file) return file.error();
  SubjectConfig config;
  config.command = {*file};
  if (const std::string target = take(&s.options, "target"); !target.empty()) {
    config.target = target;
  }
  config.options = std::move(s.options);
  return on_device(std::move(config));
}

// A worker in Python on a package that has an environment of its own. Its
// version is the lock's, or that of the user's own python.
Result<SubjectConfig> on_package(const std::string& package,
                                 const std::string& source) {
  Result<std::string> python = find_package_python(package);
  if (!python) return python.error();
  Result<std::string> worker = find_source("harness/workers/" + source);
  if (!worker) return worker.error();
  SubjectConfig config;
  config.command = {*python, *worker};
  config.environment = kOneThread;
  return config;
}

// XLA on the CPU, asked through JAX.
Result<SubjectConfig> jax(Spelling s) {
  if (!s.rest.empty() || !s.options.empty()) {
    return Error{
        "jax takes no options: env/jax.lock names its version, and XLA_FLAGS "
        "reaches XLA as it is"};
  }
  return on_package("jax", "jax/jax_worker.py");
}

Result<SubjectConfig> onnxruntime(Spelling s) {
  constexpr std::string_view kLevels[] = {"all", "extended", "basic", "none"};
  const auto level = s.options.find("optimize");
  const bool given = level != s.options.end();
  const bool known = !given || std::find(std::begin(kLevels), std::end(kLevels),
                                         level->second) != std::end(kLevels);
  if (!s.rest.empty() || s.options.size() > (given ? 1 : 0) || !known) {
    return Error{fmt::format(
        "onnxruntime takes {{optimize=LEVEL}}, of {}; env/onnxruntime.lock "
        "names its version",
        fmt::join(kLevels, ", "))};
  }
  Result<SubjectConfig> config =
      on_package("onnxruntime", "onnxruntime/ort_worker.py");
  if (config) config->options = std::move(s.options);
  return config;
}

// Does torch launch its kernels on this machine's GPU by itself? The option
// stays, as a part of the column's name: Inductor's programs are another column
// where a launch plan of theirs is launched by us.
Result<bool> launched_by_torch(const std::string& backend,
                               const SubjectConfig& config) {
  const bool here = config.target == "cuda";
  const bool plans = backend == "inductor";
  const auto launcher = config.options.find("launcher");
  if (launcher == config.options.end()) return here && !plans;
  if (here && plans && launcher->second == "torch") return true;
  return Error{
      "launcher=torch goes with torch:inductor and target=cuda; any other "
      "backend has no other launcher"};
}

Result<SubjectConfig> torch(Spelling s) {
  const std::size_t at = std::min(s.rest.find('@'), s.rest.size());
  const std::string backend = s.rest.substr(0, at);
  const std::string version =
      at < s.rest.size() ? s.rest.substr(at + 1) : std::string();
  if (backend.empty() || (at < s.rest.size() && version.empty())) {
    return Error{
        "torch takes a backend and perhaps a version: "
        "torch:inductor, torch:inductor@2.15.0"};
  }
  Result<SubjectConfig> config = in_python(backend, version);
  if (!config) return config;
  if (const std::string target = take(&s.options, "target"); !target.empty()) {
    config->target = target;
  }
  config->options = std::move(s.options);
  const Result<bool> alone = launched_by_torch(backend, *config);
  if (!alone) return alone.error();
  return *alone ? config : on_device(std::move(*config));
}

}  // namespace

Result<SubjectConfig> parse_subject(const std::string& spelling) {
  using Reader = Result<SubjectConfig> (*)(Spelling);
  static const std::map<std::string, Reader> kReaders = {
      {"eager", eager},
      {"bundled", bundled},
      {"plugin", vendor_plugin},
      {"torch", torch},
      {"jax", jax},
      {"onnxruntime", onnxruntime},
      {"worker", foreign_worker}};
  Result<Spelling> s = split(spelling);
  if (!s) {
    return Error{fmt::format("subject '{}': {}", spelling, s.error().message)};
  }
  const auto reader = kReaders.find(s->head);
  if (reader == kReaders.end()) {
    return Error{fmt::format("unknown subject '{}'; {}", spelling, kKnown)};
  }
  Result<SubjectConfig> config = reader->second(std::move(*s));
  if (!config) {
    return Error{
        fmt::format("subject '{}': {}", spelling, config.error().message)};
  }
  config->spelling = spelling;
  return config;
}

Result<std::vector<std::string>> subjects_of_device(const std::string& device,
                                                    bool all_run) {
  if (device != "cpu" && device != "cuda" && device != "cuda-static" &&
      device != "all") {
    return Error{fmt::format(
        "device '{}' is none of cpu, cuda, cuda-static and all", device)};
  }
  std::vector<std::string> out;
  if (device == "cpu" || device == "all") {
    for (const std::string& level : cpu_levels()) {
      out.push_back(fmt::format("eager{{isa={}}}", level));
    }
    out.insert(out.end(), {"bundled", "torch:inductor"});
  }
  if (device == "cpu") return out;
  std::string here;  // the SM of the GPU, which has columns that run
  if (device != "cuda-static") {
    const Result<Gpu> gpu = gpu_of_this_machine();
    if (!gpu && device == "cuda") {
      return Error{fmt::format(
          "no GPU can be used here: {}; --device cuda-static judges what "
          "compilers make for one, without it",
          gpu.error().message)};
    }
    if (gpu) here = gpu->sm;
  }
  if (!here.empty()) {
    out.insert(out.end(), std::begin(kColumnsHere), std::end(kColumnsHere));
  }
  if (device == "cuda") return out;
  for (const CudaColumns& c : kCudaColumns) {
    for (const CudaTarget& t : c.targets) {
      if (t.name == here) continue;
      out.push_back(fmt::format("{}{{target=cuda-{}{}}}", c.subject, t.name,
                                t.runs || all_run ? "" : ",run=false"));
    }
  }
  return out;
}

}  // namespace assay::harness
