#include "compiler/cuda/nvrtc_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace assay::compiler {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Paths in `folder` whose names begin so, the greatest name first: of two
// versions the newer.
std::vector<fs::path> entries(const fs::path& folder, const char* start) {
  std::vector<fs::path> found;
  std::error_code none;
  for (auto e = fs::directory_iterator(folder, none);
       !none && e != fs::directory_iterator(); e.increment(none)) {
    if (e->path().filename().string().starts_with(start)) {
      found.push_back(e->path());
    }
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

// libnvrtc.so or libnvrtc.so.13 in `folder`. Its companions libnvrtc-builtins
// and libnvrtc.alt do not begin so.
std::string library_in(const fs::path& folder) {
  const std::vector<fs::path> found = entries(folder, "libnvrtc.so");
  return found.empty() ? "" : found.front().string();
}

// The wheels keep it in nvidia/cu13/lib, earlier ones in nvidia/cuda_nvrtc/lib.
std::string in_environment(const std::string& python) {
  const fs::path prefix = fs::path(python).parent_path().parent_path();
  for (const fs::path& version : entries(prefix / "lib", "python3")) {
    const fs::path wheels = version / "site-packages" / "nvidia";
    for (const char* name : {"cu1", "cuda_nvrtc"}) {
      for (const fs::path& wheel : entries(wheels, name)) {
        const std::string file = library_in(wheel / "lib");
        if (!file.empty()) return file;
      }
    }
  }
  return "";
}

// A link "cuda" names the toolkit that the machine's owner prefers.
std::string in_toolkits(const std::string& toolkits) {
  std::vector<fs::path> all = entries(toolkits, "cuda-");
  all.insert(all.begin(), fs::path(toolkits) / "cuda");
  for (const fs::path& toolkit : all) {
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
      const std::string file = library_in(toolkit / folder);
      if (!file.empty()) return file;
    }
  }
  return "";
}

std::string in_system() {
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    // It stays loaded: whoever looks for it is about to use it.
    const link_map* map = nullptr;
    const bool known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0;
    return known ? map->l_name : name;
  }
  return "";
}

}  // namespace

NvrtcPlaces NvrtcPlaces::from_environment() {
  NvrtcPlaces places;
  places.named = variable("ASSAY_NVRTC");
  places.python = variable("ASSAY_PYTHON");
  return places;
}

Result<std::string> find_nvrtc(const NvrtcPlaces& places) {
  std::error_code none;
  if (!places.named.empty()) {
    std::string file = places.named;
    if (fs::is_directory(file, none)) file = library_in(file);
    if (fs::is_regular_file(file, none)) return file;
    return Error{
        fmt::format("ASSAY_NVRTC={} is no libnvrtc.so and no folder "
                    "that has one",
                    places.named)};
  }
  std::string file;
  if (!places.python.empty()) file = in_environment(places.python);
  if (file.empty()) file = in_toolkits(places.toolkits);
  if (file.empty() && places.system) file = in_system();
  if (!file.empty()) return file;
  return Error{
      "there is no NVRTC to compile CUDA text: install the Python package "
      "nvidia-cuda-nvrtc or the CUDA toolkit, or name libnvrtc.so in "
      "ASSAY_NVRTC"};
}

}  // namespace assay::compiler
