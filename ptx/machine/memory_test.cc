// Memory: every state space, what is out of bounds, misaligned, undefined or
// in a race, and atomics.
#include <bit>
#include <cmath>
#include <numeric>

#include "ptx/testing/testing.h"

namespace assay::ptx::testing {
namespace {

const char* const kRegisters =
    ".reg .b16 %h<6>; .reg .b32 %r<12>; .reg .b64 %q<12>; .reg .pred %p<6>;\n"
    ".reg .b32 %i; mov.u32 %r9, %tid.x; mov.u32 %r8, %ctaid.x;\n"
    "mov.u32 %r7, %ntid.x; mad.lo.u32 %i, %r8, %r7, %r9;\n"
    "ld.param.u64 %q1, [p0]; mul.wide.u32 %q2, %i, 4; "
    "add.u64 %q3, %q1, %q2;\n";

// %q1: the buffer; %i: the thread of the grid; %q3: its word.
Ran on_words(std::vector<std::uint32_t>& words, const std::string& body,
             const LaunchShape& shape, const std::string& globals = "",
             Contents contents = Contents::defined, unsigned threads = 0) {
  Machine machine;
  LaunchOptions options;
  options.threads = threads;
  std::uint64_t at =
      machine.add_buffer("words", bytes_of_vector(words), contents);
  return run(machine, kernel(kRegisters + body + "\nret;", 1, "sm_90", globals),
             {at}, shape, options);
}

bool fine(const Ran& r) { return r.refused.empty() && r.report.ok(); }

TEST(Bounds, AreCheckedToTheByte) {
  std::vector<std::uint32_t> w(64);
  EXPECT_TRUE(fine(on_words(w, "st.global.u32 [%q3], 1;", {{1}, {64}})));
  Ran r = on_words(w, "st.global.u32 [%q3], 1;", {{1}, {65}});
  ASSERT_TRUE(r.has(FaultKind::out_of_bounds));
  const Fault& f = r.report.faults[0];
  EXPECT_EQ(f.thread, (Dim3{64, 0, 0}));
  EXPECT_EQ(f.entry, "k");
  EXPECT_EQ(f.instruction, "st.global.u32");
  EXPECT_EQ(f.line, 10);
  EXPECT_NE(f.message.find("4 bytes at offset 256 of buffer words, which has "
                           "256 bytes"),
            std::string::npos)
      << f.message;
  EXPECT_TRUE(on_words(w, "ld.global.u32 %r1, [%q1+-4];", {{1}, {1}})
                  .has(FaultKind::out_of_bounds));
  EXPECT_TRUE(
      on_words(w, "mov.u64 %q4, 16; ld.global.u32 %r1, [%q4];", {{1}, {1}})
          .has(FaultKind::out_of_bounds));
  EXPECT_TRUE(on_words(w, "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%q1 + 256];",
                       {{1}, {1}})
                  .has(FaultKind::out_of_bounds));
}

TEST(Bounds, TheFirstBlockIsBlamed) {
  std::vector<std::uint32_t> w(640);
  for (unsigned threads : {1U, 2U, 3U}) {
    Ran r = on_words(w, "st.global.u32 [%q3], 1;", {{4000}, {64}}, "",
                     Contents::defined, threads);
    ASSERT_TRUE(r.has(FaultKind::out_of_bounds));
    EXPECT_EQ(r.report.faults[0].block, (Dim3{10, 0, 0}));
  }
}

TEST(Bounds, OfSharedLocalAndConstant) {
  std::vector<std::uint32_t> w(4);
  std::string s = ".extern .shared .b8 s[]; .const .u32 c[2] = {5, 6};";
  auto go = [&](const std::string& body) {
    return on_words(w, body, {{1}, {1}, 64}, s);
  };
  EXPECT_TRUE(fine(go("st.shared.u32 [s + 60], 1;")));
  EXPECT_TRUE(go("st.shared.u32 [s + 64], 1;").has(FaultKind::out_of_bounds));
  EXPECT_TRUE(fine(go("ld.const.u32 %r1, [c + 4]; st.global.u32 [%q1], %r1;")));
  EXPECT_EQ(w[0], 6U);
  EXPECT_TRUE(go("ld.const.u32 %r1, [c + 8];").has(FaultKind::out_of_bounds));
  EXPECT_TRUE(
      go("mov.u64 %q4, c; st.global.u32 [%q4], 1;").has(FaultKind::read_only));
  std::string local = ".local .align 8 .b8 l[16]; ";
  EXPECT_TRUE(fine(go(local + "st.local.u32 [l + 12], 1;")));
  // Below the variable and back, in 32 bits.
  EXPECT_TRUE(
      fine(go(local + "mov.u64 %q1, l; cvt.u32.u64 %r1, %q1;"
                      "sub.u32 %r1, %r1, 4; st.local.u32 [%r1 + 16], 1;")));
  EXPECT_TRUE(
      go(local + "st.local.u32 [l + 16], 1;").has(FaultKind::out_of_bounds));
}

TEST(Alignment, IsThatOfTheWholeAccess) {
  std::vector<std::uint32_t> w(64);
  EXPECT_TRUE(on_words(w, "ld.global.u32 %r1, [%q1 + 2];", {{1}, {1}})
                  .has(FaultKind::misaligned));
  EXPECT_TRUE(on_words(w, "ld.global.v2.u32 {%r1, %r2}, [%q1 + 4];", {{1}, {1}})
                  .has(FaultKind::misaligned));
  EXPECT_TRUE(
      fine(on_words(w, "ld.global.v2.u32 {%r1, %r2}, [%q1 + 8];", {{1}, {1}})));
}

TEST(Access, WidthsAndSigns) {
  std::vector<std::uint32_t> w = {0x80c0ff7f, 0x12345678, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(fine(on_words(w, R"(
      ld.global.s8 %r1, [%q1 + 1]; st.global.u32 [%q1 + 8], %r1;
      ld.global.u8 %r1, [%q1 + 1]; st.global.u32 [%q1 + 12], %r1;
      ld.global.s16 %r1, [%q1 + 2]; st.global.u32 [%q1 + 16], %r1;
      ld.global.u16 %h1, [%q1 + 2]; cvt.u32.u16 %r1, %h1;
      st.global.u32 [%q1 + 20], %r1;
      ld.global.nc.L1::evict_last.v2.b16 {%h1, %h2}, [%q1 + 4];
      st.global.wb.v2.b16 [%q1 + 24], {%h2, %h1};
      st.global.u8 [%q1 + 29], %r1;)",
                            {{1}, {1}})));
  EXPECT_EQ(w[2], 0xffffffffU);
  EXPECT_EQ(w[3], 0xffU);
  EXPECT_EQ(w[4], 0xffff80c0U);
  EXPECT_EQ(w[5], 0x80c0U);
  EXPECT_EQ(w[6], 0x56781234U);
  EXPECT_EQ(w[7], 0x0000c000U);
}

TEST(Access, VectorsOfAWholeWarp) {
  std::vector<std::uint32_t> w(256);
  std::iota(w.begin(), w.end(), 0U);
  EXPECT_TRUE(fine(on_words(w, R"(
      mul.wide.u32 %q2, %i, 16; add.u64 %q3, %q1, %q2;
      ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%q3];
      st.global.v4.b32 [%q3], {%r4, %r3, %r2, %r1};)",
                            {{1}, {64}})));
  for (std::uint32_t i = 0; i < 256; ++i)
    ASSERT_EQ(w[i], i / 4 * 4 + (3 - i % 4));
}

