#include "compiler/cuda/toolchain.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <sstream>
#include <thread>

#include "compiler/library/cache_file.h"

namespace assay::compiler {
namespace {

namespace fs = std::filesystem;

// What tells one release of the library from another without loading it.
std::string identity_of(const std::string& library) {
  std::error_code none;
  const fs::path file = fs::canonical(library, none);
  return fmt::format("{} {}", file.filename().string(),
                     fs::file_size(file, none));
}

std::vector<std::string> options_for(const std::string& target,
                                     Nvrtc::Form form,
                                     const std::vector<std::string>& flags) {
  // A virtual architecture ends in PTX and takes half the time.
  const std::string number = target.substr(target.find('_') + 1);
  const char* kind = form == Nvrtc::Form::ptx ? "compute" : "sm";
  std::vector<std::string> options = {
      fmt::format("--gpu-architecture={}_{}", kind, number), "--fmad=false",
      "--std=c++17", "--device-as-default-execution-space",
      "--disable-warnings"};
  options.insert(options.end(), flags.begin(), flags.end());
  return options;
}

// Calls work(0) to work(count - 1) on all cores.
void in_parallel(std::size_t count,
                 const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto worker = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t cores =
      std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  std::vector<std::thread> threads;
  while (threads.size() + 1 < std::min(cores, count)) {
    threads.emplace_back(worker);
  }
  worker();
  for (std::thread& t : threads) t.join();
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

}  // namespace

Result<std::unique_ptr<CudaToolchain>> CudaToolchain::find(
    const NvrtcPlaces& places, const std::string& cache) {
  const Result<std::string> library = find_nvrtc(places);
  if (!library.ok()) return library.error();
  std::unique_ptr<CudaToolchain> t(new CudaToolchain);
  t->library_ = *library;
  t->identity_ = identity_of(*library);
  t->cache_ = cache_folder(cache);
  return t;
}

Result<const Nvrtc*> CudaToolchain::nvrtc() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!nvrtc_) {
    Result<std::unique_ptr<Nvrtc>> loaded = Nvrtc::load(library_);
    if (!loaded.ok()) return loaded.error();
    nvrtc_ = std::move(*loaded);
  }
  return nvrtc_.get();
}

// A number may have the variants a (for that architecture alone) and f (for
// its family), which NVRTC does not list.
std::vector<std::string> CudaToolchain::probe() {
  const Result<const Nvrtc*> nvrtc = this->nvrtc();
  if (!nvrtc.ok()) return {};
  const Result<std::vector<int>> numbers = (*nvrtc)->architectures();
  if (!numbers.ok()) return {};
  std::vector<std::string> names;
  for (const int n : *numbers) {
    for (const char* variant : {"", "f", "a"}) {
      names.push_back(fmt::format("sm_{}{}", n, variant));
    }
  }
  // Not of bool, whose elements share bytes.
  std::vector<char> accepted(names.size(), 0);
  in_parallel(names.size(), [&](std::size_t i) {
    const auto made = (*nvrtc)->compile(
        "extern \"C\" __global__ void nothing() {}\n",
        options_for(names[i], Nvrtc::Form::ptx, {}), Nvrtc::Form::ptx);
    accepted[i] = made.ok() ? 1 : 0;
  });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (accepted[i] != 0) out.push_back(names[i]);
  }
  return out;
}

const std::vector<std::string>& CudaToolchain::targets() {
  if (!targets_.empty()) return targets_;
  const auto [name, key] = cache_key("targets of " + identity_);
  const std::string path = fmt::format("{}/{:016x}.targets", cache_, name);
  if (const auto known = read_sealed(path, key)) targets_ = words(*known);
  if (!targets_.empty()) return targets_;
  targets_ = probe();
  std::string list;
  for (const std::string& t : targets_) list += t + "\n";
  // A cache that cannot be written costs time and nothing else.
  if (!list.empty()) (void)write_sealed(cache_, path, key, list);
  return targets_;
}

Result<std::string> CudaToolchain::compile(
    const std::string& text, const std::string& target, Nvrtc::Form form,
    const std::vector<std::string>& flags) {
  const std::vector<std::string> options = options_for(target, form, flags);
  std::string what = identity_ + "\n";
  for (const std::string& o : options) what += o + "\n";
  const auto [name, key] = cache_key(what + text);
  const std::string path =
      fmt::format("{}/{:016x}.{}", cache_, name,
                  form == Nvrtc::Form::ptx ? "ptx" : "cubin");
  if (std::optional<std::string> cached = read_sealed(path, key)) {
    return std::move(*cached);
  }
  const Result<const Nvrtc*> nvrtc = this->nvrtc();
  if (!nvrtc.ok()) return nvrtc.error();
  Result<std::string> made = (*nvrtc)->compile(text, options, form);
  if (!made.ok()) return made;
  const Status kept = write_sealed(cache_, path, key, *made);
  if (!kept.ok()) return kept.error();
  return made;
}

std::vector<Result<std::string>> CudaToolchain::compile_for(
    const std::string& text, const std::vector<std::string>& targets,
    Nvrtc::Form form) {
  std::vector<Result<std::string>> out(targets.size(),
                                       Result<std::string>(std::string()));
  in_parallel(targets.size(),
              [&](std::size_t i) { out[i] = compile(text, targets[i], form); });
  return out;
}

const Result<std::unique_ptr<CudaToolchain>>& cuda_toolchain() {
  static const auto* const found = new Result<std::unique_ptr<CudaToolchain>>(
      CudaToolchain::find(NvrtcPlaces::from_environment()));
  return *found;
}

const std::vector<std::string>& known_cuda_targets() {
  static const auto* const names = new std::vector<std::string>(
      words("sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100f "
            "sm_100a sm_103 sm_103f sm_103a sm_110 sm_110f sm_110a sm_120 "
            "sm_120f sm_120a sm_121 sm_121f sm_121a"));
  return *names;
}

}  // namespace assay::compiler
