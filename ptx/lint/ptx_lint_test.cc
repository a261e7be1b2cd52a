// Each rule on a text that breaks it and on one that does not.
#include "ptx/lint/ptx_lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/text/parser.h"

namespace assay::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Module parsed(const std::string& body) {
  const std::string text =
      ".version 8.7\n.target sm_100\n.address_size 64\n"
      ".visible .entry k(.param .u64 p) {\n"
      ".reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
      ".reg .f32 %f<9>;\n.reg .f64 %g<9>;\n.reg .pred %p<9>;\n" +
      body + "\nret;\n}\n";
  Result<Module> module = parse_module(text);
  if (!module.ok()) {
    ADD_FAILURE() << module.error().message << "\n" << body;
    return {};
  }
  return *module;
}

std::vector<std::string> lines(const std::string& body,
                               const Expectation& expected = {}) {
  return summary(lint(parsed(body), expected), 8);
}

TEST(PtxLint, Flushes) {
  EXPECT_THAT(lines("add.rn.f32 %f1, %f2, %f3;"), IsEmpty());
  EXPECT_THAT(lines("add.rn.ftz.f32 %f1, %f2, %f3;"),
              ElementsAre("flushes: add.rn.ftz.f32 (PTX line 11)"));
  EXPECT_THAT(lines("setp.lt.ftz.f32 %p1, %f2, %f3;"),
              ElementsAre("flushes: setp.lt.ftz.f32 (PTX line 11)"));
  EXPECT_THAT(lines("fma.rn.ftz.f16 %h1, %h2, %h3, %h4;"),
              ElementsAre("flushes: fma.rn.ftz.f16 (PTX line 11)"));
  Expectation declared;
  declared.flush = true;
  EXPECT_THAT(lines("add.rn.ftz.f32 %f1, %f2, %f3;", declared), IsEmpty());
}

TEST(PtxLint, AtomicAdditionFlushesInGlobalMemoryAlone) {
  Expectation any_order;
  any_order.any_order = true;
  EXPECT_THAT(lines("red.global.add.f32 [%d1], %f1;", any_order),
              ElementsAre("flushes: red.global.add.f32 (PTX line 11)"));
  EXPECT_THAT(lines("atom.shared.add.f32 %f1, [%d1], %f1;", any_order),
              IsEmpty());
  EXPECT_THAT(lines("red.global.add.f64 [%d1], %g1;", any_order), IsEmpty());
}

TEST(PtxLint, AtomicAdditionOfFloatsHasNoOrder) {
  for (const char* bad : {"red.global.add.f64 [%d1], %g1;",
                          "atom.shared.add.f32 %f1, [%d1], %f1;",
                          "atom.shared.add.noftz.f16 %h1, [%d1], %h1;"}) {
    EXPECT_THAT(lines(bad), ElementsAre(StartsWith("unordered: "))) << bad;
  }
  // Of integers every order gives the same.
  for (const char* good : {"red.global.add.u32 [%d1], %r1;",
                           "atom.global.max.s32 %r1, [%d1], %r1;"}) {
    EXPECT_THAT(lines(good), IsEmpty()) << good;
  }
}