TEST(Generic, AddressesReachEverySpace) {
  std::vector<std::uint32_t> w(32);
  EXPECT_TRUE(fine(on_words(w, R"(
      .shared .align 4 .b8 s[128]; .local .align 4 .b8 l[8];
      mov.u64 %q4, s; cvta.shared.u64 %q4, %q4; add.u64 %q4, %q4, %q2;
      st.u32 [%q4], %i; ld.u32 %r1, [%q4];
      mov.u64 %q5, l; cvta.local.u64 %q5, %q5; st.u32 [%q5 + 4], %r1;
      cvta.to.local.u64 %q6, %q5; ld.local.u32 %r2, [%q6 + 4];
      isspacep.shared %p1, %q4; isspacep.local %p2, %q5;
      isspacep.global %p3, %q1; isspacep.global %p4, %q4;
      and.pred %p1, %p1, %p2; and.pred %p1, %p1, %p3; not.pred %p4, %p4;
      and.pred %p1, %p1, %p4; selp.u32 %r3, 100, 0, %p1;
      add.u32 %r2, %r2, %r3; st.u32 [%q3], %r2;)",
                            {{1}, {32}})));
  for (std::uint32_t i = 0; i < 32; ++i) ASSERT_EQ(w[i], 100 + i);
}

TEST(Undefined, GlobalTemporaries) {
  std::vector<std::uint32_t> w(64);
  std::string copy = "ld.global.u32 %r1, [%q3]; st.global.u32 [%q3], %r1;";
  EXPECT_TRUE(fine(on_words(w, copy, {{1}, {64}})));
  Ran r = on_words(w, copy, {{1}, {64}}, "", Contents::undefined);
  EXPECT_TRUE(r.has(FaultKind::uninitialised));
  EXPECT_TRUE(fine(on_words(w, "st.global.u32 [%q3], 1;" + copy, {{1}, {64}},
                            "", Contents::undefined)));
  // Reading alone decides nothing.
  EXPECT_TRUE(fine(on_words(w, "ld.global.u32 %r1, [%q3];", {{1}, {64}}, "",
                            Contents::undefined)));
}

