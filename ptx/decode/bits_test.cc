// Logic, shifts, fields, permutations: each instruction and mode.
#include "ptx/testing/evaluate.h"

namespace assay::ptx::testing {
namespace {

constexpr std::uint64_t k32 = 0xffffffffULL;
constexpr std::uint64_t kTop = 0x8000000000000001ULL;

void check_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) check(c);
}

TEST(Bits, Logic) {
  check_all({
      {"and.b16 %h0, %h1, %h2;", {0xff0f, 0x0fff}, 0x0f0f},
      {"and.b32 %r0, %r1, %r2;", {0xff0f, 0x0fff}, 0x0f0f},
      {"and.b64 %q0, %q1, %q2;", {kTop, k32}, 1},
      {"or.b16 %h0, %h1, %h2;", {0xf000, 0x000f}, 0xf00f},
      {"or.b32 %r0, %r1, %r2;", {0xf000, 0x000f}, 0xf00f},
      {"or.b64 %q0, %q1, %q2;", {kTop, 2}, kTop | 2},
      {"xor.b16 %h0, %h1, %h2;", {0xff00, 0x0ff0}, 0xf0f0},
      {"xor.b32 %r0, %r1, %r2;", {0xff00, 0x0ff0}, 0xf0f0},
      {"xor.b64 %q0, %q1, %q2;", {kTop, kTop}, 0},
      {"not.b16 %h0, %h1;", {0x00ff}, 0xff00},
      {"not.b32 %r0, %r1;", {0}, k32},
      {"not.b64 %q0, %q1;", {0}, ~0ULL},
      {"cnot.b16 %h0, %h1;", {0}, 1},
      {"cnot.b32 %r0, %r1;", {5}, 0},
      {"cnot.b64 %q0, %q1;", {0}, 1},
  });
}

TEST(Bits, Lop3HasEveryTable) {
  // 0xf0, 0xcc, 0xaa are the columns of a, b, c in a table of eight rows.
  for (unsigned table = 0; table < 256; ++table)
    check({"lop3.b32 %r0, %r1, %r2, %r3, " + std::to_string(table) + ";",
           {0xf0, 0xcc, 0xaa},
           (table & 1U) != 0 ? 0xffffff00U | table : table});
}

TEST(Bits, ShiftsClampTheirCount) {
  check_all({
      {"shl.b16 %h0, %h1, %r2;", {0x8001, 1}, 2},
      {"shl.b16 %h0, %h1, %r2;", {1, 16}, 0},
      {"shl.b32 %r0, %r1, %r2;", {1, 31}, 0x80000000},
      {"shl.b32 %r0, %r1, %r2;", {1, 32}, 0},
      {"shl.b64 %q0, %q1, %r2;", {1, 63}, 0x8000000000000000},
      {"shl.b64 %q0, %q1, %r2;", {1, 0xffffffff}, 0},
      {"shr.u16 %h0, %h1, %r2;", {0x8000, 15}, 1},
      {"shr.s16 %h0, %h1, %r2;", {0x8000, 99}, 0xffff},
      {"shr.u32 %r0, %r1, %r2;", {k32, 32}, 0},
      {"shr.s32 %r0, %r1, %r2;", {0x80000000, 32}, k32},
      {"shr.b32 %r0, %r1, %r2;", {0x80000000, 31}, 1},
      {"shr.u64 %q0, %q1, %r2;", {kTop, 63}, 1},
      {"shr.s64 %q0, %q1, %r2;", {kTop, 64}, ~0ULL},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {0x80000000, 1, 33}, 3},
      {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", {0x12345678, 1, 33}, 0x12345678},
      {"shf.r.wrap.b32 %r0, %r1, %r2, %r3;", {2, 1, 33}, 0x80000001},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {2, 0x12345678, 40}, 0x12345678},
      {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", {0x80000000, 1, 1}, 3},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {2, 1, 1}, 0x80000001},
  });
}

TEST(Bits, Counts) {
  check_all({
      {"popc.b32 %r0, %r1;", {0xf0f0}, 8},
      {"popc.b64 %r0, %q1;", {~0ULL}, 64},
      {"clz.b32 %r0, %r1;", {1}, 31},
      {"clz.b32 %r0, %r1;", {0}, 32},
      {"clz.b64 %r0, %q1;", {0}, 64},
      {"bfind.u32 %r0, %r1;", {0x1234}, 12},
      {"bfind.u32 %r0, %r1;", {0}, k32},
      {"bfind.s32 %r0, %r1;", {0xfffffff0}, 3},
      {"bfind.s32 %r0, %r1;", {k32}, k32},
      {"bfind.shiftamt.u32 %r0, %r1;", {1}, 31},
      {"bfind.u64 %r0, %q1;", {kTop}, 63},
      {"bfind.s64 %r0, %q1;", {1}, 0},
      {"bfind.shiftamt.s64 %r0, %q1;", {1}, 63},
      {"brev.b32 %r0, %r1;", {1}, 0x80000000},
      {"brev.b64 %q0, %q1;", {2}, 0x4000000000000000},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0xaaaaaaaa, 3, 1}, 3},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0xaaaaaaaa, 3, 2}, 5},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0xaaaaaaaa, 3, 0xffffffff}, 3},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0xaaaaaaaa, 3, 0xfffffffe}, 1},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0xaaaaaaaa, 2, 0}, k32},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0xaaaaaaaa, 0, 17}, k32},
  });
}