TEST(PtxLint, Approximates) {
  for (const char* good : {"div.rn.f32 %f1, %f2, %f3;", "sqrt.rn.f32 %f1, %f2;",
                           "rcp.rn.f64 %g1, %g2;", "div.s32 %r1, %r2, %r3;"}) {
    EXPECT_THAT(lines(good), IsEmpty()) << good;
  }
  EXPECT_THAT(lines("div.full.f32 %f1, %f2, %f3;\n"
                    "ex2.approx.f32 %f1, %f2;\nex2.approx.f32 %f1, %f1;"),
              ElementsAre("approximates: div.full.f32 (PTX line 11)",
                          "approximates: ex2.approx.f32 (PTX line 12, "
                          "2 times)"));
  // Both are said of an instruction that does both, the weightier first.
  EXPECT_THAT(lines("rsqrt.approx.ftz.f32 %f1, %f2;"),
              ElementsAre("flushes: rsqrt.approx.ftz.f32 (PTX line 11)",
                          "approximates: rsqrt.approx.ftz.f32 (PTX line 11)"));
  EXPECT_THAT(lines("tanh.approx.f32 %f1, %f2;"),
              ElementsAre("approximates: tanh.approx.f32 (PTX line 11)"));
  // Forms of old texts, which do not say so.
  EXPECT_THAT(lines("sin.f32 %f1, %f2;\ndiv.f32 %f1, %f2, %f3;"),
              ElementsAre("approximates: sin.f32 (PTX line 11)",
                          "approximates: div.f32 (PTX line 12)"));
  Expectation declared;
  declared.approximate = true;
  EXPECT_THAT(lines("tanh.approx.f32 %f1, %f2;", declared), IsEmpty());
}

TEST(PtxLint, MayContractNeedsAProductInASum) {
  EXPECT_THAT(lines("mul.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f5;"),
              ElementsAre("may_contract: mul.f32 into add.f32 (PTX line 12)"));
  EXPECT_THAT(lines("mul.f64 %g1, %g2, %g3;\nsub.f64 %g4, %g5, %g1;"),
              ElementsAre("may_contract: mul.f64 into sub.f64 (PTX line 12)"));
  EXPECT_THAT(lines("mul.f32 %f1, %f2, %f3;\nneg.f32 %f6, %f1;\n"
                    "mov.b32 %r1, %f6;\nadd.f32 %f4, %r1, %f5;"),
              ElementsAre("may_contract: mul.f32 into add.f32 (PTX line 14)"));
  // Either modifier prevents it; another value's sum is another value's.
  EXPECT_THAT(lines("mul.rn.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f5;"),
              IsEmpty());
  EXPECT_THAT(lines("mul.f32 %f1, %f2, %f3;\nadd.rn.f32 %f4, %f1, %f5;"),
              IsEmpty());
  EXPECT_THAT(lines("mul.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f2, %f5;"),
              IsEmpty());
  EXPECT_THAT(lines("mul.lo.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r1, %r5;"),
              IsEmpty());
}

TEST(PtxLint, PackedProductAndSum) {
  EXPECT_THAT(lines("mul.rn.f32x2 %d1, %d2, %d3;\nadd.rn.f32x2 %d4, %d1, %d5;"),
              ElementsAre("packed_f32x2: mul.rn.f32x2 into add.rn.f32x2 "
                          "(PTX line 12)"));
  EXPECT_THAT(lines("mul.rn.f32x2 %d1, %d2, %d3;\nadd.rn.f32x2 %d4, %d2, %d5;"),
              IsEmpty());
  // ptxas does not look into the halves.
  EXPECT_THAT(lines("mul.rn.f32x2 %d1, %d2, %d3;\nmov.b64 {%f1, %f2}, %d1;\n"
                    "add.rn.f32 %f4, %f1, %f5;"),
              IsEmpty());
}

TEST(PtxLint, FusedBeyondTheProgram) {
  const std::string two =
      "fma.rn.f32 %f1, %f2, %f3, %f4;\nfma.rn.f64 %g1, %g2, %g3, %g4;\n"
      "mad.lo.s32 %r1, %r2, %r3, %r4;";
  Expectation expected;
  EXPECT_THAT(lines(two, expected), IsEmpty());
  expected.fused = 2;
  EXPECT_THAT(lines(two, expected), IsEmpty());
  expected.fused = 0;
  EXPECT_THAT(
      lines(two, expected),
      ElementsAre("fused: fma.rn.f32, the program has 0 (PTX line 11)",
                  "fused: fma.rn.f64, the program has 0 (PTX line 12)"));
}