TEST(Undefined, IsRememberedFromLaunchToLaunch) {
  std::vector<std::uint32_t> w(32);
  std::vector<std::uint32_t> out(32);
  Machine machine;
  auto t = machine.add_buffer("t", bytes_of_vector(w), Contents::undefined);
  auto o = machine.add_buffer("o", bytes_of_vector(out), Contents::undefined);
  std::string head = kRegisters;
  std::string write = kernel(head + "st.global.u32 [%q3], 3; ret;", 2);
  std::string read =
      kernel(head +
                 "ld.global.u32 %r1, [%q3]; ld.param.u64 %q4, [p1];"
                 "add.u64 %q4, %q4, %q2; st.global.u32 [%q4], %r1; ret;",
             2);
  EXPECT_TRUE(
      run(machine, read, {t, o}, {{1}, {32}}).has(FaultKind::uninitialised));
  EXPECT_TRUE(fine(run(machine, write, {t, o}, {{1}, {32}})));
  EXPECT_TRUE(fine(run(machine, read, {t, o}, {{1}, {32}})));
  EXPECT_TRUE(machine.mark(t, 4, Contents::undefined));
  EXPECT_TRUE(
      run(machine, read, {t, o}, {{1}, {32}}).has(FaultKind::uninitialised));
  EXPECT_FALSE(machine.mark(t, 129, Contents::undefined));
}

TEST(Undefined, FollowsValuesToWhereTheyCount) {
  std::vector<std::uint32_t> w(32);
  auto go = [&](const std::string& body) {
    return on_words(w, body, {{1}, {32}});
  };
  EXPECT_TRUE(go("add.u32 %r1, %r2, 1; st.global.u32 [%q3], %r1;")
                  .has(FaultKind::uninitialised));
  EXPECT_TRUE(go("cvt.u64.u32 %q4, %r2; add.u64 %q4, %q4, %q1; "
                 "ld.global.u32 %r1, [%q4];")
                  .has(FaultKind::uninitialised));
  EXPECT_TRUE(go("setp.eq.u32 %p1, %r2, 0; @%p1 bra L; L:")
                  .has(FaultKind::uninitialised));
  EXPECT_TRUE(go(".shared .u32 s; ld.shared.u32 %r1, [s]; "
                 "st.global.u32 [%q3], %r1;")
                  .has(FaultKind::uninitialised));
  // Not chosen, masked off, or never used: no fault.
  EXPECT_TRUE(
      fine(go("setp.eq.u32 %p1, %i, 99; selp.u32 %r1, %r2, 7, %p1; "
              "st.global.u32 [%q3], %r1;")));
  EXPECT_TRUE(fine(go("and.b32 %r1, %r2, 0; st.global.u32 [%q3], %r1;")));
  EXPECT_TRUE(
      fine(go("setp.lt.u32 %p1, %i, 4; @%p1 mov.u32 %r2, 1; "
              "add.u32 %r3, %r2, 1; @%p1 st.global.u32 [%q3], %r3;")));
}

