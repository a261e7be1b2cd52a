// Integer instructions, each modifier of each, on values where they differ.
#include "ptx/testing/evaluate.h"

namespace assay::ptx::testing {
namespace {

constexpr std::uint64_t k32 = 0xffffffffULL;
constexpr std::uint64_t k64 = ~0ULL;
constexpr std::uint64_t kMin32 = 0x80000000ULL;
constexpr std::uint64_t kMin64 = 0x8000000000000000ULL;

void check_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) check(c);
}

TEST(Integer, AddsAndSubtracts) {
  check_all({
      {"add.u16 %h0, %h1, %h2;", {0xffff, 2}, 1},
      {"add.s32 %r0, %r1, %r2;", {0x7fffffff, 1}, kMin32},
      {"add.u64 %q0, %q1, %q2;", {k64, 2}, 1},
      {"add.sat.s32 %r0, %r1, %r2;", {0x7fffffff, 1}, 0x7fffffff},
      {"add.sat.s32 %r0, %r1, %r2;", {kMin32, k32}, kMin32},
      {"add.u16x2 %r0, %r1, %r2;", {0xffff0001, 0x0002ffff}, 0x00010000},
      {"add.s16x2 %r0, %r1, %r2;", {0x7fff0001, 0x00010001}, 0x80000002},
      {"sub.u16 %h0, %h1, %h2;", {1, 2}, 0xffff},
      {"sub.s32 %r0, %r1, %r2;", {kMin32, 1}, 0x7fffffff},
      {"sub.s64 %q0, %q1, %q2;", {0, 1}, k64},
      {"sub.sat.s32 %r0, %r1, %r2;", {kMin32, 1}, kMin32},
      {"neg.s16 %h0, %h1;", {1}, 0xffff},
      {"neg.s32 %r0, %r1;", {kMin32}, kMin32},
      {"neg.s64 %q0, %q1;", {1}, k64},
      {"abs.s16 %h0, %h1;", {0xfffe}, 2},
      {"abs.s32 %r0, %r1;", {kMin32}, kMin32},
      {"abs.s64 %q0, %q1;", {k64}, 1},
      {"sad.u16 %h0, %h1, %h2, %h3;", {1, 3, 10}, 12},
      {"sad.u32 %r0, %r1, %r2, %r3;", {1, k32, 1}, k32},
      {"sad.s32 %r0, %r1, %r2, %r3;", {1, k32, 1}, 3},
      {"sad.u64 %q0, %q1, %q2, %q3;", {5, 3, 1}, 3},
      {"sad.s64 %q0, %q1, %q2, %q3;", {1, k64, 1}, 3},
      {"sad.s16 %h0, %h1, %h2, %h3;", {1, 0xffff, 1}, 3},
  });
}

