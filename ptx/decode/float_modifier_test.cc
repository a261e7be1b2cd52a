// Modifiers and special values of floating-point instructions, one by one.
#include <tuple>

#include "ptx/testing/evaluate.h"

namespace assay::ptx::testing {
namespace {

constexpr std::uint64_t kOne = 0x3f800000;
constexpr std::uint64_t kTwo = 0x40000000;
constexpr std::uint64_t kNan = 0x7fffffff;
constexpr std::uint64_t kQuiet = 0xffc12345;  // some other NaN
constexpr std::uint64_t kInf = 0x7f800000;
constexpr std::uint64_t kMinusZero = 0x80000000;
constexpr std::uint64_t kTiny = 0x00000001;
constexpr std::uint64_t kMinusTiny = 0x80000001;

void check_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) check(c);
}

TEST(FloatModifier, FlushesSubnormals) {
  check_all({
      {"add.f32 %r0, %r1, %r2;", {kTiny, kTiny}, 2},
      {"add.ftz.f32 %r0, %r1, %r2;", {kTiny, kTiny}, 0},
      {"add.ftz.f32 %r0, %r1, %r2;", {kMinusTiny, kMinusZero}, kMinusZero},
      {"sub.ftz.f32 %r0, %r1, %r2;", {0x00800001, 0x00800000}, 0},
      {"mul.ftz.f32 %r0, %r1, %r2;", {0x80800000, 0x3f000000}, kMinusZero},
      {"mul.rz.ftz.f32 %r0, %r1, %r2;", {kTiny, 0x7f000000}, 0},
      {"fma.rn.ftz.f32 %r0, %r1, %r2, %r3;", {kOne, kTiny, kOne}, kOne},
      {"div.rn.ftz.f32 %r0, %r1, %r2;", {0x00800000, kTwo}, 0},
      {"rcp.rn.ftz.f32 %r0, %r1;", {kTiny}, kInf},
      {"sqrt.rn.ftz.f32 %r0, %r1;", {kMinusTiny}, kMinusZero},
      {"neg.ftz.f32 %r0, %r1;", {kTiny}, kMinusZero},
      {"abs.ftz.f32 %r0, %r1;", {kMinusTiny}, 0},
      {"min.ftz.f32 %r0, %r1, %r2;", {kMinusTiny, 0}, kMinusZero},
      {"setp.eq.ftz.f32 %p0, %r1, %r2;", {kTiny, 0}, 1},
      {"setp.eq.f32 %p0, %r1, %r2;", {kTiny, 0}, 0},
      {"set.ne.ftz.u32.f32 %r0, %r1, %r2;", {kTiny, 0}, 0},
      {"add.ftz.f16 %h0, %h1, %h2;", {1, 1}, 0},
      {"add.f16 %h0, %h1, %h2;", {1, 1}, 2},
      {"mul.ftz.f16x2 %r0, %r1, %r2;", {0x3c000001, 0x3c003c00}, 0x3c000000},
      {"neg.ftz.f16 %h0, %h1;", {1}, 0x8000},
      {"cvt.ftz.f32.f32 %r0, %r1;", {kMinusTiny}, kMinusZero},
      {"cvt.ftz.f64.f32 %q0, %r1;", {kTiny}, 0},
      {"cvt.f64.f32 %q0, %r1;", {kTiny}, 0x36a0000000000000},
      {"cvt.rpi.ftz.s32.f32 %r0, %r1;", {kTiny}, 0},
      {"cvt.rpi.s32.f32 %r0, %r1;", {kTiny}, 1},
      {"cvt.rn.ftz.f16.f32 %h0, %r1;", {kMinusTiny}, 0x8000},
      {"cvt.rn.ftz.f32.f64 %r0, %q1;", {0x36a0000000000000}, 0},
      {"add.ftz.f32x2 %q0, %q1, %q2;", {kTiny << 32 | kOne, 0}, kOne, "sm_100"},
  });
}