TEST(Race, BetweenBlocks) {
  for (unsigned threads : {1U, 2U}) {
    // Many blocks of some work, so that both threads get their share.
    std::vector<std::uint32_t> w(64 * 300);
    auto go = [&](const std::string& body) {
      return on_words(w, body, {{300}, {64}}, "", Contents::defined, threads);
    };
    std::string work;
    for (int i = 0; i < 700; ++i) work += "add.u32 %r1, %i, 1;\n";
    EXPECT_TRUE(fine(go(work + "st.global.u32 [%q3], %r1;")));
    EXPECT_TRUE(go(work + "st.global.u32 [%q1], %r1;").has(FaultKind::race));
    EXPECT_TRUE(go(work + "ld.global.u32 %r2, [%q1]; add.u32 %r1, %r1, %r2; "
                          "st.global.u32 [%q3], %r1;")
                    .has(FaultKind::race));
    EXPECT_TRUE(fine(go(work + "ld.global.u32 %r2, [%q1]; "
                               "setp.ne.u32 %p1, %i, %i; "
                               "@%p1 st.global.u32 [%q3], %r2;")));
    // Neighbouring bytes are no race.
    EXPECT_TRUE(fine(go(work + "cvt.u64.u32 %q4, %i; add.u64 %q4, %q4, %q1; "
                               "st.global.u8 [%q4], %r1;")));
  }
}

TEST(Race, FencesAndAtomicsOrderBlocks) {
  // The block that comes last reads what all others wrote.
  std::string body = R"(
      .reg .b64 %g; .shared .u32 last;
      st.global.u32 [%q3 + 4], 1; FENCE
      bar.sync 0; setp.ne.u32 %p1, %r9, 0; @%p1 bra SKIP;
      atom.global.add.u32 %r1, [%q1], 1; st.shared.u32 [last], %r1;
      SKIP: bar.sync 0; ld.shared.u32 %r2, [last];
      setp.ne.u32 %p2, %r2, 7; @%p2 bra END; FENCE
      sub.u32 %r3, 255, %r9; mul.wide.u32 %q4, %r3, 4; add.u64 %q4, %q4, %q1;
      ld.global.u32 %r4, [%q4 + 4]; st.global.u32 [%q4 + 4], %r4; END:)";
  auto go = [&](const char* fence) {
    std::string text = body;
    for (std::size_t at = text.find("FENCE"); at != text.npos;
         at = text.find("FENCE"))
      text.replace(at, 5, fence);
    std::vector<std::uint32_t> w(8 * 32 + 1);
    return on_words(w, text, {{8}, {32}});
  };
  EXPECT_TRUE(fine(go("membar.gl;")));
  EXPECT_TRUE(fine(go("fence.acq_rel.gpu;")));
}

TEST(Atomic, BlocksThatWaitForOneAnother) {
  // A barrier of the whole grid: all blocks arrive, then all go on.
  std::vector<std::uint32_t> w(65);
  EXPECT_TRUE(fine(on_words(w, R"(
      atom.global.add.u32 %r1, [%q1 + 256], 1;
      WAIT: ld.acquire.gpu.global.u32 %r2, [%q1 + 256];
      setp.lt.u32 %p1, %r2, 64; @%p1 bra WAIT;
      st.global.u32 [%q3], %r2;)",
                            {{64}, {1}})));
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(w[i], 64U);
}

std::uint64_t updated(const std::string& code, std::uint64_t start) {
  std::vector<std::uint32_t> w = {static_cast<std::uint32_t>(start),
                                  static_cast<std::uint32_t>(start >> 32), 0,
                                  0};
  Ran r = on_words(w, code, {{1}, {1}});
  EXPECT_TRUE(fine(r)) << code << r.refused;
  return w[0] | static_cast<std::uint64_t>(w[1]) << 32;
}

