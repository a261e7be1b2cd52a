// What a launch did: faults with the place where they happened, and how often
// which approximate instruction was executed.
#ifndef ASSAY_PTX_MACHINE_REPORT_H_
#define ASSAY_PTX_MACHINE_REPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::ptx {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

enum class FaultKind : std::uint8_t {
  out_of_bounds,
  misaligned,
  read_only,      // a write to constant memory
  uninitialised,  // an undefined value decided something or was stored
  race,
  trap,
  assertion,    // __assertfail
  bad_barrier,  // threads that wait for what never comes
  step_limit,
};
std::string_view fault_name(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::trap;
  std::string entry;
  int line = 0;             // of the PTX
  std::string instruction;  // "ld.global.f32"
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  std::string message;

  // All of it in one line.
  std::string text() const;
};

struct Report {
  // In order of blocks; one per kind and line. A fatal one (everything but
  // race and uninitialised) ended the launch: the contents of
  // memory are then those of an unfinished kernel.
  std::vector<Fault> faults;
  // Full opcode to the number of threads that executed it, without those
  // whose result a device had recorded.
  std::map<std::string, std::uint64_t> approximate;
  std::uint64_t instructions = 0;  // of warps
  std::string printed;             // by vprintf, in order of blocks

  bool ok() const { return faults.empty(); }
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_REPORT_H_
