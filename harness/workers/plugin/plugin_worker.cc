// assay-plugin-worker FILE.so: runs programs through a compiler that is a
// shared object (include/assay/plugin.h). It allocates nothing on the
// plugin's behalf: tensors lie where the harness put them.
#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <utility>

#include "assay/plugin.h"
#include "core/sanitizer.h"
#include "harness/workers/serve.h"
#include "kit/dlpack.h"

namespace assay::harness::worker {
namespace {

// A field that a plugin of an older minor version does not have.
#define ASSAY_HAS_FIELD(object, field) \
  ((object)->struct_size >=            \
   offsetof(AssayPlugin, field) + sizeof((object)->field))

std::string text_or_empty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

// Python's own classes; a plugin gives only the name of one.
std::vector<std::string> classes_of(const std::string& exception) {
  std::vector<std::string> out = {exception};
  if (exception == "IndexError" || exception == "KeyError") {
    out.push_back("LookupError");
  }
  if (exception == "NotImplementedError") out.push_back("RuntimeError");
  out.push_back("Exception");
  return out;
}

AssayError empty_error() {
  return {sizeof(AssayError), nullptr, nullptr, nullptr, nullptr};
}

Failure failure_of(AssayCode code, const AssayError& error) {
  std::string message = text_or_empty(error.message);
  switch (code) {
    case ASSAY_UNSUPPORTED:
      return {"unsupported", std::move(message)};
    case ASSAY_REFUSED: {
      const std::string exception = text_or_empty(error.exception);
      return {"refused",
              std::move(message),
              exception,
              classes_of(exception),
              text_or_empty(error.clause),
              text_or_empty(error.lowering)};
    }
    case ASSAY_INTERNAL:
      return {"internal", std::move(message)};
    case ASSAY_OK:
      break;
  }
  return {"internal", fmt::format("the plugin answered with code {}, which "
                                  "plugin.h does not have",
                                  static_cast<int>(code))};
}

// An input or output as the plugin sees it.
AssayTensor plugin_tensor(const Region& r) {
  return {
      sizeof(AssayTensor),          r.data,
      kit::to_dlpack(r.type.dtype), static_cast<int32_t>(r.type.sizes.size()),
      r.type.sizes.data(),          r.type.strides.data()};
}

std::vector<AssayTensor> plugin_tensors(const std::vector<Region>& regions) {
  std::vector<AssayTensor> out;
  for (const Region& r : regions) out.push_back(plugin_tensor(r));
  return out;
}

class Artifact : public Executable {
 public:
  Artifact(const AssayPlugin* plugin, AssayArtifact* artifact)
      : plugin_(plugin), artifact_(artifact) {}
  ~Artifact() override { plugin_->destroy(artifact_); }

  Outcome<std::vector<Produced>> run(
      const std::vector<Region>& inputs,
      const std::vector<Region>& outputs) override {
    const std::vector<AssayTensor> in = plugin_tensors(inputs);
    std::vector<AssayTensor> out = plugin_tensors(outputs);
    AssayError error = empty_error();
    const AssayCode code = plugin_->launch(artifact_, in.data(), in.size(),
                                           out.data(), out.size(), &error);
    if (code != ASSAY_OK) return failure_of(code, error);
    return std::vector<Produced>();
  }

  std::optional<std::string> explain(const std::string& kind) override {
    if (!ASSAY_HAS_FIELD(plugin_, explain) || plugin_->explain == nullptr) {
      return std::nullopt;
    }
    const char* text = plugin_->explain(artifact_, kind.c_str());
    if (text == nullptr) return std::nullopt;
    return std::string(text);
  }

  std::string lowering() override {
    if (!ASSAY_HAS_FIELD(plugin_, lowering) || plugin_->lowering == nullptr) {
      return {};
    }
    return text_or_empty(plugin_->lowering(artifact_));
  }

 private:
  const AssayPlugin* plugin_;
  AssayArtifact* artifact_;
};

class PluginHandler : public Handler {
 public:
  explicit PluginHandler(std::string file) : file_(std::move(file)) {}

  Outcome<Hello> hello(const std::string& target, const Json&) override {
    if (const std::string fault = load(); !fault.empty()) {
      return Failure{"internal", fault};
    }
    const auto chosen = choose_target(target);
    if (!chosen) {
      return Failure{"internal",
                     fmt::format("{} has no target {}; it has {}", file_,
                                 target, text_or_empty(plugin_->targets))};
    }
    target_ = *chosen;
    Hello h;
    h.name = text_or_empty(plugin_->name);
    h.version = text_or_empty(plugin_->version);
    h.device = target_;
    h.identity = {
        {"plugin", file_.substr(file_.rfind('/') + 1)},
        {"version", h.version},
        {"abi", fmt::format("{}.{}", plugin_->abi_major, plugin_->abi_minor)}};
    h.allocates_outputs = false;
    h.writes_operands = false;
    if (ASSAY_HAS_FIELD(plugin_, promises) && plugin_->promises != nullptr) {
      h.promises = {"values", "errors"};
      std::istringstream words(plugin_->promises);
      for (std::string word; words >> word;) h.promises.push_back(word);
    }
    return h;
  }