TEST(Atomic, EveryOperation) {
  auto red = [](const std::string& op, std::uint64_t start,
                const std::string& b) {
    return updated("red.global." + op + " [%q1], " + b + ";", start);
  };
  EXPECT_EQ(red("add.u32", 5, "7"), 12U);
  EXPECT_EQ(red("add.u64", ~0ULL, "2"), 1U);
  EXPECT_EQ(red("min.s32", 0xffffffff, "3"), 0xffffffffU);
  EXPECT_EQ(red("min.u32", 0xffffffff, "3"), 3U);
  EXPECT_EQ(red("max.s32", 0xffffffff, "3"), 3U);
  EXPECT_EQ(red("max.u64", 5, "9"), 9U);
  EXPECT_EQ(red("min.s64", ~0ULL, "9"), ~0ULL);
  EXPECT_EQ(red("and.b32", 0xff, "0x3c"), 0x3cU);
  EXPECT_EQ(red("or.b64", 0xf0, "0x0f"), 0xffU);
  EXPECT_EQ(red("xor.b32", 0xff, "0x0f"), 0xf0U);
  EXPECT_EQ(red("inc.u32", 4, "4"), 0U);
  EXPECT_EQ(red("inc.u32", 3, "4"), 4U);
  EXPECT_EQ(red("dec.u32", 0, "4"), 4U);
  EXPECT_EQ(red("dec.u32", 9, "4"), 4U);
  EXPECT_EQ(red("dec.u32", 3, "4"), 2U);
  EXPECT_EQ(red("add.f32", 0x3f800000, "0f3F800000"), 0x40000000U);
  EXPECT_EQ(red("add.f64", 0x3ff0000000000000, "0d3FF0000000000000"),
            0x4000000000000000U);
  // Subnormals vanish in global memory and stay in shared memory.
  EXPECT_EQ(red("add.f32", 1, "0f00000001"), 0U);
  EXPECT_EQ(updated(".shared .u32 s; st.shared.u32 [s], 1; "
                    "red.shared.add.f32 [s], 0f00000001; "
                    "ld.shared.u32 %r1, [s]; st.global.u32 [%q1], %r1;",
                    0),
            2U);
  EXPECT_EQ(updated("mov.b16 %h1, 0x3c00; "
                    "red.global.add.noftz.f16 [%q1], %h1;",
                    0x3c00),
            0x4000U);
  EXPECT_EQ(red("add.noftz.f16x2", 0x3c003c00, "0x40003c00"), 0x42004000U);
  EXPECT_EQ(red("add.noftz.bf16x2", 0x3f803f80, "0x3f803f80"), 0x40004000U);
  EXPECT_EQ(red("max.noftz.bf16x2", 0x3f80bf80, "0xbf803f80"), 0x3f803f80U);
  EXPECT_EQ(updated("mov.u32 %r1, 3; mov.u32 %r2, 4; "
                    "red.global.add.v2.f32 [%q1], {%r1, %r2};",
                    0),
            0U);  // 3 and 4 are subnormal
  EXPECT_EQ(updated("atom.global.cas.b32 %r1, [%q1], 5, 9;", 5), 9U);
  EXPECT_EQ(updated("atom.global.cas.b32 %r1, [%q1], 6, 9;", 5), 5U);
  EXPECT_EQ(updated("mov.b16 %h1, 5; mov.b16 %h2, 9; "
                    "atom.global.cas.b16 %h3, [%q1], %h1, %h2;",
                    5),
            9U);
  EXPECT_EQ(updated("atom.global.exch.b32 %r1, [%q1], 9; "
                    "st.global.u32 [%q1 + 4], %r1;",
                    5),
            0x500000009ULL);
  EXPECT_EQ(updated("atom.acq_rel.gpu.global.add.u32 %r1, [%q1], 9; "
                    "st.global.u32 [%q1 + 4], %r1;",
                    5),
            0x50000000eULL);
}

