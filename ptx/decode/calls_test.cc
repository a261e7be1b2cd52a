// Calls, assertions, traps and what kernels print.
#include "ptx/machine/printf.h"
#include "ptx/testing/testing.h"

namespace assay::ptx::testing {
namespace {

const char* const kFunctions = R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,
                           .param .b64 d, .param .b64 e);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 msg[6] = {105, 32, 60, 32, 51, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117};
.global .align 1 .b8 name[2] = {102, 0};
.global .align 1 .b8 format[10] = {37, 100, 32, 37, 46, 49, 102, 10, 0};
.func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %a<3>; .reg .pred %p;
  ld.param.u32 %a1, [x];
  setp.gt.u32 %p, %a1, 100;
  @%p bra BIG;
  add.u32 %a2, %a1, %a1;
  st.param.u32 [r], %a2;
  ret;
BIG:
  st.param.u32 [r], 0;
  ret;
}
.func (.param .b32 r) four(.param .b32 x) {
  .reg .b32 %a<3>;
  ld.param.u32 %a1, [x];
  { .param .b32 in; .param .b32 out;
    st.param.u32 [in], %a1; call (out), twice, (in); ld.param.u32 %a1, [out]; }
  { .param .b32 in; .param .b32 out;
    st.param.u32 [in], %a1; call (out), twice, (in); ld.param.u32 %a1, [out]; }
  st.param.u32 [r], %a1;
  ret;
}
.func loop() { call loop; ret; }
)";

Ran go(const std::string& body, std::vector<std::uint32_t>& out) {
  Machine machine;
  auto at =
      machine.add_buffer("out", bytes_of_vector(out), Contents::undefined);
  return run(machine,
             kernel(".reg .b32 %r<9>; .reg .b64 %q<9>; .reg .pred %p<4>;\n"
                    "mov.u32 %r1, %tid.x; ld.param.u64 %q1, [p0];\n"
                    "mul.wide.u32 %q2, %r1, 4; add.u64 %q1, %q1, %q2;\n" +
                        body + "\nret;",
                    1, "sm_90", kFunctions),
             {at}, {{1}, {static_cast<std::uint32_t>(out.size())}});
}

TEST(Call, NestsAndDiverges) {
  std::vector<std::uint32_t> out(64);
  Ran r = go(R"({ .param .b32 in; .param .b32 back; st.param.u32 [in], %r1;
                  call.uni (back), four, (in); ld.param.u32 %r2, [back]; }
                st.global.u32 [%q1], %r2;)",
             out);
  ASSERT_EQ(r.refused, "");
  ASSERT_TRUE(r.report.ok()) << r.report.faults[0].text();
  for (std::uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], 2 * i > 100 ? 0 : 4 * i);
}

TEST(Call, GuardedOnesSkipTheOthers) {
  std::vector<std::uint32_t> out(32);
  Ran r = go(R"({ .param .b32 in; .param .b32 back; st.param.u32 [in], %r1;
                  st.param.u32 [back], 1; setp.lt.u32 %p1, %r1, 8;
                  @%p1 call (back), twice, (in);
                  ld.param.u32 %r2, [back]; }
                st.global.u32 [%q1], %r2;)",
             out);
  ASSERT_EQ(r.refused, "");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 8 ? 2 * i : 1);
}

TEST(Call, RecursionAndPointersAreRefused) {
  std::vector<std::uint32_t> out(1);
  EXPECT_EQ(go("call loop;", out).refused.rfind("unsupported: call", 0), 0U);
  EXPECT_NE(go("call (_), %q1, (%q1), proto;", out).refused, "");
}

TEST(Assertion, SaysWhatAndWhere) {
  std::vector<std::uint32_t> out(8);
  std::string body = R"(
      st.global.u32 [%q1], 1; setp.lt.u32 %p1, %r1, LIMIT; @%p1 bra OK;
      { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;
        .param .b64 e; mov.u64 %q3, msg; st.param.b64 [a], %q3;
        mov.u64 %q3, file; st.param.b64 [b], %q3; st.param.b32 [c], 12;
        mov.u64 %q3, name; st.param.b64 [d], %q3; st.param.b64 [e], 1;
        call.uni __assertfail, (a, b, c, d, e); } OK:)";
  auto with = [&](const char* limit) {
    std::string text = body;
    text.replace(text.find("LIMIT"), 5, limit);
    return go(text, out);
  };
  EXPECT_TRUE(with("8").report.ok());
  Ran r = with("3");
  ASSERT_TRUE(r.has(FaultKind::assertion)) << r.refused;
  EXPECT_EQ(r.report.faults[0].message, "i < 3 (a.cu:12, f)");
  EXPECT_EQ(r.report.faults[0].thread, (Dim3{3, 0, 0}));
}

TEST(Printf, WritesInTheOrderOfThreads) {
  std::vector<std::uint32_t> out(2);
  Ran r = go(R"(.local .align 8 .b8 v[16]; mov.u64 %q3, v;
      st.local.u32 [v], %r1; st.local.f64 [v + 8], 0d3FF8000000000000;
      { .param .b64 f; .param .b64 p; .param .b32 back;
        mov.u64 %q4, format; st.param.b64 [f], %q4; cvta.local.u64 %q3, %q3;
        st.param.b64 [p], %q3; call.uni (back), vprintf, (f, p);
        ld.param.b32 %r2, [back]; } st.global.u32 [%q1], %r2;)",
             out);
  ASSERT_EQ(r.refused, "");
  EXPECT_TRUE(r.report.ok());
  EXPECT_EQ(r.report.printed, "0 1.5\n1 1.5\n");
}

TEST(Printf, KnowsItsConversions) {
  std::vector<std::uint64_t> values = {
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(-5)),
      0x123456789abcdefULL, 7};
  std::string text = format_values(
      "%d|%-4d|%llx|%s|%%|%q", std::as_bytes(std::span(values)).first(24),
      [](std::uint64_t p) { return "text" + std::to_string(p); });
  EXPECT_EQ(text, "-5|0   |123456789abcdef|text7|%|%q");
}

TEST(Trap, EndsTheLaunch) {
  std::vector<std::uint32_t> out(32);
  EXPECT_TRUE(go("trap;", out).has(FaultKind::trap));
  EXPECT_TRUE(go("setp.gt.u32 %p1, %r1, 99; @%p1 trap;", out).report.ok());
}

}  // namespace
}  // namespace assay::ptx::testing
