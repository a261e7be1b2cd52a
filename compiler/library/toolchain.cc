#include "compiler/library/toolchain.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include "compiler/library/cache_file.h"
#include "core/process.h"

namespace assay::compiler {
namespace {

namespace fs = std::filesystem;

std::atomic<std::int64_t> compiled{0};

// `program --version`, asked once per process.
Result<std::string> compiler_version(const std::string& program) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(program);
  if (found != known.end()) return found->second;
  const Finished f = run_process({program, "--version"});
  if (!f.started() || f.exit_code != 0) {
    return Error{
        fmt::format("cannot run the compiler {}: install g++ or "
                    "clang++, or name one with option compiler=",
                    program)};
  }
  return known[program] = f.output;
}

// Of the same speed, where no f16 is about, g++'s code is there in two thirds
// of the time.
Result<std::string> choose(const ToolchainOptions& options) {
  if (!options.compiler.empty()) return options.compiler;
  const std::vector<std::string>& all = system_compilers();
  if (all.empty()) {
    return Error{"no C++ compiler on PATH: install g++ or clang++"};
  }
  using Size = ToolchainOptions::Program;
  const bool pays =
      options.program == Size::large ||
      (options.program == Size::medium && options.converts_halves);
  return pays ? all.front() : all.back();
}

Result<std::unique_ptr<Library>> open_library(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{std::string(dlerror())};
  void* entry = dlsym(handle, kEntryName);
  if (entry == nullptr) {
    dlclose(handle);
    return Error{path + " has no entry"};
  }
  return std::make_unique<Library>(handle,
                                   static_cast<const KernelFunction*>(entry));
}

struct Workplace {
  std::string source, object, library;
};

// Names that no other process or thread uses.
Workplace unique_files(const std::string& folder) {
  const std::string stem = unique_stem(folder);
  return {stem + ".cc", stem + ".o", stem + ".so"};
}

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  const std::string folders = path ? path : "/usr/bin";
  for (std::size_t from = 0; from <= folders.size();) {
    const std::size_t to = std::min(folders.find(':', from), folders.size());
    const std::string file = folders.substr(from, to - from) + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return true;
    from = to + 1;
  }
  return false;
}

// What the file holds, which is then removed.
Result<std::string> taken(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  std::error_code ignored;
  fs::remove(file, ignored);
  if (in) return text;
  return Error{fmt::format("{} cannot be read", file)};
}

Status run(const std::vector<std::string>& argv) {
  const Finished made = run_process(argv);
  if (made.exit_code == 0) return success();
  return Error{fmt::format("{} failed with exit code {}: {}", argv.front(),
                           made.exit_code, made.output)};
}

// Leaves the object behind if it succeeds, and nothing otherwise.
Status compile(std::vector<std::string> argv, const std::string& text,
               const std::string& folder, const Workplace& files) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  std::ofstream out(files.source, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    fs::remove(files.source, ignored);
    return cannot_write_cache(folder);
  }
  argv.insert(argv.end(), {files.source, "-o", files.object});
  const Status made = run(argv);
  fs::remove(files.source, ignored);
  if (!made.ok()) fs::remove(files.object, ignored);
  return made;
}

// Leaves the library behind if it succeeds, and nothing otherwise.
Status build(const std::vector<std::string>& compiler, const std::string& text,
             const std::string& folder, const Workplace& files) {
  const Status made = compile(compiler, text, folder, files);
  if (!made.ok()) return made;
  std::vector<std::string> argv = link_command(compiler.front());
  argv.insert(argv.end(), {files.object, "-o", files.library});
  const Status linked = run(argv);
  std::error_code ignored;
  fs::remove(files.object, ignored);
  if (!linked.ok()) fs::remove(files.library, ignored);
  return linked;
}

}  // namespace

Library::~Library() { dlclose(handle_); }

std::int64_t compilations() { return compiled; }

