// One instruction of NVIDIA's machine code: 128 bits since Volta. Only what
// floating-point arithmetic rounds is decoded.
//
// The encodings were found by assembling one-instruction PTX with ptxas 13.0
// for sm_75, 80, 90, 100 and 120; sass_test.cc holds them. The uniform forms
// and the packed ones were named by nvdisasm.
#ifndef ASSAY_PTX_LINT_SASS_H_
#define ASSAY_PTX_LINT_SASS_H_

#include <cstdint>
#include <string_view>

namespace assay::ptx {

struct SassWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

enum class SassKind : std::uint8_t {
  other,
  fused,     // a * b + c, and neither factor is one, nor any operand zero
  multiply,  // also a * b + 0
  add,       // also a * 1 + c
  function,  // MUFU
  store_local,
  load_local,
};

// MUFU's functions, as the instruction numbers them.
enum class MufuFunction : std::uint8_t {
  cos,
  sin,
  ex2,
  lg2,
  rcp,
  rsq,
  rcp64h,
  rsq64h,
  sqrt,
  tanh,
};
inline constexpr int kMufuFunctions = 10;
std::string_view mufu_name(MufuFunction f);

struct Sass {
  SassKind kind = SassKind::other;
  std::string_view name;  // "FFMA"; empty for other
  unsigned bits = 0;      // of the format computed in: 16, 32, 64
  unsigned results = 1;   // 2 for packed f32; packed halves count as one
  bool flushes = false;   // .FTZ, f32 arithmetic alone
  MufuFunction function = MufuFunction::cos;
};

// `sm`: 90 for sm_90a. Opcodes mean different things on different targets.
Sass decode(const SassWord& word, int sm);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LINT_SASS_H_