TEST(Copy, IsThereWhenItWasWaitedFor) {
  std::vector<std::uint32_t> w(64);
  std::iota(w.begin(), w.end(), 1U);
  EXPECT_TRUE(fine(on_words(w, R"(
      .shared .align 16 .b8 s[32]; mov.u32 %r1, s;
      cp.async.cg.shared.global [%r1], [%q1 + 16], 16;
      cp.async.ca.shared.global [%r1 + 16], [%q1], 8, 4;
      cp.async.commit_group; cp.async.wait_group 0;
      ld.shared.u32 %r2, [s + 4]; st.global.u32 [%q1], %r2;
      ld.shared.v2.u32 {%r2, %r3}, [s + 16];
      st.global.v2.u32 [%q1 + 8], {%r2, %r3};)",
                            {{1}, {1}})));
  EXPECT_EQ(w[0], 6U);
  EXPECT_EQ(w[2], 1U);
  EXPECT_EQ(w[3], 0U);
}

// What has not been waited for is undefined, whoever reads it; after a wait by
// the others, too, a barrier must follow.
TEST(Copy, IsUndefinedBefore) {
  std::vector<std::uint32_t> w(64);
  std::iota(w.begin(), w.end(), 1U);
  const std::string copies = R"(
      .shared .align 16 .b8 s[512]; mov.u32 %r1, s;
      shl.b32 %r2, %r9, 2; add.u32 %r2, %r1, %r2;
      cp.async.ca.shared.global [%r2], [%q1], 4; cp.async.commit_group;
      cp.async.ca.shared.global [%r2 + 256], [%q1 + 4], 4;
      cp.async.commit_group;)";
  auto go = [&](const std::string& then, std::uint32_t threads) {
    return on_words(w, copies + then, {{1}, {threads}});
  };
  const std::string first = "ld.shared.u32 %r3, [%r2]; ";
  const std::string second = "ld.shared.u32 %r3, [%r2 + 256]; ";
  const std::string use = "st.global.u32 [%q3], %r3;";
  const std::string wait0 = "cp.async.wait_group 0; ";
  const std::string wait1 = "cp.async.wait_group 1; ";
  EXPECT_TRUE(go(first + use, 32).has(FaultKind::uninitialised));
  EXPECT_TRUE(go(wait1 + second + use, 32).has(FaultKind::uninitialised));
  EXPECT_TRUE(fine(go(wait1 + first + use, 32)));
  EXPECT_TRUE(fine(go(wait0 + second + use, 32)));
  EXPECT_TRUE(fine(go("cp.async.wait_all; " + second + use, 32)));
  const std::string far =
      "xor.b32 %r4, %r2, 128; ld.shared.u32 %r3, [%r4]; " + use;
  EXPECT_TRUE(fine(go(wait0 + "bar.sync 0; " + far, 64)));
  Ran early = go("bar.sync 0; " + wait0 + far, 64);
  EXPECT_TRUE(early.has(FaultKind::race) ||
              early.has(FaultKind::uninitialised));
}

TEST(Copy, ReadsNoMoreThanItCopies) {
  std::vector<std::uint32_t> w(4);
  w = {1, 2, 3, 4};
  Machine machine;
  auto at =
      machine.add_buffer("w", bytes_of_vector(w).first(10), Contents::defined);
  auto go = [&](const std::string& size) {
    return run(machine,
               kernel(std::string(kRegisters) +
                      R"(.shared .align 16 .b8 s[16];
                      mov.u32 %r1, s; mov.u32 %r2, )" +
                      size + R"(;
                      cp.async.cg.shared.global [%r1], [%q1], 16, %r2;
                      cp.async.wait_all; ld.shared.u32 %r3, [s + 8];
                      st.global.u32 [%q1], %r3; ret;)"),
               {at}, {{1}, {1}});
  };
  EXPECT_TRUE(fine(go("10")));
  EXPECT_EQ(w[0], 3U);
  EXPECT_TRUE(go("12").has(FaultKind::out_of_bounds));
}