TEST(Integer, Multiplies) {
  check_all({
      {"mul.lo.u16 %h0, %h1, %h2;", {0xffff, 0xffff}, 1},
      {"mul.hi.u16 %h0, %h1, %h2;", {0xffff, 0xffff}, 0xfffe},
      {"mul.hi.s16 %h0, %h1, %h2;", {0xffff, 2}, 0xffff},
      {"mul.wide.u16 %r0, %h1, %h2;", {0xffff, 0xffff}, 0xfffe0001},
      {"mul.wide.s16 %r0, %h1, %h2;", {0xffff, 2}, 0xfffffffe},
      {"mul.lo.s32 %r0, %r1, %r2;", {k32, 3}, 0xfffffffd},
      {"mul.hi.u32 %r0, %r1, %r2;", {k32, k32}, 0xfffffffe},
      {"mul.hi.s32 %r0, %r1, %r2;", {k32, k32}, 0},
      {"mul.wide.u32 %q0, %r1, %r2;", {k32, k32}, 0xfffffffe00000001},
      {"mul.wide.s32 %q0, %r1, %r2;", {k32, 2}, 0xfffffffffffffffe},
      {"mul.lo.u64 %q0, %q1, %q2;", {k64, k64}, 1},
      {"mul.hi.u64 %q0, %q1, %q2;", {k64, k64}, 0xfffffffffffffffe},
      {"mul.hi.s64 %q0, %q1, %q2;", {k64, 5}, k64},
      {"mad.lo.s32 %r0, %r1, %r2, %r3;", {3, 5, 7}, 22},
      {"mad.hi.u32 %r0, %r1, %r2, %r3;", {k32, k32, 3}, 1},
      {"mad.wide.u32 %q0, %r1, %r2, %q3;", {k32, 2, 1}, 0x1ffffffff},
      {"mad.wide.s16 %r0, %h1, %h2, %r3;", {0xffff, 1, 1}, 0},
      {"mad.lo.u64 %q0, %q1, %q2, %q3;", {3, 5, 7}, 22},
      {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;",
       {0x7fffffff, 0x7fffffff, 0x7fffffff},
       0x7fffffff},
      {"mul24.lo.u32 %r0, %r1, %r2;", {0xff000003, 0x01000005}, 15},
      {"mul24.lo.s32 %r0, %r1, %r2;", {0x00ffffff, 5}, 0xfffffffb},
      {"mul24.hi.u32 %r0, %r1, %r2;", {0xffffff, 0xffffff}, 0xfffffe00},
      {"mul24.hi.s32 %r0, %r1, %r2;", {0xffffff, 1}, k32},
      {"mad24.lo.u32 %r0, %r1, %r2, %r3;", {3, 5, 2}, 17},
      {"dp4a.u32.u32 %r0, %r1, %r2, %r3;", {0x01020304, 0xff010101, 1}, 265},
      {"dp4a.s32.s32 %r0, %r1, %r2, %r3;", {0x01020304, 0xff010101, 1}, 9},
      {"dp4a.u32.s32 %r0, %r1, %r2, %r3;",
       {0xff000000, 0xff000000, 0},
       0xffffff01},
      {"dp2a.lo.u32.u32 %r0, %r1, %r2, %r3;", {0x00020003, 0x07080506, 1}, 29},
      {"dp2a.hi.s32.s32 %r0, %r1, %r2, %r3;", {0xffff0003, 0xff020000, 0}, 7},
  });
}

TEST(Integer, Divides) {
  check_all({
      {"div.u16 %h0, %h1, %h2;", {0xffff, 2}, 0x7fff},
      {"div.s16 %h0, %h1, %h2;", {0xfff9, 2}, 0xfffd},
      {"div.u32 %r0, %r1, %r2;", {k32, 2}, 0x7fffffff},
      {"div.s32 %r0, %r1, %r2;", {0xfffffff9, 2}, 0xfffffffd},
      {"div.s32 %r0, %r1, %r2;", {kMin32, k32}, kMin32},
      {"div.u32 %r0, %r1, %r2;", {5, 0}, k32},
      {"div.s64 %q0, %q1, %q2;", {kMin64, k64}, kMin64},
      {"div.u64 %q0, %q1, %q2;", {k64, 3}, 0x5555555555555555},
      {"rem.u32 %r0, %r1, %r2;", {k32, 10}, 5},
      {"rem.s32 %r0, %r1, %r2;", {0xfffffff9, 2}, k32},
      {"rem.s16 %h0, %h1, %h2;", {0xfff9, 4}, 0xfffd},
      {"rem.s64 %q0, %q1, %q2;", {kMin64, k64}, 0},
      {"rem.u64 %q0, %q1, %q2;", {k64, 10}, 5},
  });
}