TEST(Bits, Fields) {
  check_all({
      {"bfe.u32 %r0, %r1, %r2, %r3;", {0x12345678, 8, 8}, 0x56},
      {"bfe.s32 %r0, %r1, %r2, %r3;", {0x0000f000, 12, 4}, k32},
      {"bfe.s32 %r0, %r1, %r2, %r3;", {0x80000000, 28, 8}, 0xfffffff8},
      {"bfe.u32 %r0, %r1, %r2, %r3;", {k32, 0, 0}, 0},
      {"bfe.s32 %r0, %r1, %r2, %r3;", {k32, 0, 0}, 0},
      {"bfe.s32 %r0, %r1, %r2, %r3;", {0x80000000, 40, 4}, k32},
      {"bfe.u64 %q0, %q1, %r2, %r3;", {kTop, 60, 4}, 8},
      {"bfe.s64 %q0, %q1, %r2, %r3;", {kTop, 60, 4}, 0xfffffffffffffff8},
      {"bfi.b32 %r0, %r1, %r2, %r3, %r4;", {0xff, 0, 8, 4}, 0xf00},
      {"bfi.b32 %r0, %r1, %r2, %r3, %r4;", {0, k32, 28, 99}, 0x0fffffff},
      {"bfi.b64 %q0, %q1, %q2, %r3, %r4;", {3, 0, 62, 2}, 0xc000000000000000},
      {"szext.wrap.s32 %r0, %r1, %r2;", {0xff, 36}, k32},
      {"szext.clamp.s32 %r0, %r1, %r2;", {0x12345678, 36}, 0x12345678},
      {"szext.clamp.u32 %r0, %r1, %r2;", {0xff, 4}, 0xf},
      {"szext.wrap.u32 %r0, %r1, %r2;", {0xff, 32}, 0},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", {4, 8}, 0xff0},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", {0, 32}, k32},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", {32, 4}, 0},
      {"bmsk.wrap.b32 %r0, %r1, %r2;", {36, 33}, 0x10},
      {"bmsk.wrap.b32 %r0, %r1, %r2;", {4, 32}, 0},
  });
}

TEST(Bits, Permutes) {
  std::uint64_t a = 0x33221100;
  std::uint64_t b = 0x77665544;
  check_all({
      {"prmt.b32 %r0, %r1, %r2, 0x7531;", {a, b}, 0x77553311},
      {"prmt.b32 %r0, %r1, %r2, 0x5410;", {a, b}, 0x55441100},
      {"prmt.b32 %r0, %r1, %r2, 0x9818;", {0x80, b}, 0x00ff00ff},
      {"prmt.b32.f4e %r0, %r1, %r2, 1;", {a, b}, 0x44332211},
      {"prmt.b32.b4e %r0, %r1, %r2, 1;", {a, b}, 0x66770011},
      {"prmt.b32.rc8 %r0, %r1, %r2, 2;", {a, b}, 0x22222222},
      {"prmt.b32.ecl %r0, %r1, %r2, 2;", {a, b}, 0x33222222},
      {"prmt.b32.ecr %r0, %r1, %r2, 2;", {a, b}, 0x22221100},
      {"prmt.b32.rc16 %r0, %r1, %r2, 1;", {a, b}, 0x33223322},
      {"prmt.b32.rc16 %r0, %r1, %r2, 2;", {a, b}, 0x11001100},
  });
}

TEST(Bits, MovesPackAndUnpack) {
  check_all({
      {"mov.b32 %r0, {%h1, %h2};", {0x1111, 0x2222}, 0x22221111},
      {"mov.b64 %q0, {%r1, %r2};", {1, 2}, 0x200000001},
      {"mov.b64 %q0, {%h1, %h2, %h3, %h4};", {1, 2, 3, 4}, 0x0004000300020001},
      {"mov.b32 {%h0, %h2}, %r1;", {0x22221111}, 0x1111},
      {"mov.b32 {%h2, %h0}, %r1;", {0x22221111}, 0x2222},
      {"mov.b64 {_, %r0}, %q1;", {0x200000001}, 2},
      {"{ .reg .b8 %x, %y; cvt.u8.u32 %x, %r1; cvt.u8.u32 %y, %r2; "
       "mov.b16 %h0, {%x, %y}; }",
       {0x11, 0x22},
       0x2211},
      {"{ .reg .b8 %x, %y; mov.b16 {%x, %y}, %h1; cvt.u32.u8 %r0, %y; }",
       {0x2211},
       0x22},
      {"mov.u32 %r0, 0x1234;", {0}, 0x1234},
      {"mov.f32 %r0, 0f3F800000;", {0}, 0x3f800000},
      {"mov.f64 %q0, 0d3FF0000000000000;", {0}, 0x3ff0000000000000},
      {"mov.f32 %r0, 1.5;", {0}, 0x3fc00000},
      {"mov.b16 %h0, -1;", {0}, 0xffff},
      {"mov.u32 %r0, WARP_SZ;", {0}, 32},
  });
}

}  // namespace
}  // namespace assay::ptx::testing
