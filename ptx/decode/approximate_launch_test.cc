// Approximate instructions in a kernel: modifiers, packed forms, the three
// approximations, recorded results and what the report says of them.
#include "ptx/testing/evaluate.h"

namespace assay::ptx::testing {
namespace {

constexpr std::uint64_t kOne = 0x3f800000;
constexpr std::uint64_t kTwo = 0x40000000;

TEST(ApproximateLaunch, EveryInstruction) {
  for (const Case& c : {
           Case{"ex2.approx.f32 %r0, %r1;", {kOne}, kTwo},
           Case{"ex2.approx.f32 %r0, %r1;", {0xc3000000}, 0x00200000},
           Case{"ex2.approx.ftz.f32 %r0, %r1;", {0xc3000000}, 0},
           Case{"lg2.approx.f32 %r0, %r1;", {1}, 0xc3150000},
           Case{"lg2.approx.ftz.f32 %r0, %r1;", {1}, 0xff800000},
           Case{"sin.approx.f32 %r0, %r1;", {0x80000000}, 0x80000000},
           Case{"cos.approx.ftz.f32 %r0, %r1;", {1}, kOne},
           Case{"tanh.approx.f32 %r0, %r1;", {0xff800000}, 0xbf800000},
           Case{"rcp.approx.f32 %r0, %r1;", {kTwo}, 0x3f000000},
           Case{"rcp.approx.ftz.f32 %r0, %r1;", {0x7f000000}, 0},
           Case{"rcp.approx.ftz.f64 %q0, %q1;",
                {0x4000000000000001},
                0x3fe0000000000000},
           Case{"rsqrt.approx.f32 %r0, %r1;", {0x40800000}, 0x3f000000},
           Case{"rsqrt.approx.ftz.f32 %r0, %r1;", {0x80000001}, 0xff800000},
           Case{"rsqrt.approx.f64 %q0, %q1;",
                {0x4010000000000000},
                0x3fe0000000000000},
           Case{"rsqrt.approx.ftz.f64 %q0, %q1;",
                {0x4010000000000000},
                0x3fe0000000000000},
           Case{"sqrt.approx.f32 %r0, %r1;", {0x40800000}, kTwo},
           Case{"sqrt.approx.ftz.f32 %r0, %r1;", {1}, 0},
           Case{"div.approx.f32 %r0, %r1, %r2;", {kOne, kTwo}, 0x3f000000},
           Case{"div.approx.ftz.f32 %r0, %r1, %r2;", {kOne, 1}, 0x7f800000},
           Case{"div.full.f32 %r0, %r1, %r2;", {kOne, kTwo}, 0x3f000000},
           Case{"div.full.ftz.f32 %r0, %r1, %r2;", {1, kOne}, 0},
           Case{"ex2.approx.f16 %h0, %h1;", {0x3c00}, 0x4000},
           Case{"ex2.approx.f16x2 %r0, %r1;", {0x3c000000}, 0x40003c00},
           Case{"ex2.approx.ftz.f16 %h0, %h1;", {0xcb80}, 0},
           Case{"ex2.approx.ftz.bf16 %h0, %h1;", {0x3f80}, 0x4000},
           Case{"ex2.approx.ftz.bf16x2 %r0, %r1;", {0x3f80c300}, 0x40000000},
           Case{"tanh.approx.f16 %h0, %h1;", {0x7c00}, 0x3c00},
           Case{"tanh.approx.f16x2 %r0, %r1;", {0xfc007c00}, 0xbc003c00},
           Case{"tanh.approx.bf16 %h0, %h1;", {0xff80}, 0xbf80},
           Case{"tanh.approx.bf16x2 %r0, %r1;", {0x00007f80}, 0x3f80},
       })
    check(c);
}

TEST(ApproximateLaunch, TakesTheEndThatIsAskedFor) {
  auto of = [](Approximation a) {
    return evaluate("ex2.approx.f32 %r0, %r1;", {{kOne}}, "sm_90", a).values[0];
  };
  EXPECT_EQ(of(Approximation::nominal), kTwo);
  EXPECT_EQ(of(Approximation::lowest), kTwo - 2);
  EXPECT_EQ(of(Approximation::highest), kTwo + 2);
}

TEST(ApproximateLaunch, IsCountedByOpcode) {
  Evaluated got = evaluate(
      "ex2.approx.f32 %r0, %r1; div.full.f32 %r0, %r0, %r1; "
      "sqrt.rn.f32 %r0, %r0;",
      {{kOne, kOne, kTwo}});
  std::map<std::string, std::uint64_t> want = {{"div.full.f32", 3},
                                               {"ex2.approx.f32", 3}};
  EXPECT_EQ(got.report.approximate, want);
}

class Recorded : public RecordedResults {
 public:
  std::optional<std::uint64_t> find(Approximate function, bool ftz,
                                    std::uint64_t a,
                                    std::uint64_t) const override {
    if (function != Approximate::ex2_f32 || a != kOne) return std::nullopt;
    return kTwo + (ftz ? 2 : 1);
  }
};

TEST(ApproximateLaunch, PrefersWhatADeviceWasSeenToGive) {
  std::vector<std::uint32_t> out(4);
  Machine machine;
  Recorded recorded;
  LaunchOptions options;
  options.recorded = &recorded;
  Ran r = run(
      machine,
      kernel(".reg .b32 %r<5>; .reg .b64 %q1;\n"
             "ex2.approx.f32 %r1, 0f3F800000;\n"
             "ex2.approx.f32 %r2, 0f00000000;\n"
             "ex2.approx.ftz.f32 %r3, 0f3F800000;\n"
             "ex2.approx.ftz.f32 %r4, 0f00000001;\n"
             "ld.param.u64 %q1, [p0];\n"
             "st.global.v4.u32 [%q1], {%r1, %r2, %r3, %r4}; ret;"),
      {machine.add_buffer("out", bytes_of_vector(out), Contents::undefined)},
      {{1}, {1}}, options);
  ASSERT_EQ(r.refused, "");
  EXPECT_EQ(out[0], kTwo + 1);
  EXPECT_EQ(out[1], kOne);
  EXPECT_EQ(out[2], kTwo + 2);
  EXPECT_EQ(out[3], kOne);
  EXPECT_EQ(r.report.approximate.at("ex2.approx.f32"), 1U);
}

}  // namespace
}  // namespace assay::ptx::testing
