#include "harness/machine/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "compiler/cuda/nvrtc.h"
#include "compiler/cuda/nvrtc_library.h"
#include "core/process.h"
#include "harness/records/identity.h"
#include "harness/subject/gpu.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Lines of what a program says; nothing if it does not run or fails.
std::optional<std::vector<std::string>> ask(
    const std::vector<std::string>& command) {
  const Finished f = run_process(command);
  if (!f.started() || f.exit_code != 0) return std::nullopt;
  std::vector<std::string> lines;
  std::istringstream in(f.output);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Part processor() {
  const CpuIdentity cpu = cpu_identity();
  return {"processor", true,
          fmt::format("{}; levels {}; {}", cpu.model,
                      fmt::join(cpu_levels(), " "), cpu.flags)};
}

Part c_library() {
  return {"C library", true, fmt::format("glibc {}", ::gnu_get_libc_version())};
}

// Where a bundle was damaged on its way, nothing that it says counts.
Part programs() {
  if (!in_bundle()) {
    return {kProgramsPart, true,
            fmt::format("assay {}, built in this tree", program_version())};
  }
  std::ifstream in(home() / "bundle.txt");
  std::vector<std::string> lines;
  for (std::string line; lines.size() < 2 && std::getline(in, line);) {
    lines.push_back(line);
  }
  const Finished sums = run_process({"env", "-C", home().string(), "sha256sum",
                                     "--check", "--quiet", "SHA256SUMS"});
  const std::string what = fmt::format("bundle of {}", fmt::join(lines, ", "));
  if (sums.started() && sums.exit_code == 0) {
    return {kProgramsPart, true, what + "; its files are as they were packed"};
  }
  return {kProgramsPart, false,
          fmt::format("{}; its files are NOT as they were packed: {}; unpack "
                      "it again",
                      what, first_line(sums.output))};
}

// Those that the bundled compiler would call, and Inductor.
Part cxx_compiler() {
  std::vector<std::string> found;
  for (const char* name : {"clang++", "g++", "c++"}) {
    if (!found.empty() && std::string(name) == "c++") break;
    const auto version = ask({name, "--version"});
    if (version && !version->empty()) {
      found.push_back(fmt::format("{}: {}", name, version->front()));
    }
  }
  if (!found.empty()) {
    return {"C++ compiler", true, fmt::format("{}", fmt::join(found, "; "))};
  }
  return {"C++ compiler", false,
          "none on PATH: install g++ or clang++; headers are not needed"};
}

// Without importing torch, which takes seconds.
constexpr const char* kAskPython = R"py(
import importlib.util, os, platform, re, sys
print(sys.executable)
print(platform.python_version())
spec = importlib.util.find_spec("torch")
if spec is not None and spec.submodule_search_locations:
    folder = spec.submodule_search_locations[0]
    with open(os.path.join(folder, "version.py")) as f:
        print(re.search(r"__version__ *= *['\"]([^'\"]+)", f.read())[1])
    print(folder)
)py";

struct Python {
  std::string program, version;
  std::string torch, folder;  // empty where it has none
};

std::optional<Python> ask_python() {
  const Result<std::string> own = find_python("", "");
  const char* named = std::getenv("ASSAY_PYTHON");
  const auto lines = ask({own                ? *own
                          : named != nullptr ? named
                                             : "python3",
                          "-c", kAskPython});
  if (!lines || lines->size() < 2) return std::nullopt;
  Python p{(*lines)[0], (*lines)[1], "", ""};
  if (lines->size() >= 4) {
    p.torch = (*lines)[2];
    p.folder = (*lines)[3];
  }
  return p;
}

Part python_part(const std::optional<Python>& python) {
  if (python) {
    return {"Python", true,
            fmt::format("{}, {}", python->version, python->program)};
  }
  return {"Python", false,
          "no python3 on PATH: set ASSAY_PYTHON to one with torch 2.10 to "
          "2.15"};
}

Part torch_part(const std::optional<Python>& python) {
  if (!python) return {"torch", false, "no Python"};
  if (python->torch.empty()) {
    return {"torch", false,
            fmt::format("{} has none: set ASSAY_PYTHON to one with torch 2.10 "
                        "to 2.15",
                        python->program)};
  }
  const EagerTorch eager = eager_torch();
  const auto known = [&] {
    for (int minor = 10; minor <= 15; ++minor) {
      if (python->torch.starts_with(fmt::format("2.{}.", minor))) return true;
    }
    return false;
  };
  return {"torch", true,
          fmt::format("{}{}; eager is asked {}", python->torch,
                      known() ? "" : " (Assay was tried with 2.10 to 2.15)",
                      !in_bundle() || eager.fits()
                          ? "in C++"
                          : fmt::format("through Python: the worker in C++ "
                                        "needs {}",
                                        eager.built))};
}

Part nvrtc() {
  const auto library =
      compiler::find_nvrtc(compiler::NvrtcPlaces::from_environment());
  if (!library) return {"NVRTC", false, library.error().message};
  const auto loaded = compiler::Nvrtc::load(*library);
  if (!loaded) return {"NVRTC", false, loaded.error().message};
  return {"NVRTC", true, fmt::format("{}, {}", (*loaded)->version(), *library)};
}

// Triton brings its own; Inductor's CUDA columns use that.
Part ptxas(const std::optional<Python>& python) {
  std::vector<std::string> places = {"ptxas", "/usr/local/cuda/bin/ptxas"};
  if (python && !python->folder.empty()) {
    places.insert(places.begin(),
                  (fs::path(python->folder).parent_path() / "triton" /
                   "backends" / "nvidia" / "bin" / "ptxas")
                      .string());
  }
  for (const std::string& place : places) {
    const auto lines = ask({place, "--version"});
    if (!lines) continue;
    for (const std::string& line : *lines) {
      const std::size_t at = line.find("release ");
      if (at == std::string::npos) continue;
      return {"ptxas", true, fmt::format("{}, {}", line.substr(at + 8), place)};
    }
  }
  return {"ptxas", false,
          "none: Inductor's CUDA columns need the one that Triton brings"};
}

Part gpu() {
  const Result<Gpu> found = gpu_of_this_machine();
  if (!found) return {"GPU", false, found.error().message};
  return {"GPU", true,
          fmt::format("{} ({}), driver for CUDA {}", found->name, found->sm,
                      found->driver)};
}

}  // namespace

std::vector<Part> look_around() {
  const std::optional<Python> python = ask_python();
  return {processor(),    c_library(),         programs(),
          cxx_compiler(), python_part(python), torch_part(python),
          nvrtc(),        ptxas(python),       gpu()};
}

}  // namespace assay::harness