TEST(FloatModifier, Saturates) {
  check_all({
      {"add.sat.f32 %r0, %r1, %r2;", {kOne, kOne}, kOne},
      {"sub.sat.f32 %r0, %r1, %r2;", {0, kOne}, 0},
      {"add.sat.f32 %r0, %r1, %r2;", {kNan, kOne}, 0},
      {"mul.sat.f32 %r0, %r1, %r2;", {kMinusZero, kOne}, 0},
      {"fma.rn.sat.f32 %r0, %r1, %r2, %r3;", {kOne, 0x3f000000, 0}, 0x3f000000},
      {"add.sat.f16 %h0, %h1, %h2;", {0x3c00, 0x3c00}, 0x3c00},
      {"add.sat.f16 %h0, %h1, %h2;", {0x7e00, 0x3c00}, 0},
      {"mul.sat.f16x2 %r0, %r1, %r2;", {0xbc003800, 0x3c003c00}, 0x00003800},
      {"cvt.sat.f32.f32 %r0, %r1;", {kTwo}, kOne},
      {"cvt.sat.f32.f32 %r0, %r1;", {kQuiet}, 0},
      {"cvt.sat.f64.f64 %q0, %q1;", {0xbff0000000000000}, 0},
      {"cvt.rn.sat.f16.f32 %h0, %r1;", {kTwo}, 0x3c00},
      {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", {0xbc00, 0x3c00, 0}, 0},
      {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", {0x7e01, 0x3c00, 0}, 0x7fff},
      {"fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;",
       {0xbf803f80, 0x3f803f80, 0},
       0x00003f80},
  });
}

TEST(FloatModifier, GivesOneNan) {
  check_all({
      {"add.f32 %r0, %r1, %r2;", {kQuiet, kOne}, kNan},
      {"sub.f32 %r0, %r1, %r2;", {kInf, kInf}, kNan},
      {"mul.f32 %r0, %r1, %r2;", {kInf, 0}, kNan},
      {"sqrt.rn.f32 %r0, %r1;", {0xbf800000}, kNan},
      {"div.rn.f32 %r0, %r1, %r2;", {0, 0}, kNan},
      {"neg.f32 %r0, %r1;", {kQuiet}, kNan},
      {"abs.f32 %r0, %r1;", {kQuiet}, kNan},
      {"abs.f64 %q0, %q1;", {0xfff8000000000123}, 0x7ff8000000000123},
      {"mov.f32 %r0, %r1;", {kQuiet}, kQuiet},
      {"add.f16 %h0, %h1, %h2;", {0xfe01, 0x3c00}, 0x7fff},
      {"mul.bf16 %h0, %h1, %h2;", {0xffc1, 0x3f80}, 0x7fff},
      {"neg.f16 %h0, %h1;", {0xfe01}, 0x7fff},
      {"abs.bf16 %h0, %h1;", {0xffc1}, 0x7fff},
      {"cvt.f32.f16 %r0, %h1;", {0xfe01}, kNan},
      {"cvt.rn.f16.f32 %h0, %r1;", {kQuiet}, 0x7fff},
      {"cvt.rn.f32.f64 %r0, %q1;", {0xfff8000000000123}, kNan},
  });
}

TEST(FloatModifier, MinimumAndMaximum) {
  check_all({
      {"min.f32 %r0, %r1, %r2;", {kQuiet, kOne}, kOne},
      {"max.f32 %r0, %r1, %r2;", {kOne, kQuiet}, kOne},
      {"min.f32 %r0, %r1, %r2;", {kQuiet, kQuiet}, kNan},
      {"min.f32 %r0, %r1, %r2;", {0, kMinusZero}, kMinusZero},
      {"max.f32 %r0, %r1, %r2;", {kMinusZero, 0}, 0},
      {"min.NaN.f32 %r0, %r1, %r2;", {kOne, kQuiet}, kNan},
      {"max.NaN.f32 %r0, %r1, %r2;", {kOne, kTwo}, kTwo},
      {"min.xorsign.abs.f32 %r0, %r1, %r2;", {0xbf800000, kTwo}, 0xbf800000},
      {"max.xorsign.abs.f32 %r0, %r1, %r2;", {0xbf800000, 0xc0000000}, kTwo},
      {"max.NaN.xorsign.abs.f32 %r0, %r1, %r2;", {kQuiet, kOne}, kNan},
      {"min.f32 %r0, %r1, %r2, %r3;", {kTwo, kQuiet, kOne}, kOne, "sm_100"},
      {"max.NaN.f32 %r0, %r1, %r2, %r3;", {kTwo, kQuiet, kOne}, kNan, "sm_100"},
      {"max.abs.f32 %r0, %r1, %r2, %r3;",
       {kOne, 0xc0000000, kOne},
       kTwo,
       "sm_100"},
      {"min.f64 %q0, %q1, %q2;",
       {0x7ff8000000000001, 0x3ff0000000000000},
       0x3ff0000000000000},
      {"max.f64 %q0, %q1, %q2;", {0x8000000000000000, 0}, 0},
      {"min.f16 %h0, %h1, %h2;", {0x0000, 0x8000}, 0x8000},
      {"max.f16 %h0, %h1, %h2;", {0x7e00, 0xbc00}, 0xbc00},
      {"max.NaN.f16 %h0, %h1, %h2;", {0x7e00, 0xbc00}, 0x7fff},
      {"min.NaN.bf16x2 %r0, %r1, %r2;", {0x7fc03f80, 0x3f804000}, 0x7fff3f80},
      {"max.xorsign.abs.f16 %h0, %h1, %h2;", {0xc000, 0x3c00}, 0xc000},
      {"min.xorsign.abs.f16x2 %r0, %r1, %r2;",
       {0xc000bc00, 0x3c00bc00},
       0xbc003c00},
      {"min.ftz.NaN.f16 %h0, %h1, %h2;", {0x8001, 0x3c00}, 0x8000},
  });
}

TEST(FloatModifier, Compares) {
  for (std::string type : {"f32", "f64"}) {
    bool wide = type == "f64";
    std::uint64_t one = wide ? 0x3ff0000000000000 : kOne;
    std::uint64_t two = wide ? 0x4000000000000000 : kTwo;
    std::uint64_t nan = wide ? 0x7ff8000000000000 : kNan;
    struct Row {
      const char* op;
      int less, equal, greater, unordered;
    };
    for (Row r :
         {Row{"eq", 0, 1, 0, 0}, Row{"ne", 1, 0, 1, 0}, Row{"lt", 1, 0, 0, 0},
          Row{"le", 1, 1, 0, 0}, Row{"gt", 0, 0, 1, 0}, Row{"ge", 0, 1, 1, 0},
          Row{"equ", 0, 1, 0, 1}, Row{"neu", 1, 0, 1, 1},
          Row{"ltu", 1, 0, 0, 1}, Row{"leu", 1, 1, 0, 1},
          Row{"gtu", 0, 0, 1, 1}, Row{"geu", 0, 1, 1, 1},
          Row{"num", 1, 1, 1, 0}, Row{"nan", 0, 0, 0, 1}}) {
      std::string l = wide ? "q" : "r";
      std::string code = std::string("setp.") + r.op + "." + type + " %p0, %" +
                         l + "1, %" + l + "2;";
      auto bit = [](int x) { return static_cast<std::uint64_t>(x); };
      check({code, {one, two}, bit(r.less)});
      check({code, {two, two}, bit(r.equal)});
      check({code, {two, one}, bit(r.greater)});
      check({code, {nan, one}, bit(r.unordered)});
      check({code, {one, nan}, bit(r.unordered)});
    }
  }
  check_all({
      {"setp.lt.f16 %p0, %h1, %h2;", {0x3c00, 0x4000}, 1},
      {"setp.ltu.bf16 %p0, %h1, %h2;", {0x7fc0, 0x3f80}, 1},
      {"setp.eq.ftz.f16 %p0, %h1, %h2;", {1, 0}, 1},
      {"setp.lt.f16x2 %p1|%p0, %r1, %r2;", {0x40003c00, 0x3c004000}, 0},
      {"setp.lt.f16x2 %p0|%p1, %r1, %r2;", {0x40003c00, 0x3c004000}, 1},
      {"set.lt.f16x2.f16x2 %r0, %r1, %r2;", {0x40003c00, 0x3c004000}, 0x3c00},
      {"set.gt.bf16.bf16 %h0, %h1, %h2;", {0x4000, 0x3f80}, 0x3f80},
      {"set.gt.u32.f32 %r0, %r1, %r2;", {kTwo, kOne}, 0xffffffff},
  });
}

TEST(FloatModifier, TellsAndCopies) {
  for (auto [op, finite, infinite, nan, subnormal] :
       {std::tuple{"finite", 1, 0, 0, 1},
        {"infinite", 0, 1, 0, 0},
        {"number", 1, 1, 0, 1},
        {"notanumber", 0, 0, 1, 0},
        {"normal", 1, 0, 0, 0},
        {"subnormal", 0, 0, 0, 1}}) {
    std::string code = std::string("testp.") + op + ".f32 %p0, %r1;";
    auto bit = [](int x) { return static_cast<std::uint64_t>(x); };
    check({code, {kMinusZero}, bit(finite)});
    check({code, {kInf}, bit(infinite)});
    check({code, {kQuiet}, bit(nan)});
    check({code, {kTiny}, bit(subnormal)});
  }
  check_all({
      {"testp.subnormal.f64 %p0, %q1;", {1}, 1},
      {"copysign.f32 %r0, %r1, %r2;", {kMinusZero, kTwo}, 0xc0000000},
      {"copysign.f64 %q0, %q1, %q2;",
       {0, 0xc000000000000000},
       0x4000000000000000},
  });
}

TEST(FloatModifier, MixesFormats) {
  check_all({
      {"add.f32.f16 %r0, %h1, %r2;", {0x3c00, kOne}, kTwo, "sm_100"},
      {"add.rz.f32.bf16 %r0, %h1, %r2;", {0x3f80, kTiny}, kOne, "sm_100"},
      {"add.rp.f32.bf16 %r0, %h1, %r2;", {0x3f80, kTiny}, kOne + 1, "sm_100"},
      {"fma.rn.f32.f16 %r0, %h1, %h2, %r3;",
       {0x4000, 0x3c00, kTwo},
       0x40800000,
       "sm_100"},
      {"fma.rn.sat.f32.bf16 %r0, %h1, %h2, %r3;",
       {0x4000, 0x3f80, 0},
       kOne,
       "sm_100"},
  });
}

TEST(FloatModifier, TargetsThatDoNotHaveIt) {
  struct Row {
    const char* code;
    const char* old;
    const char* first;
  };
  for (Row r : {Row{"add.rn.f32x2 %q0, %q1, %q2;", "sm_90a", "sm_100"},
                Row{"add.rn.bf16 %h0, %h1, %h2;", "sm_89", "sm_90"},
                Row{"fma.rn.bf16 %h0, %h1, %h2, %h2;", "sm_75", "sm_80"},
                Row{"max.bf16x2 %r0, %r1, %r2;", "sm_75", "sm_80"},
                Row{"min.f32 %r0, %r1, %r2, %r2;", "sm_90", "sm_100"},
                Row{"add.f32.f16 %r0, %h1, %r2;", "sm_90", "sm_100"},
                Row{"redux.sync.max.f32 %r0, %r1, 1;", "sm_100", "sm_100a"}}) {
    auto refused = [&](const char* target) {
      return evaluate(r.code, {{0}, {0}}, target)
                 .error.rfind("unsupported:", 0) == 0;
    };
    EXPECT_TRUE(refused(r.old)) << r.code;
    EXPECT_FALSE(refused(r.first)) << r.code;
  }
}

}  // namespace
}  // namespace assay::ptx::testing
