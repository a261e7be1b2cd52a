// One instruction, or a few, on many inputs: for tests. The code uses
// registers %h1.. (16 bits), %r1.. (32), %q1.. (64), each of which holds the
// low bits of that input, and leaves its result in %h0, %r0, %q0 or %p0.
#ifndef ASSAY_PTX_TESTING_EVALUATE_H_
#define ASSAY_PTX_TESTING_EVALUATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/testing/testing.h"

namespace assay::ptx::testing {

using Inputs = std::vector<std::vector<std::uint64_t>>;  // by operand

struct Evaluated {
  std::vector<std::uint64_t> values;
  Report report;
  std::string error;
};

inline std::string evaluation_kernel(const std::string& code, std::size_t count,
                                     const std::string& target) {
  std::string loads;
  for (std::size_t i = 1; i <= count; ++i) {
    std::string n = std::to_string(i);
    loads += "ld.global.u64 %q" + n + ", [%in];\nadd.u64 %in, %in, %step;\n" +
             "cvt.u32.u64 %r" + n + ", %q" + n + ";\ncvt.u16.u64 %h" + n +
             ", %q" + n + ";\n";
  }
  std::string widen;
  if (code.find("%h0") != code.npos) widen = "cvt.u64.u16 %q0, %h0;\n";
  if (code.find("%r0") != code.npos) widen = "cvt.u64.u32 %q0, %r0;\n";
  if (code.find("%p0") != code.npos) widen = "selp.u64 %q0, 1, 0, %p0;\n";
  return kernel(
      ".reg .b16 %h<6>; .reg .b32 %r<6>; .reg .b64 %q<6>; .reg .pred %p<4>;\n"
      ".reg .b64 %in, %out, %step, %at; .reg .b32 %i, %n;\n"
      "ld.param.u64 %in, [p0]; ld.param.u64 %out, [p1];\n"
      "ld.param.u64 %step, [p2]; cvt.u32.u64 %n, %step;\n"
      "mov.u32 %i, %ctaid.x; shl.b32 %i, %i, 8; mov.u32 %r1, %tid.x;\n"
      "add.u32 %i, %i, %r1; shr.u32 %n, %n, 3; setp.ge.u32 %p1, %i, %n;\n"
      "@%p1 bra END; mul.wide.u32 %at, %i, 8;\n"
      "add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n" +
          loads + code + "\n" + widen + "st.global.u64 [%out], %q0;\nEND: ret;",
      3, target);
}

inline Evaluated evaluate(
    const std::string& code, const Inputs& inputs,
    const std::string& target = "sm_90",
    Approximation approximation = Approximation::nominal) {
  std::size_t n = inputs.empty() ? 1 : inputs[0].size();
  std::vector<std::uint64_t> in;
  for (const auto& operand : inputs)
    in.insert(in.end(), operand.begin(), operand.end());
  Evaluated result;
  result.values.resize(n);
  Machine machine;
  LaunchOptions options;
  options.approximation = approximation;
  Ran ran =
      run(machine, evaluation_kernel(code, inputs.size(), target),
          {machine.add_constant("in", std::as_bytes(std::span(in))),
           machine.add_buffer("out", bytes_of_vector(result.values),
                              Contents::undefined),
           n * 8},
          {{static_cast<std::uint32_t>((n + 255) / 256)}, {256}}, options);
  result.report = ran.report;
  result.error = ran.refused;
  if (!ran.report.ok()) result.error = ran.report.faults[0].text();
  return result;
}

// One line of a table.
struct Case {
  std::string code;
  std::vector<std::uint64_t> in;
  std::uint64_t out;
  std::string target = "sm_90";
};

inline void check(const Case& c) {
  Inputs inputs;
  for (std::uint64_t x : c.in) inputs.push_back({x});
  Evaluated got = evaluate(c.code, inputs, c.target);
  ASSERT_EQ(got.error, "") << c.code;
  std::string of;
  for (std::uint64_t x : c.in) of += " " + ::testing::PrintToString(x);
  EXPECT_EQ(got.values[0], c.out) << c.code << " of" << of << std::hex << ": 0x"
                                  << got.values[0] << " instead of 0x" << c.out;
}

}  // namespace assay::ptx::testing

#endif  // ASSAY_PTX_TESTING_EVALUATE_H_
