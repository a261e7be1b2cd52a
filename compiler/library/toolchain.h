// The system compiler as a function from text to a loaded shared object, with
// a cache on disk that processes share.
#ifndef ASSAY_COMPILER_LIBRARY_TOOLCHAIN_H_
#define ASSAY_COMPILER_LIBRARY_TOOLCHAIN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/text/cpp/render.h"
#include "core/result.h"

namespace assay::compiler {

// A loaded shared object of kernels, unloaded by the destructor.
class Library {
 public:
  Library(void* handle, const KernelFunction* kernels)
      : handle_(handle), kernels_(kernels) {}
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // The table, of which the last entry is null.
  const KernelFunction* kernels() const { return kernels_; }

 private:
  void* handle_;
  const KernelFunction* kernels_;
};

struct ToolchainOptions {
  std::string compiler;  // a program's name or path; empty: the first found
  std::string march;     // "x86-64-v3"; empty: the compiler's default
  // What matters more: small, compiling fast, for few elements; large, running
  // fast, for so many that a slower compiler pays.
  enum class Program { small, medium, large } program = Program::medium;
  // Many elements of f16 are read or written (half.inc).
  bool converts_halves = false;
  std::string cache;  // folder; empty: ${ASSAY_CACHE:-~/.cache/assay}/kernels
};

// Compiles `text` or takes it from the cache. The same text gives the same
// results whatever the compiler and its level: contraction is off and no flag
// of the -ffast-math family is used, at link time either. A cache file that is
// damaged is made again. Safe to call from several processes at once.
Result<std::unique_ptr<Library>> load_kernels(const std::string& text,
                                              const ToolchainOptions& options);

// How often load_kernels has run a compiler in this process.
std::int64_t compilations();

// The assembly text that the same compiler makes of `text` with the same
// options. Nothing is kept of it.
Result<std::string> assembly(const std::string& text,
                             const ToolchainOptions& options);

// Why the compiler can make no kernels at all (there is none, or a part of it
// is missing); empty if it can, and then a text that fails is at fault itself.
// Compiles a trivial text.
std::string toolchain_fault(const ToolchainOptions& options);

// The compilers found on PATH, by name, in order of preference.
const std::vector<std::string>& system_compilers();

// The commands that load_kernels would use, less the file names. To compile:
Result<std::vector<std::string>> compile_command(
    const ToolchainOptions& options);
// To make a library of the object alone, without a start file or a library. As
// the driver of both steps Clang starts itself twice, which costs as much as a
// small program: the linker of binutils is called where there is one.
std::vector<std::string> link_command(const std::string& compiler);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_LIBRARY_TOOLCHAIN_H_