TEST(Integer, ComparesByOrder) {
  check_all({
      {"min.u16 %h0, %h1, %h2;", {0xffff, 1}, 1},
      {"min.s16 %h0, %h1, %h2;", {0xffff, 1}, 0xffff},
      {"max.u32 %r0, %r1, %r2;", {k32, 1}, k32},
      {"max.s32 %r0, %r1, %r2;", {k32, 1}, 1},
      {"min.u64 %q0, %q1, %q2;", {k64, 1}, 1},
      {"min.s64 %q0, %q1, %q2;", {k64, 1}, k64},
      {"max.relu.s32 %r0, %r1, %r2;", {k32, 0xfffffffe}, 0},
      {"min.s16x2 %r0, %r1, %r2;", {0xffff0001, 0x00010002}, 0xffff0001},
      {"max.u16x2 %r0, %r1, %r2;", {0xffff0001, 0x00010002}, 0xffff0002},
      {"max.relu.s16x2 %r0, %r1, %r2;", {0xffff0001, 0xfffe0002}, 0x00000002},
      {"setp.lt.u32 %p0, %r1, %r2;", {k32, 1}, 0},
      {"setp.lt.s32 %p0, %r1, %r2;", {k32, 1}, 1},
      {"setp.le.s16 %p0, %h1, %h2;", {0xffff, 0}, 1},
      {"setp.gt.u64 %p0, %q1, %q2;", {k64, 1}, 1},
      {"setp.ge.s64 %p0, %q1, %q2;", {k64, 1}, 0},
      {"setp.eq.b32 %p0, %r1, %r2;", {5, 5}, 1},
      {"setp.ne.b16 %p0, %h1, %h2;", {5, 5}, 0},
      {"setp.lo.u32 %p0, %r1, %r2;", {1, k32}, 1},
      {"setp.ls.u32 %p0, %r1, %r2;", {2, 2}, 1},
      {"setp.hi.u32 %p0, %r1, %r2;", {k32, 1}, 1},
      {"setp.hs.u32 %p0, %r1, %r2;", {0, 1}, 0},
      {"set.lt.u32.s32 %r0, %r1, %r2;", {k32, 1}, k32},
      {"set.lt.f32.s32 %r0, %r1, %r2;", {k32, 1}, 0x3f800000},
      {"set.gt.u32.u32 %r0, %r1, %r2;", {1, 2}, 0},
      {"selp.b32 %r0, %r1, %r2, 1;", {7, 8}, 7},
      {"setp.eq.u32 %p1, %r1, %r1; selp.b16 %h0, %h1, %h2, !%p1;", {7, 8}, 8},
      {"slct.u32.s32 %r0, %r1, %r2, %r3;", {7, 8, kMin32}, 8},
      {"slct.b64.s32 %q0, %q1, %q2, %r3;", {7, 8, 0}, 7},
      {"slct.b32.f32 %r0, %r1, %r2, %r3;", {7, 8, 0x80000000}, 7},
      {"slct.b32.f32 %r0, %r1, %r2, %r3;", {7, 8, 0x7fc00000}, 8},
      {"slct.ftz.b32.f32 %r0, %r1, %r2, %r3;", {7, 8, 0x80000001}, 7},
  });
}

TEST(Integer, CombinesPredicates) {
  check_all({
      {"setp.eq.u32 %p1, %r1, 1; setp.lt.and.u32 %p0, %r1, %r2, %p1;",
       {1, 2},
       1},
      {"setp.eq.u32 %p1, %r1, 1; setp.lt.and.u32 %p0, %r1, %r2, !%p1;",
       {1, 2},
       0},
      {"setp.eq.u32 %p1, %r1, 1; setp.gt.or.u32 %p0, %r1, %r2, %p1;",
       {1, 2},
       1},
      {"setp.eq.u32 %p1, %r1, 1; setp.lt.xor.u32 %p0, %r1, %r2, %p1;",
       {1, 2},
       0},
      {"setp.lt.u32 %p1|%p0, %r1, %r2;", {1, 2}, 0},
      {"setp.lt.u32 %p1|%p0, %r1, %r2;", {2, 1}, 1},
      // The guard is itself a destination: it counts as it was before.
      {"setp.eq.u32 %p1, %r1, %r1; mov.pred %p0, %p1; "
       "@%p1 setp.ne.u32 %p1|%p0, %r1, %r1;",
       {1},
       1},
      {"setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r2, 1; "
       "and.pred %p0, %p1, %p2;",
       {1, 0},
       0},
      {"setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r2, 1; "
       "or.pred %p0, %p1, %p2;",
       {1, 0},
       1},
      {"setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r2, 1; "
       "xor.pred %p0, %p1, %p2;",
       {1, 1},
       0},
      {"setp.eq.u32 %p1, %r1, 1; not.pred %p0, %p1;", {1}, 0},
  });
}