  Outcome<std::unique_ptr<Executable>> compile(const std::string& program,
                                               const std::string&,
                                               const Json& options) override {
    // Kept apart from their pointers, which would dangle as the list grows.
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& [name, value] : options.items()) {
      texts.emplace_back(
          name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    std::vector<AssayOption> list;
    for (const auto& [name, value] : texts) {
      list.push_back({name.c_str(), value.c_str()});
    }
    AssayError error = empty_error();
    AssayCode code = query(program, list, &error);
    if (code != ASSAY_OK) return failure_of(code, error);
    AssayArtifact* artifact = nullptr;
    error = empty_error();
    code = plugin_->compile(program.c_str(), target_.c_str(), list.data(),
                            list.size(), &artifact, &error);
    if (code != ASSAY_OK) return failure_of(code, error);
    return std::unique_ptr<Executable>(
        std::make_unique<Artifact>(plugin_, artifact));
  }

 private:
  AssayCode query(const std::string& program,
                  const std::vector<AssayOption>& options,
                  AssayError* error) const {
    if (ASSAY_HAS_FIELD(plugin_, query_with_options) &&
        plugin_->query_with_options != nullptr) {
      return plugin_->query_with_options(program.c_str(), target_.c_str(),
                                         options.data(), options.size(), error);
    }
    return plugin_->query(program.c_str(), target_.c_str(), error);
  }

  // What is wrong with the file; empty if nothing is.
  std::string load() {
    // Not RTLD_GLOBAL: a vendor's symbols stay its own.
    void* library = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return fmt::format("cannot load {}: {}", file_, dlerror());
    }
    using Query = const AssayPlugin* (*)(std::uint32_t, std::uint32_t);
    const auto query =
        reinterpret_cast<Query>(dlsym(library, ASSAY_PLUGIN_SYMBOL));
    if (query == nullptr) {
      return fmt::format("{} does not export {} (assay/plugin.h)", file_,
                         ASSAY_PLUGIN_SYMBOL);
    }
    plugin_ = query(ASSAY_PLUGIN_ABI_MAJOR, ASSAY_PLUGIN_ABI_MINOR);
    if (plugin_ == nullptr || plugin_->abi_major != ASSAY_PLUGIN_ABI_MAJOR) {
      return fmt::format("{} does not know version {}.{} of plugin.h", file_,
                         ASSAY_PLUGIN_ABI_MAJOR, ASSAY_PLUGIN_ABI_MINOR);
    }
    if (!ASSAY_HAS_FIELD(plugin_, destroy) || plugin_->query == nullptr ||
        plugin_->compile == nullptr || plugin_->launch == nullptr ||
        plugin_->destroy == nullptr || plugin_->name == nullptr ||
        plugin_->targets == nullptr) {
      return fmt::format("the table of {} is not complete", file_);
    }
    const std::string theirs = text_or_empty(plugin_->sanitizer);
    if (!theirs.empty() && theirs != kSanitizer) {
      return fmt::format(
          "{} is built with -fsanitize={}, this program is "
          "not: use a build that is (CMake preset asan-ubsan "
          "or tsan)",
          file_, theirs);
    }
    return {};
  }

  // "cpu" leaves the choice to the plugin: its first target.
  std::optional<std::string> choose_target(const std::string& wanted) const {
    std::istringstream list(text_or_empty(plugin_->targets));
    std::string first;
    for (std::string one; list >> one;) {
      if (one == wanted) return one;
      if (first.empty()) first = one;
    }
    if (wanted == "cpu" && !first.empty()) return first;
    return std::nullopt;
  }

  std::string file_;
  std::string target_;
  const AssayPlugin* plugin_ = nullptr;
};

int run(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const auto descriptors = take_descriptors(&args);
  if (!descriptors || args.size() != 1) {
    fmt::print(stderr,
               "usage: assay-plugin-worker FILE.so --socket-fd N "
               "--shm-fd N\n");
    return 2;
  }
  PluginHandler handler(args[0]);
  return serve(*descriptors, handler);
}

}  // namespace
}  // namespace assay::harness::worker

int main(int argc, char** argv) {
  return assay::harness::worker::run(argc, argv);
}