// The tile holds 100 row + column; a lane's word after the load, and the tile
// after it was stored back, transposed.
TEST(Matrix, MovesRowsToLanes) {
  for (bool transposed : {false, true}) {
    std::vector<std::uint32_t> w(32 + 64);
    std::string trans = transposed ? ".trans" : "";
    Ran r = on_words(w,
                     R"(
        .shared .align 16 .b8 s[256]; mov.u32 %r1, s;
        shr.u32 %r2, %r9, 2; mul.lo.u32 %r2, %r2, 100; and.b32 %r3, %r9, 3;
        shl.b32 %r3, %r3, 1; add.u32 %r2, %r2, %r3; cvt.u16.u32 %h1, %r2;
        add.u16 %h2, %h1, 1; shl.b32 %r4, %r9, 2; add.u32 %r4, %r1, %r4;
        st.shared.v2.b16 [%r4], {%h1, %h2}; bar.warp.sync -1;
        and.b32 %r5, %r9, 15; shl.b32 %r5, %r5, 4; add.u32 %r5, %r1, %r5;
        ldmatrix.sync.aligned.m8n8.x1)" +
                         trans + R"(.shared.b16 {%r6}, [%r5];
        st.global.u32 [%q3], %r6;
        stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r5], {%r6, %r6};
        bar.warp.sync -1; ld.shared.u32 %r6, [%r4 + 128];
        st.global.u32 [%q3 + 128], %r6;)",
                     {{1}, {32}});
    ASSERT_TRUE(fine(r)) << r.refused;
    for (std::uint32_t l = 0; l < 32; ++l) {
      std::uint32_t row = l / 4;
      std::uint32_t column = l % 4 * 2;
      std::uint32_t straight = (row * 100 + column) | (row * 100 + column + 1)
                                                          << 16;
      std::uint32_t turned = (column * 100 + row) | ((column + 1) * 100 + row)
                                                        << 16;
      EXPECT_EQ(w[l], transposed ? turned : straight) << l;
      EXPECT_EQ(w[32 + l], transposed ? straight : turned) << l;
    }
  }
}

TEST(Matrix, NeedsTheWholeWarpAndAlignedRows) {
  std::vector<std::uint32_t> w(32);
  std::string load = ".shared .align 16 .b8 s[256]; mov.u32 %r1, s; ";
  auto go = [&](const std::string& body, std::uint32_t threads) {
    return on_words(w, load + body, {{1}, {threads}});
  };
  std::string x1 = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, ";
  EXPECT_TRUE(fine(go(x1 + "[%r1];", 32)));
  EXPECT_TRUE(go(x1 + "[%r1];", 16).has(FaultKind::bad_barrier));
  EXPECT_TRUE(go(x1 + "[%r1 + 8];", 32).has(FaultKind::misaligned));
  EXPECT_TRUE(go(x1 + "[%r1 + 256];", 32).has(FaultKind::out_of_bounds));
  EXPECT_TRUE(go(x1 + "[%r1]; st.global.u32 [%q3], %r6;", 32)
                  .has(FaultKind::uninitialised));
}

TEST(Variables, KeepTheirValuesFromLaunchToLaunch) {
  std::vector<std::uint32_t> w(4);
  Machine machine;
  auto at = machine.add_buffer("w", bytes_of_vector(w), Contents::defined);
  auto program = Program::load(
      kernel(std::string(kRegisters) +
                 "ld.global.u32 %r1, [count]; add.u32 %r1, %r1, 1; "
                 "st.global.u32 [count], %r1; ld.global.u64 %q4, [where]; "
                 "ld.global.u32 %r2, [%q4]; add.u32 %r1, %r1, %r2; "
                 "st.global.u32 [%q1], %r1; ret;",
             1, "sm_90",
             ".global .u32 count = 40; .global .u32 t[3] = {7, 8, 9};\n"
             ".global .u64 where = generic(t) + 8;"));
  ASSERT_TRUE(program) << program.error().message;
  Arguments a;
  a.add(at);
  ASSERT_TRUE(machine.launch(*program, "k", {}, a.bytes()));
  EXPECT_EQ(w[0], 50U);
  ASSERT_TRUE(machine.launch(*program, "k", {}, a.bytes()));
  EXPECT_EQ(w[0], 51U);
}

}  // namespace
}  // namespace assay::ptx::testing