TEST(Integer, CarriesBetweenWords) {
  check_all({
      {"add.cc.u32 %r3, %r1, %r1; addc.u32 %r0, %r2, 0;", {kMin32, 5}, 6},
      {"add.cc.u32 %r3, %r1, %r1; addc.u32 %r0, %r2, 0;", {1, 5}, 5},
      {"add.cc.u64 %q3, %q1, %q1; addc.u64 %q0, %q2, 0;", {kMin64, 5}, 6},
      {"add.cc.u32 %r3, %r1, %r1; addc.cc.u32 %r3, %r2, 0; "
       "addc.u32 %r0, 0, 0;",
       {kMin32, k32},
       1},
      {"sub.cc.u32 %r3, %r1, %r2; subc.u32 %r0, 5, 0;", {1, 2}, 4},
      {"sub.cc.u32 %r3, %r1, %r2; subc.u32 %r0, 5, 0;", {2, 1}, 5},
      {"sub.cc.s64 %q3, %q1, %q2; subc.cc.s64 %q3, 0, 0; subc.s64 %q0, 5, 0;",
       {1, 2},
       4},
      {"mad.lo.cc.u32 %r3, %r1, %r2, %r1; madc.hi.u32 %r0, %r1, %r2, 0;",
       {k32, k32},
       k32},
      {"mad.hi.cc.u32 %r3, %r1, %r2, %r1; addc.u32 %r0, 0, 0;", {k32, k32}, 1},
      {"add.cc.u32 %r3, %r1, 1; madc.lo.cc.u32 %r3, %r1, 1, 0; "
       "addc.u32 %r0, 0, 0;",
       {k32},
       1},
      {"mad.lo.cc.u64 %q3, %q1, %q2, %q1; madc.hi.u64 %q0, %q1, %q2, 0;",
       {k64, k64},
       k64},
  });
}

TEST(Integer, ConvertsBetweenSizes) {
  check_all({
      {"cvt.s32.s8 %r0, %r1;", {0x180}, 0xffffff80},
      {"cvt.u32.u8 %r0, %r1;", {0x180}, 0x80},
      {"cvt.s64.s32 %q0, %r1;", {kMin32}, 0xffffffff80000000},
      {"cvt.u64.u32 %q0, %r1;", {kMin32}, kMin32},
      {"cvt.u16.u32 %h0, %r1;", {0x12345}, 0x2345},
      {"cvt.s16.s8 %h0, %h1;", {0x80}, 0xff80},
      {"cvt.u8.u32 %r0, %r1;", {0x1ff}, 0xff},
      {"cvt.s8.s32 %r0, %r1;", {0x180}, 0xffffff80},
      {"cvt.u16.s8 %r0, %h1;", {0x80}, 0xff80},
      {"cvt.s32.s64 %r0, %q1;", {0x123456789}, 0x23456789},
      {"cvt.u32.u16 %r0, %r1;", {0x12345}, 0x2345},
      {"cvt.sat.u8.s32 %r0, %r1;", {k32}, 0},
      {"cvt.sat.u8.s32 %r0, %r1;", {300}, 255},
      {"cvt.sat.s8.s32 %r0, %r1;", {0xffffff00}, 0xffffff80},
      {"cvt.sat.s8.u32 %r0, %r1;", {k32}, 0x7f},
      {"cvt.sat.u32.s32 %r0, %r1;", {kMin32}, 0},
      {"cvt.sat.s32.u32 %r0, %r1;", {kMin32}, 0x7fffffff},
      {"cvt.sat.s16.s64 %h0, %q1;", {kMin64}, 0x8000},
      {"cvt.sat.u64.s64 %q0, %q1;", {k64}, 0},
      {"cvt.sat.s64.u64 %q0, %q1;", {k64}, 0x7fffffffffffffff},
      {"cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;",
       {300, k32, 0x1234},
       0x1234ff00},
      {"cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3;",
       {300, 0xffffff00, 0},
       0x7f80},
      {"cvt.pack.sat.s16.s32 %r0, %r1, %r2;", {70000, kMin32}, 0x7fff8000},
      {"cvt.pack.sat.u16.s32 %r0, %r1, %r2;", {70000, 5}, 0xffff0005},
      {"cvt.pack.sat.u4.s32.b32 %r0, %r1, %r2, %r3;", {20, 3, 1}, 0x1f3},
      {"cvt.pack.sat.s2.s32.b32 %r0, %r1, %r2, %r3;", {5, kMin32, 1}, 0x16},
  });
}

}  // namespace
}  // namespace assay::ptx::testing
