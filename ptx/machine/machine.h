// The PTX machine: executes kernels of PTX text on the CPU, and says what was
// wrong with what they did. This header is all that a user needs.
//
//   Machine machine;
//   auto program = Program::load(ptx);
//   auto in = machine.add_buffer("x", x_bytes, Contents::defined);
//   auto out = machine.add_buffer("y", y_bytes, Contents::undefined);
//   Arguments arguments;
//   arguments.add(in).add(out).add(std::int32_t{n});
//   auto report = machine.launch(*program, "kernel", {.grid = {4}, ...},
//                                arguments.bytes());
//
// Errors of a call (no such entry, an unsupported instruction) are Errors;
// what a kernel did wrong is in its Report.
#ifndef ASSAY_PTX_MACHINE_MACHINE_H_
#define ASSAY_PTX_MACHINE_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "ptx/machine/report.h"
#include "ptx/numbers/approximate.h"
#include "ptx/text/module.h"

namespace assay::ptx {

struct CompiledModule;  // ptx/machine/program.h
class Memory;           // ptx/machine/memory.h

// A module that is ready to run. Cheap to copy; may be used by several
// machines and threads at once.
class Program {
 public:
  // Fails only for text that is no PTX we know. An entry that needs what the
  // machine does not have (wgmma, textures) is refused when it is launched,
  // and by check(), with "unsupported: wgmma.mma_async ... (PTX line 12)".
  static Result<Program> load(std::string_view ptx);

  const Module& module() const;
  std::vector<std::string> entries() const;
  // Whether this entry can be executed.
  Status check(std::string_view entry) const;

  const CompiledModule& compiled() const { return *compiled_; }
  std::shared_ptr<const CompiledModule> share() const { return compiled_; }

 private:
  std::shared_ptr<const CompiledModule> compiled_;
};

enum class Contents : std::uint8_t {
  defined,    // may be read
  undefined,  // reading a byte before it was written is a fault
};

// The bytes of an entry's parameters, each aligned to its own size.
class Arguments {
 public:
  template <class T>
  Arguments& add(T value) {
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back({});
    std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

struct LaunchShape {
  Dim3 grid{};
  Dim3 block{};
  std::size_t shared = 0;  // dynamic shared memory in bytes
  Dim3 cluster{};          // for the special registers alone
};

struct LaunchOptions {
  Approximation approximation = Approximation::nominal;
  const RecordedResults* recorded = nullptr;  // outlives the launch
  // Operations of one block, those of a warp counted once. A block that needs
  // more ends the launch with the fault step_limit.
  std::uint64_t step_limit = 200'000'000;
  bool find_races = true;
  bool find_uninitialised = true;
  unsigned threads = 0;  // of the host; 0: as many as there are cores
  std::size_t max_faults = 16;
};

// For one thread at a time.
class Machine {
 public:
  Machine();
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  // Makes host memory into global memory and gives its device address, a
  // multiple of 256. The host's memory must outlive the machine; kernels
  // write to it directly. What has been written is remembered from launch to
  // launch.
  std::uint64_t add_buffer(std::string name, std::span<std::byte> bytes,
                           Contents contents);
  // A buffer that kernels may read and not write.
  std::uint64_t add_constant(std::string name,
                             std::span<const std::byte> bytes);
  // Says that the host has written (or forgotten) a part of a buffer. False
  // if there is no such place.
  bool mark(std::uint64_t address, std::size_t bytes, Contents contents);
  // Host memory behind a device address; null unless `bytes` lie in one
  // buffer.
  std::byte* host(std::uint64_t address, std::size_t bytes);
  void remove_buffers();

  // Runs a kernel to its end. `arguments` are laid out as the entry's .param
  // list says; each parameter aligned as declared. The results do not depend
  // on the number of threads.
  Result<Report> launch(const Program& program, std::string_view entry,
                        const LaunchShape& shape,
                        std::span<const std::byte> arguments,
                        const LaunchOptions& options = {});

 private:
  std::unique_ptr<Memory> memory_;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_MACHINE_H_
