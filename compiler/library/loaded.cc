#include "compiler/library/loaded.h"

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace assay::compiler {
namespace {

using Shared = std::shared_ptr<const Library>;

// A library takes some 50 kB.
constexpr std::size_t kMostLoaded = 128;

class Loaded {
 public:
  Shared find(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    // The last used stands first.
    libraries_.splice(libraries_.begin(), libraries_, found->second);
    return found->second->second;
  }

  // What was added under this key meanwhile stays, and is returned.
  Shared add(const std::string& key, Shared library) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = places_.find(key);
    if (found != places_.end()) return found->second->second;
    libraries_.emplace_front(key, std::move(library));
    places_[key] = libraries_.begin();
    if (libraries_.size() > kMostLoaded) {
      places_.erase(libraries_.back().first);
      libraries_.pop_back();
    }
    return libraries_.front().second;
  }

 private:
  using List = std::list<std::pair<std::string, Shared>>;
  std::mutex mutex_;
  List libraries_;
  std::unordered_map<std::string, List::iterator> places_;
};

Loaded& loaded() {
  static auto* const all = new Loaded;
  return *all;
}

// All that decides what the library is, so that no two are taken for one
// another.
Result<std::string> key_of(const std::string& text,
                           const ToolchainOptions& options) {
  const Result<std::vector<std::string>> argv = compile_command(options);
  if (!argv.ok()) return argv.error();
  std::string key = options.cache + "\n";
  for (const std::string& a : *argv) key += a + "\n";
  return key + text;
}

}  // namespace

Result<Shared> shared_kernels(const std::string& text,
                              const ToolchainOptions& options) {
  const Result<std::string> key = key_of(text, options);
  if (!key.ok()) return key.error();
  if (Shared found = loaded().find(*key)) return found;
  Result<std::unique_ptr<Library>> made = load_kernels(text, options);
  if (!made.ok()) return made.error();
  return loaded().add(*key, Shared(std::move(*made)));
}

Shared loaded_kernels(const std::string& text,
                      const ToolchainOptions& options) {
  using Size = ToolchainOptions::Program;
  for (const Size size : {Size::small, Size::medium, Size::large}) {
    if (size < options.program) continue;
    ToolchainOptions other = options;
    other.program = size;
    const Result<std::string> key = key_of(text, other);
    if (!key.ok()) return nullptr;
    if (Shared found = loaded().find(*key)) return found;
  }
  return nullptr;
}

}  // namespace assay::compiler
