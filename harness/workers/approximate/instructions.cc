#include "harness/workers/approximate/instructions.h"

#include <fmt/format.h>

namespace assay::harness::worker {
namespace {

using ptx::Approximate;

// PTX ISA, "Target ISA Notes" of each. Those of f32 are as old as PTX 1.4.
#define ASSAY_F32(name, function)                              \
  {name ".approx.f32", function, false, 32, "sm_75", "7.0"}, { \
    name ".approx.ftz.f32", function, true, 32, "sm_75", "7.0" \
  }
constexpr ApproximateInstruction kInstructions[] = {
    ASSAY_F32("ex2", Approximate::ex2_f32),
    ASSAY_F32("lg2", Approximate::lg2_f32),
    ASSAY_F32("sin", Approximate::sin_f32),
    ASSAY_F32("cos", Approximate::cos_f32),
    ASSAY_F32("rcp", Approximate::rcp_f32),
    ASSAY_F32("rsqrt", Approximate::rsqrt_f32),
    ASSAY_F32("sqrt", Approximate::sqrt_f32),
    {"tanh.approx.f32", Approximate::tanh_f32, false, 32, "sm_75", "7.0"},
    {"ex2.approx.f16", Approximate::ex2_f16, false, 16, "sm_75", "7.0"},
    {"tanh.approx.f16", Approximate::tanh_f16, false, 16, "sm_75", "7.0"},
    {"ex2.approx.ftz.bf16", Approximate::ex2_bf16, true, 16, "sm_90", "7.8"},
    {"tanh.approx.bf16", Approximate::tanh_bf16, false, 16, "sm_90", "7.8"},
};
#undef ASSAY_F32

}  // namespace

std::span<const ApproximateInstruction> approximate_instructions() {
  return kInstructions;
}

const ApproximateInstruction* find_approximate(std::string_view name) {
  for (const ApproximateInstruction& i : kInstructions) {
    if (name == i.name) return &i;
  }
  return nullptr;
}

std::string recording_kernel(const ApproximateInstruction& i) {
  const bool narrow = i.bits == 16;
  return fmt::format(
      ".version {}\n.target {}\n.address_size 64\n"
      ".visible .entry record(.param .u64 to, .param .u32 first,\n"
      "                       .param .u32 count) {{\n"
      "  .reg .pred %p;\n  .reg .b16 %h;\n  .reg .b32 %r<6>;\n"
      "  .reg .f32 %f<2>;\n  .reg .b64 %q<3>;\n"
      "  mov.u32 %r0, %ctaid.x;\n  mov.u32 %r1, %ntid.x;\n"
      "  mov.u32 %r2, %tid.x;\n  mad.lo.u32 %r0, %r0, %r1, %r2;\n"
      "  ld.param.u32 %r1, [count];\n  setp.ge.u32 %p, %r0, %r1;\n"
      "  @%p ret;\n"
      "  ld.param.u32 %r3, [first];\n  add.u32 %r3, %r3, %r0;\n"
      "  ld.param.u64 %q0, [to];\n  cvta.to.global.u64 %q0, %q0;\n"
      "  mul.wide.u32 %q1, %r0, {};\n  add.u64 %q2, %q0, %q1;\n{}"
      "  ret;\n}}\n",
      i.version, i.target, i.bits / 8,
      narrow ? fmt::format("  cvt.u16.u32 %h, %r3;\n  {} %h, %h;\n"
                           "  st.global.b16 [%q2], %h;\n",
                           i.name)
             : fmt::format("  mov.b32 %f0, %r3;\n  {} %f1, %f0;\n"
                           "  st.global.f32 [%q2], %f1;\n",
                           i.name));
}

}  // namespace assay::harness::worker
