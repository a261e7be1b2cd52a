// The bundled compiler behind include/assay/plugin.h, like any vendor's.
//
// Options: defect=NAME (compiler/graph/defects.h), compiler=PROGRAM,
// cache=FOLDER, optimize=auto|fast|small, sizes=free|fixed (code for the shape
// alone), threads=N (1), lowering=hand|derived, engine=compiled|graph|nest (the
// interpreters)|blocks (compiler/blocks/), start=compiled|blocks (until the
// code is there), tensor_cores=on|off (products of f16 and bf16 on a GPU).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

#include "assay/plugin.h"
#include "compiler/artifact.h"
#include "compiler/cuda/toolchain.h"
#include "core/program_text.h"
#include "core/sanitizer.h"
#include "kit/dlpack.h"
#include "kit/failure.h"

namespace assay::compiler {
namespace {

constexpr const char* kVersion = "1";
constexpr int kMostThreads = 256;
constexpr const char* kCudaPrefix = "cuda-";

AssayCode report(AssayError* error, AssayCode code, Refusal text) {
  return kit::report(error, code,
                     {std::move(text.exception), std::move(text.message),
                      std::move(text.clause)});
}

AssayCode report(AssayError* error, Failure failure) {
  constexpr std::size_t kWithLowering =
      offsetof(AssayError, lowering) + sizeof(AssayError::lowering);
  if (error != nullptr && error->struct_size >= kWithLowering) {
    error->lowering =
        failure.lowering ? lowering_name(*failure.lowering) : nullptr;
  }
  switch (failure.kind) {
    case Failure::Kind::unsupported:
      return report(error, ASSAY_UNSUPPORTED, std::move(failure.refusal));
    case Failure::Kind::refused:
      return report(error, ASSAY_REFUSED, std::move(failure.refusal));
    default:
      return report(error, ASSAY_INTERNAL, std::move(failure.refusal));
  }
}

AssayCode internal(AssayError* error, std::string message) {
  return report(error, ASSAY_INTERNAL, {"", "", std::move(message)});
}

// Into what `out` holds already: most launches are of the same shapes as the
// last one, and allocate nothing.
bool read_tensors(const AssayTensor* from, std::size_t count,
                  std::vector<TensorRef>* out) {
  out->resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const AssayTensor& t = from[i];
    const std::optional<DType> dtype = kit::from_dlpack(t.dtype);
    if (!dtype || t.rank < 0) return false;
    TensorRef& ref = (*out)[i];
    ref.type.dtype = *dtype;
    ref.type.sizes.assign(t.sizes, t.sizes + t.rank);
    ref.type.strides.assign(t.strides, t.strides + t.rank);
    if (is_complex(*dtype)) ref.type = components(ref.type);
    ref.data = t.data;
  }
  return true;
}

Status read_option(const AssayOption& o, CompileOptions* options) {
  const std::string name = o.name;
  const std::string value = o.value;
  if (name == "defect") {
    options->defect = parse_defect(value);
    if (options->defect) return success();
    std::string known;
    for (const DefectRow& row : kDefects) {
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    return Error{
        fmt::format("unknown defect '{}': known are {}", value, known)};
  }
  if (name == "compiler") {
    options->compiler = value;
    return success();
  }
  if (name == "cache") {
    options->cache = value;
    return success();
  }
  using Engine = CompileOptions::Engine;
  constexpr std::pair<const char*, Engine> kEngines[] = {
      {"compiled", Engine::compiled},
      {"graph", Engine::graph},
      {"nest", Engine::nest},
      {"blocks", Engine::blocks}};
  if (name == "engine") {
    for (const auto& [text, engine] : kEngines) {
      if (value != text) continue;
      options->engine = engine;
      return success();
    }
  }
  if (name == "start" && (value == "compiled" || value == "blocks")) {
    using Start = CompileOptions::Start;
    options->start = value == "blocks" ? Start::blocks : Start::compiled;
    return success();
  }
  if (name == "optimize" &&
      (value == "auto" || value == "fast" || value == "small")) {
    using Size = ToolchainOptions::Program;
    if (value == "fast") options->program = Size::large;
    if (value == "small") options->program = Size::small;
    return success();
  }
  if (name == "sizes" && (value == "free" || value == "fixed")) {
    options->fixed_sizes = value == "fixed";
    return success();
  }
  if (name == "tensor_cores" && (value == "on" || value == "off")) {
    options->tensor_cores = value == "on" ? TensorCores::on : TensorCores::off;
    return success();
  }
  if (name == "threads") {
    const auto [end, fault] = std::from_chars(
        value.data(), value.data() + value.size(), options->threads);
    if (fault == std::errc() && end == value.data() + value.size() &&
        options->threads >= 1 && options->threads <= kMostThreads) {
      return success();
    }
  }
  if (name == "lowering" && (value == "hand" || value == "derived")) {
    options->lowering = value == "hand" ? Lowering::hand : Lowering::derived;
    return success();
  }
  return Error{fmt::format(
      "unknown option {}={}: known are defect=NAME, compiler=PROGRAM, "
      "cache=FOLDER, optimize=auto|fast|small, "
      "engine=compiled|graph|nest|blocks, start=compiled|blocks, "
      "lowering=hand|derived, sizes=free|fixed, tensor_cores=on|off, "
      "threads=1 to {}",
      name, value, kMostThreads)};
}

// What options ask for together.
Status check_options(const CompileOptions& options) {
  if (options.cuda.empty() && options.defect &&
      place_of(*options.defect) == DefectPlace::cuda) {
    return Error{"this defect is one of CUDA code: choose a cuda target"};
  }
  if (!options.cuda.empty() && options.defect &&
      place_of(*options.defect) == DefectPlace::cpu) {
    return Error{"this defect is one of CPU code: choose a cpu target"};
  }
  if (!options.cuda.empty() &&
      options.engine != CompileOptions::Engine::compiled) {
    return Error{"the interpreters run on the CPU: choose a cpu target"};
  }
  return success();
}

// Every target by name. Without a working NVRTC the CUDA targets are there all
// the same, and say what is missing when something is to be compiled for them.
const std::vector<std::string>& target_names() {
  static const auto* const list = [] {
    auto* names = new std::vector<std::string>;
    for (const Target& t : machine_targets()) names->push_back(t.name);
    const auto& tools = cuda_toolchain();
    const bool any = tools.ok() && !(*tools)->targets().empty();
    for (const std::string& t :
         any ? (*tools)->targets() : known_cuda_targets()) {
      names->push_back(kCudaPrefix + t);
    }
    return names;
  }();
  return *list;
}

Status read_target(const char* name, CompileOptions* options) {
  const std::string wanted = name != nullptr ? name : "";
  const std::vector<std::string>& all = target_names();
  if (wanted.starts_with(kCudaPrefix) &&
      std::find(all.begin(), all.end(), wanted) != all.end()) {
    if (!cuda_toolchain().ok()) return cuda_toolchain().error();
    options->cuda = wanted.substr(std::string_view(kCudaPrefix).size());
    return success();
  }
  const std::optional<Target> target = find_target(wanted);
  if (!target) {
    return Error{fmt::format("target '{}' is not available here; there is {}",
                             wanted, fmt::join(all, " "))};
  }
  options->target = *target;
  return success();
}

// The program of `text`, kept until another is asked for: a host asks whether
// a program is supported and then compiles it.
const Result<Program>& parsed(const char* text) {
  struct Last {
    std::string text;
    Result<Program> program;
  };
  static thread_local std::optional<Last> last;
  if (!last || last->text != text) last = {text, parse_program(text)};
  return last->program;
}

// ASSAY_OK where target and options say what to compile for.
AssayCode read_all(const char* target, const AssayOption* given,
                   std::size_t count, CompileOptions* options,
                   AssayError* error) {
  const Status found = read_target(target, options);
  if (!found.ok()) {
    return report(error, ASSAY_UNSUPPORTED, {"", "", found.error().message});
  }
  Status read = success();
  for (std::size_t i = 0; i < count && read.ok(); ++i) {
    read = read_option(given[i], options);
  }
  if (read.ok()) read = check_options(*options);
  return read.ok() ? ASSAY_OK : internal(error, read.error().message);
}

AssayCode query_with_options(const char* text, const char* target,
                             const AssayOption* given, std::size_t count,
                             AssayError* error) {
  CompileOptions options;
  const AssayCode understood = read_all(target, given, count, &options, error);
  if (understood != ASSAY_OK) return understood;
  const Result<Program>& program = parsed(text);
  if (!program.ok()) return internal(error, program.error().message);
  const Result<Imported> imported =
      import_program(*program, {}, options.lowering);
  if (!imported.ok()) return internal(error, imported.error().message);
  if (imported->unsupported.empty()) return ASSAY_OK;
  return report(error, ASSAY_UNSUPPORTED,
                {"", "", "not supported: " + imported->unsupported});
}

AssayCode query(const char* text, const char* target, AssayError* error) {
  return query_with_options(text, target, nullptr, 0, error);
}

AssayCode compile(const char* text, const char* target,
                  const AssayOption* given, std::size_t count,
                  AssayArtifact** artifact, AssayError* error) {
  CompileOptions options;
  const AssayCode understood = read_all(target, given, count, &options, error);
  if (understood != ASSAY_OK) return understood;
  const Result<Program>& program = parsed(text);
  if (!program.ok()) return internal(error, program.error().message);
  Artifact::Made made = Artifact::compile(*program, options);
  if (auto* failure = std::get_if<Failure>(&made)) {
    return report(error, std::move(*failure));
  }
  *artifact = reinterpret_cast<AssayArtifact*>(
      std::get<std::unique_ptr<Artifact>>(made).release());
  return ASSAY_OK;
}

AssayCode launch(AssayArtifact* artifact, const AssayTensor* inputs,
                 std::size_t input_count, AssayTensor* outputs,
                 std::size_t output_count, AssayError* error) {
  static thread_local std::vector<TensorRef> in, out;
  if (!read_tensors(inputs, input_count, &in) ||
      !read_tensors(outputs, output_count, &out)) {
    return internal(error, "a tensor of an element type that is not known");
  }
  auto failure = reinterpret_cast<Artifact*>(artifact)->launch(in, out);
  return failure ? report(error, std::move(*failure)) : ASSAY_OK;
}

void destroy(AssayArtifact* artifact) {
  delete reinterpret_cast<Artifact*>(artifact);
}

const char* explain(AssayArtifact* artifact, const char* kind) {
  const std::string& text =
      reinterpret_cast<Artifact*>(artifact)->explain(kind);
  return text.empty() ? nullptr : text.c_str();
}

const char* lowering(AssayArtifact* artifact) {
  return lowering_name(reinterpret_cast<Artifact*>(artifact)->lowering());
}

// No exception may cross the interface: running out of memory, say.
template <auto kFunction, class... Args>
AssayCode guarded(Args... args, AssayError* error) {
  try {
    return kFunction(args..., error);
  } catch (const std::exception& e) {
    return internal(error, e.what());
  }
}

const std::string& target_list() {
  static const auto* const list =
      new std::string(fmt::format("{}", fmt::join(target_names(), " ")));
  return *list;
}

}  // namespace
}  // namespace assay::compiler

extern "C" __attribute__((visibility("default"))) const AssayPlugin*
assay_plugin_query(uint32_t host_abi_major, uint32_t) {
  namespace c = assay::compiler;
  static const AssayPlugin plugin = {
      sizeof(AssayPlugin),
      ASSAY_PLUGIN_ABI_MAJOR,
      ASSAY_PLUGIN_ABI_MINOR,
      "bundled",
      c::kVersion,
      c::target_list().c_str(),
      assay::kSanitizer.empty() ? nullptr : assay::kSanitizer.data(),
      c::guarded<c::query, const char*, const char*>,
      c::guarded<c::compile, const char*, const char*, const AssayOption*,
                 std::size_t, AssayArtifact**>,
      c::guarded<c::launch, AssayArtifact*, const AssayTensor*, std::size_t,
                 AssayTensor*, std::size_t>,
      c::destroy,
      c::explain,
      c::guarded<c::query_with_options, const char*, const char*,
                 const AssayOption*, std::size_t>,
      c::lowering,
      "rows",
  };
  return host_abi_major == ASSAY_PLUGIN_ABI_MAJOR ? &plugin : nullptr;
}
