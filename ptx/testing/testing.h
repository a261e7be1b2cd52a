// Running one kernel in a test.
#ifndef ASSAY_PTX_TESTING_TESTING_H_
#define ASSAY_PTX_TESTING_TESTING_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ptx/machine/machine.h"

namespace assay::ptx::testing {

template <class T>
std::span<std::byte> bytes_of_vector(std::vector<T>& v) {
  return std::as_writable_bytes(std::span<T>(v));
}

// A kernel `k` with the given body, which has one parameter, the address of
// its buffers, `p0`, `p1` ...
inline std::string kernel(const std::string& body, unsigned parameters = 1,
                          const std::string& target = "sm_90",
                          const std::string& globals = "") {
  std::string text = ".version 8.7\n.target " + target +
                     "\n.address_size 64\n" + globals + "\n.visible .entry k(";
  for (unsigned i = 0; i < parameters; ++i)
    text +=
        (i == 0 ? "" : ", ") + std::string(".param .u64 p") + std::to_string(i);
  text += ") {\n" + body + "\n}\n";
  return text;
}

struct Ran {
  Report report;
  std::string refused;  // empty: it ran

  bool has(FaultKind kind) const {
    for (const Fault& f : report.faults)
      if (f.kind == kind) return true;
    return false;
  }
};

inline Ran run(Machine& machine, const std::string& ptx,
               const std::vector<std::uint64_t>& addresses,
               const LaunchShape& shape, const LaunchOptions& options = {}) {
  auto program = Program::load(ptx);
  if (!program) return {{}, program.error().message};
  Arguments arguments;
  for (std::uint64_t a : addresses) arguments.add(a);
  auto report =
      machine.launch(*program, "k", shape, arguments.bytes(), options);
  if (!report) return {{}, report.error().message};
  return {*report, ""};
}

}  // namespace assay::ptx::testing

#endif  // ASSAY_PTX_TESTING_TESTING_H_