TEST(PtxLint, ImplicitTf32) {
  const std::string text = "cvt.rna.tf32.f32 %r1, %f2;";
  EXPECT_THAT(lines(text),
              ElementsAre("implicit_tf32: cvt.rna.tf32.f32 (PTX line 11)"));
  EXPECT_THAT(
      lines("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
            "{%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};"),
      ElementsAre("implicit_tf32: mma.sync.aligned.m16n8k4.row.col.f32.tf32."
                  "tf32.f32 (PTX line 11)"));
  Expectation declared;
  declared.tf32 = true;
  EXPECT_THAT(lines(text, declared), IsEmpty());
}

struct LostCast {
  Cast cast;
  const char* keeps;
  const char* loses;
};

constexpr const char* kPlain =
    "mul.rn.f32 %f1, %f2, %f3;\nadd.s64 %d1, %d2, 4;";
constexpr LostCast kLostCasts[] = {
    {{DType::f32, DType::f16}, "cvt.rn.f16.f32 %h1, %f1;", kPlain},
    {{DType::f32, DType::f16},
     "cvt.rn.f16x2.f32 %r1, %f1, %f2;",
     "cvt.f32.f16 %f1, %h1;"},
    {{DType::f32, DType::bf16},
     "cvt.rn.bf16.f32 %h1, %f1;",
     "cvt.rn.f16.f32 %h1, %f1;"},
    // Half a unit less one, before the last bit that stays is added.
    {{DType::f32, DType::bf16}, "add.s32 %r1, %r2, 32767;", kPlain},
    {{DType::f32, DType::f8e4m3fn},
     "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
     "cvt.rn.satfinite.e5m2x2.f32 %h1, %f1, %f2;"},
    {{DType::f32, DType::f8e5m2},
     "shr.u32 %r1, %r2, 21;",
     "shr.u32 %r1, %r2, 3;"},
    {{DType::f32, DType::f8e8m0fnu}, "and.b32 %r1, %r2, -8388608;", kPlain},
    {{DType::f64, DType::f32},
     "cvt.rn.f32.f64 %f1, %g1;",
     "cvt.f64.f32 %g1, %f1;"},
    {{DType::f32, DType::i32},
     "cvt.rzi.s32.f32 %r1, %f1;",
     "cvt.rn.f32.s32 %f1, %r1;"},
    {{DType::i32, DType::i8}, "cvt.s32.s8 %r1, %r2;", "cvt.s64.s32 %d1, %r2;"},
    {{DType::i32, DType::u8}, "and.b32 %r1, %r2, 255;", kPlain},
    {{DType::i64, DType::i16},
     "st.global.u16 [%d1], %h1;",
     "st.global.u64 [%d1], %d2;"},
};

TEST(PtxLint, LostCast) {
  for (const LostCast& c : kLostCasts) {
    Expectation expected;
    expected.casts = {c.cast};
    const std::string name = std::string(dtype_name(c.cast.from)) + " to " +
                             std::string(dtype_name(c.cast.to));
    EXPECT_THAT(lines(c.keeps, expected), IsEmpty()) << c.keeps;
    EXPECT_THAT(
        lines(c.loses, expected),
        ElementsAre("lost_cast: " + name + ", no instruction converts to it"))
        << c.loses;
  }
}

TEST(PtxLint, SummaryHasTheWeightiestFirst) {
  std::vector<Finding> findings;
  for (int line = 1; line < 12; ++line) {
    findings.push_back(
        {Rule::may_contract, line, std::string("x").append(1, 'a'), ""});
  }
  findings.push_back({Rule::lost_cast, 0, "f32 to f16", "gone"});
  EXPECT_THAT(summary(findings, 1), ElementsAre("lost_cast: f32 to f16, gone"));
  EXPECT_THAT(summary(findings, 8),
              ElementsAre("lost_cast: f32 to f16, gone",
                          "may_contract: xa (PTX line 1, 11 times)"));
}

}  // namespace
}  // namespace assay::ptx