const std::vector<std::string>& system_compilers() {
  static const auto* const found = [] {
    auto* names = new std::vector<std::string>;
    for (const char* name : {"clang++", "g++", "c++"}) {
      if (std::string(name) == "c++" && !names->empty()) break;
      if (on_path(name)) names->push_back(name);
    }
    return names;
  }();
  return *found;
}

Result<std::vector<std::string>> compile_command(
    const ToolchainOptions& options) {
  Result<std::string> program = choose(options);
  if (!program.ok()) return program.error();
  const bool small = options.program == ToolchainOptions::Program::small;
  std::vector<std::string> argv = {*program,
                                   small ? "-O1" : "-O3",
                                   "-std=c++20",
                                   "-w",
                                   "-ffp-contract=off",
                                   "-fno-fast-math",
                                   "-fno-math-errno",
                                   "-fno-trapping-math",
                                   "-fno-exceptions",
                                   "-fno-rtti",
                                   "-fno-asynchronous-unwind-tables",
                                   "-fvisibility=hidden",
                                   "-fPIC",
                                   "-c"};
  if (!options.march.empty()) argv.push_back("-march=" + options.march);
  // Clang takes half of them by itself: 0.6 of the speed of gelu.
  if (options.march == "x86-64-v4") {
    argv.push_back("-mprefer-vector-width=512");
  }
  return argv;
}

std::vector<std::string> link_command(const std::string& compiler) {
  static const bool has_linker = on_path("ld");
  if (has_linker) return {"ld", "-shared"};
  return {compiler, "-shared", "-nostdlib"};
}

std::string toolchain_fault(const ToolchainOptions& options) {
  const Result<std::vector<std::string>> argv = compile_command(options);
  if (!argv.ok()) return argv.error().message;
  const Result<std::string> version = compiler_version(argv->front());
  if (!version.ok()) return version.error().message;
  const std::string folder = cache_folder(options.cache);
  const Workplace files = unique_files(folder);
  const Status made = build(*argv, "int nothing;\n", folder, files);
  if (!made.ok()) return made.error().message;
  std::error_code ignored;
  fs::remove(files.library, ignored);
  return {};
}

Result<std::unique_ptr<Library>> load_kernels(const std::string& text,
                                              const ToolchainOptions& options) {
  Result<std::vector<std::string>> argv = compile_command(options);
  if (!argv.ok()) return argv.error();
  Result<std::string> version = compiler_version(argv->front());
  if (!version.ok()) return version.error();
  std::string what = *version;
  for (const std::string& a : *argv) what += a + "\n";
  what += text;
  const auto [name, key] = cache_key(what);
  const std::string folder = cache_folder(options.cache);
  const std::string path = fmt::format("{}/{:016x}.so", folder, name);
  if (is_sealed(path, key)) {
    Result<std::unique_ptr<Library>> cached = open_library(path);
    if (cached.ok()) return cached;
  }
  const Workplace files = unique_files(folder);
  const Status made = build(*argv, text, folder, files);
  ++compiled;
  if (!made.ok()) return made.error();
  const Status sealed = seal(files.library, key);
  if (!sealed.ok()) return sealed.error();
  std::error_code ignored;
  // Loaded under its own name: others may replace or clear `path` at any time.
  Result<std::unique_ptr<Library>> library = open_library(files.library);
  if (library.ok()) {
    fs::rename(files.library, path, ignored);
  } else {
    fs::remove(files.library, ignored);
  }
  return library;
}

Result<std::string> assembly(const std::string& text,
                             const ToolchainOptions& options) {
  Result<std::vector<std::string>> argv = compile_command(options);
  if (!argv.ok()) return argv.error();
  argv->emplace_back("-S");  // the last of -S, -c and none counts
  const std::string folder = cache_folder(options.cache);
  const Workplace files = unique_files(folder);
  const Status made = compile(*argv, text, folder, files);
  if (!made.ok()) return made.error();
  return taken(files.object);
}

}  // namespace assay::compiler
