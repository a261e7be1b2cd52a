// What threads do together: divergence, barriers, shuffles, votes.
#include "ptx/testing/testing.h"

namespace assay::ptx::testing {
namespace {

// Runs `body`, which leaves a value in %r0, in one block; the values of all
// threads in order. %r9 is the thread's number.
struct Values {
  std::vector<std::uint32_t> of;
  Ran ran;
};
Values each_thread(const std::string& body, std::uint32_t threads = 32,
                   std::uint32_t shared = 0,
                   const std::string& target = "sm_90") {
  Values v;
  v.of.resize(threads);
  Machine machine;
  std::uint64_t out =
      machine.add_buffer("out", bytes_of_vector(v.of), Contents::undefined);
  v.ran = run(machine,
              kernel(".reg .b32 %r<12>; .reg .b64 %q<4>; .reg .pred %p<6>;\n"
                     "mov.u32 %r9, %tid.x;\n" +
                         body +
                         "\nld.param.u64 %q1, [p0];\n"
                         "mul.wide.u32 %q2, %r9, 4; add.u64 %q1, %q1, %q2;\n"
                         "st.global.u32 [%q1], %r0; ret;",
                     1, target, ".extern .shared .align 16 .b8 dynamic[];"),
              {out}, {{1}, {threads}, shared});
  return v;
}

template <class F>
void expect(const std::string& body, F want, std::uint32_t threads = 32,
            std::uint32_t shared = 0, const std::string& target = "sm_90") {
  Values v = each_thread(body, threads, shared, target);
  ASSERT_EQ(v.ran.refused, "") << body;
  ASSERT_TRUE(v.ran.report.ok()) << v.ran.report.faults[0].text();
  for (std::uint32_t t = 0; t < threads; ++t)
    ASSERT_EQ(v.of[t], want(t)) << body << " in thread " << t;
}

TEST(Divergence, BothSidesRun) {
  expect(R"(and.b32 %r1, %r9, 1; setp.eq.u32 %p1, %r1, 0;
            @%p1 bra EVEN; mov.u32 %r0, 7; bra DONE;
            EVEN: mov.u32 %r0, 8; DONE:)",
         [](std::uint32_t t) { return t % 2 == 0 ? 8U : 7U; }, 40);
}

TEST(Divergence, LoopsOfDifferentLengths) {
  expect(R"(mov.u32 %r0, 0; mov.u32 %r1, 0;
            LOOP: add.u32 %r0, %r0, %r1; add.u32 %r1, %r1, 1;
            setp.le.u32 %p1, %r1, %r9; @%p1 bra LOOP;)",
         [](std::uint32_t t) { return t * (t + 1) / 2; }, 100);
}

TEST(Divergence, GroupsMeetAgainForAShuffle) {
  // Every lane takes another way, with the exit of the inner loop placed
  // before the loop, and all meet at the shuffle.
  expect(R"(mov.u32 %r1, %r9; bra HEAD;
            OUT: bra MEET;
            HEAD: setp.eq.u32 %p1, %r1, 0; @%p1 bra OUT;
            sub.u32 %r1, %r1, 1; bra HEAD;
            MEET: shfl.sync.bfly.b32 %r0, %r9, 1, 31, 0xffffffff;)",
         [](std::uint32_t t) { return t ^ 1U; });
}

TEST(Divergence, ThreadsThatSpinLetOthersRun) {
  // The upper half waits for what the lower half, whose code comes later,
  // puts into shared memory.
  expect(R"(.shared .u32 flag; st.shared.u32 [flag], 0;
            bar.warp.sync 0xffffffff; setp.ne.u32 %p1, %r9, 0;
            @%p1 bra WAIT; bra SET;
            WAIT: ld.volatile.shared.u32 %r1, [flag];
            setp.ne.u32 %p2, %r1, 5; @%p2 bra WAIT; bra DONE;
            SET: st.volatile.shared.u32 [flag], 5;
            DONE: mov.u32 %r0, 1;)",
         [](std::uint32_t) { return 1U; });
}

TEST(Divergence, BranchesByTable) {
  expect(R"(and.b32 %r1, %r9, 3; mov.u32 %r0, 0;
            T: .branchtargets A, B, C, A;
            brx.idx %r1, T;
            A: add.u32 %r0, %r0, 1; bra D;
            B: add.u32 %r0, %r0, 10; bra D;
            C: add.u32 %r0, %r0, 100; D:)",
         [](std::uint32_t t) {
           return t % 4 == 1 ? 10U : t % 4 == 2 ? 100U : 1U;
         });
}

TEST(Divergence, EndsAtTheLimit) {
  Machine machine;
  LaunchOptions options;
  options.step_limit = 10'000;
  Ran r = run(machine, kernel("L: bra L;"), {0}, {{1}, {32}}, options);
  EXPECT_TRUE(r.has(FaultKind::step_limit)) << r.refused;
}

TEST(Barrier, OrdersWarps) {
  // Each thread reads what the thread opposite has written.
  expect(R"(.shared .align 4 .b8 s[512]; mov.u32 %r1, s;
            shl.b32 %r2, %r9, 2; add.u32 %r2, %r1, %r2;
            st.shared.u32 [%r2], %r9; bar.sync 0;
            sub.u32 %r3, 127, %r9; shl.b32 %r3, %r3, 2; add.u32 %r3, %r1, %r3;
            ld.shared.u32 %r0, [%r3];)",
         [](std::uint32_t t) { return 127 - t; }, 128);
}

TEST(Barrier, MissingIsARace) {
  Values v = each_thread(R"(mov.u32 %r1, dynamic;
            shl.b32 %r2, %r9, 2; add.u32 %r2, %r1, %r2;
            st.shared.u32 [%r2], %r9;
            sub.u32 %r3, 127, %r9; shl.b32 %r3, %r3, 2; add.u32 %r3, %r1, %r3;
            ld.shared.u32 %r0, [%r3];)",
                         128, 512);
  EXPECT_TRUE(v.ran.has(FaultKind::race));
}

TEST(Barrier, ReuseWithoutASecondBarrierIsARace) {
  std::string body = R"(mov.u32 %r1, dynamic; shl.b32 %r2, %r9, 2;
      add.u32 %r2, %r1, %r2; st.shared.u32 [%r2], %r9; bar.sync 0;
      ld.shared.u32 %r0, [dynamic]; BARRIER st.shared.u32 [%r2], 1;)";
  auto with = [&](const char* barrier) {
    std::string text = body;
    text.replace(text.find("BARRIER"), 7, barrier);
    return each_thread(text, 64, 256).ran;
  };
  EXPECT_TRUE(with("").has(FaultKind::race));
  EXPECT_TRUE(with("bar.sync 0;").report.ok());
}

TEST(Barrier, WarpsMayWriteTheSameValue) {
  const auto with = [](const char* value) {
    std::string text =
        "st.shared.u32 [dynamic], VALUE; bar.sync 0;"
        "ld.shared.u32 %r0, [dynamic];";
    text.replace(text.find("VALUE"), 5, value);
    return each_thread(text, 64, 16).ran;
  };
  EXPECT_TRUE(with("7").report.ok());
  EXPECT_TRUE(with("%r9").has(FaultKind::race));
}

TEST(Barrier, OfPartOfTheBlockOrdersThatPart) {
  // Warps 0 and 1 meet at barrier 1; warp 2 has written without it.
  std::string body = R"(setp.lt.u32 %p1, %r9, 64; setp.ge.u32 %p2, %r9, 32;
      setp.eq.u32 %p3, %r9, WRITER; mov.u32 %r0, 0;
      @%p3 st.shared.u32 [dynamic], 5;
      @%p1 bar.sync 1, 64; setp.eq.u32 %p4, %r9, 0;
      @%p4 ld.shared.u32 %r0, [dynamic];)";
  auto with = [&](const char* writer) {
    std::string text = body;
    text.replace(text.find("WRITER"), 6, writer);
    return each_thread(text, 96, 16).ran;
  };
  EXPECT_TRUE(with("32").report.ok());
  EXPECT_TRUE(with("64").has(FaultKind::race));
}

TEST(Barrier, ReducesAndArrives) {
  auto odd = [](std::uint32_t) { return 48U; };
  std::string p = "and.b32 %r1, %r9, 1; setp.eq.u32 %p1, %r1, 1; ";
  expect(p + "bar.red.popc.u32 %r0, 0, %p1;", odd, 96);
  expect(
      p + "barrier.red.and.pred %p2, 0, %p1; selp.u32 %r0, 1, 0, %p2;",
      [](std::uint32_t) { return 0U; }, 64);
  expect(
      p + "bar.red.or.pred %p2, 0, 64, %p1; selp.u32 %r0, 1, 0, %p2;",
      [](std::uint32_t) { return 1U; }, 64);
  // The first warp only arrives; the second waits for it.
  expect(R"(setp.lt.u32 %p1, %r9, 32; mov.u32 %r0, 3;
            @%p1 st.shared.u32 [dynamic], 9; @%p1 bar.arrive 2, 64;
            @!%p1 bar.sync 2, 64; @!%p1 ld.shared.u32 %r0, [dynamic];)",
         [](std::uint32_t t) { return t < 32 ? 3U : 9U; }, 64, 16);
}

TEST(Barrier, FaultsWhereThreadsNeverCome) {
  // A count that is larger than the block.
  EXPECT_TRUE(each_thread("mov.u32 %r0, 0; bar.sync 1, 64;", 32)
                  .ran.has(FaultKind::bad_barrier));
  // One warp at two aligned barriers.
  EXPECT_TRUE(each_thread(R"(and.b32 %r1, %r9, 1; setp.eq.u32 %p1, %r1, 0;
                 mov.u32 %r0, 0; @%p1 bra A; bar.sync 0; bra B;
                 A: bar.sync 0; B:)")
                  .ran.has(FaultKind::bad_barrier));
  EXPECT_TRUE(each_thread("mov.u32 %r0, 0; bar.sync 16;")
                  .ran.has(FaultKind::bad_barrier));
  EXPECT_TRUE(each_thread("mov.u32 %r0, 0; bar.sync 0, 33;", 64)
                  .ran.has(FaultKind::bad_barrier));
}

TEST(Barrier, DoesNotWaitForThreadsThatHaveEnded) {
  expect(R"(mov.u32 %r0, 1; setp.ge.u32 %p1, %r9, 64;
            @%p1 bra SKIP; bar.sync 0; SKIP:)",
         [](std::uint32_t) { return 1U; }, 128);
}

TEST(Shuffle, AllModes) {
  auto shuffle = [](const std::string& mode, const std::string& b,
                    const std::string& c) {
    return "shfl.sync." + mode + ".b32 %r1|%p1, %r9, " + b + ", " + c +
           ", 0xffffffff; selp.u32 %r2, 100, 0, %p1; add.u32 %r0, %r1, %r2;";
  };
  expect(shuffle("up", "3", "0"),
         [](std::uint32_t t) { return t < 3 ? t : t - 3 + 100; });
  expect(shuffle("down", "3", "31"),
         [](std::uint32_t t) { return t > 28 ? t : t + 3 + 100; });
  expect(shuffle("bfly", "5", "31"),
         [](std::uint32_t t) { return (t ^ 5U) + 100; });
  expect(shuffle("idx", "7", "31"), [](std::uint32_t) { return 107U; });
  // Segments of eight lanes: mask 0x18 in bits 8 to 12.
  expect(shuffle("idx", "2", "0x181f"),
         [](std::uint32_t t) { return t / 8 * 8 + 2 + 100; });
  expect(shuffle("down", "4", "0x1807"),
         [](std::uint32_t t) { return t % 8 > 3 ? t : t + 4 + 100; });
  expect(shuffle("up", "1", "0x1800"),
         [](std::uint32_t t) { return t % 8 < 1 ? t : t - 1 + 100; });
}

TEST(Shuffle, PartsOfAWarp) {
  // Each half shuffles by itself, with a mask of its own.
  expect(R"(setp.lt.u32 %p1, %r9, 16; selp.u32 %r1, 0xffff, 0xffff0000, %p1;
            @%p1 bra LOW;
            shfl.sync.bfly.b32 %r0, %r9, 1, 31, %r1; bra DONE;
            LOW: shfl.sync.bfly.b32 %r0, %r9, 2, 31, %r1; DONE:)",
         [](std::uint32_t t) { return t < 16 ? t ^ 2U : t ^ 1U; });
}

TEST(Shuffle, WaitsForThoseWhoComeLater) {
  // The lower half is at the shuffle, which comes first in the code, while
  // the upper half is still behind it.
  expect(R"(mov.u32 %r1, 5; bra START;
            MEET: shfl.sync.idx.b32 %r0, %r1, 20, 31, 0xffffffff; bra DONE;
            START: setp.lt.u32 %p1, %r9, 16; @%p1 bra MEET;
            add.u32 %r1, %r9, 100; bra MEET; DONE:)",
         [](std::uint32_t) { return 120U; });
}

TEST(Shuffle, OfALaneThatIsNotThereIsUndefined) {
  Values v = each_thread(
      R"(setp.lt.u32 %p1, %r9, 16; mov.u32 %r0, 0;
         @%p1 shfl.sync.idx.b32 %r0, %r9, 20, 31, 0xffff;)");
  EXPECT_TRUE(v.ran.has(FaultKind::uninitialised));
}

TEST(Shuffle, WithAWrongMaskNeverEnds) {
  Values v = each_thread(
      R"(setp.lt.u32 %p1, %r9, 16; mov.u32 %r0, 0; @!%p1 bra SKIP;
         shfl.sync.bfly.b32 %r0, %r9, 1, 31, 0xffffffff;
         SKIP: bar.warp.sync 0xffffffff;)");
  EXPECT_TRUE(v.ran.has(FaultKind::bad_barrier));
}

TEST(Vote, AllModes) {
  std::string p = "setp.lt.u32 %p1, %r9, 5; ";
  auto ask = [&](const std::string& mode, const std::string& mask) {
    return p + "vote.sync." + mode + ".pred %p2, %p1, " + mask +
           "; selp.u32 %r0, 1, 0, %p2;";
  };
  auto is = [](std::uint32_t x) { return [x](std::uint32_t) { return x; }; };
  expect(ask("all", "0xffffffff"), is(0));
  expect(ask("any", "0xffffffff"), is(1));
  expect(ask("uni", "0xffffffff"), is(0));
  expect(ask("all", "0xffffffff"), is(1), 5);
  expect(p + "vote.sync.ballot.b32 %r0, %p1, 0xffffffff;", is(31));
  expect(p + "vote.sync.ballot.b32 %r0, !%p1, 0xffffffff;", is(0xffffffe0));
  expect("activemask.b32 %r0;", is(0xff), 8);
}

TEST(Match, AnyAndAll) {
  expect(
      "and.b32 %r1, %r9, 1; match.any.sync.b32 %r0, %r1, 0xffffffff;",
      [](std::uint32_t t) { return t % 2 == 0 ? 0x55555555U : 0xaaaaaaaaU; });
  expect(
      "match.all.sync.b32 %r1|%p1, 5, 0xffffffff; selp.u32 %r0, %r1, 7, "
      "%p1;",
      [](std::uint32_t) { return 0xffffffffU; });
  expect(
      "match.all.sync.b32 %r1|%p1, %r9, 0xffffffff; selp.u32 %r0, 9, %r1, "
      "%p1;",
      [](std::uint32_t) { return 0U; });
  expect(
      "cvt.u64.u32 %q3, %r9; shr.u64 %q3, %q3, 4;"
      " match.any.sync.b64 %r0, %q3, 0xffffffff;",
      [](std::uint32_t t) { return t < 16 ? 0xffffU : 0xffff0000U; });
}

TEST(Redux, AllOperations) {
  auto is = [](std::uint32_t x) { return [x](std::uint32_t) { return x; }; };
  auto reduce = [](const std::string& op, const std::string& from) {
    return from + " redux.sync." + op + " %r0, %r1, 0xffffffff;";
  };
  std::string sub = "sub.u32 %r1, %r9, 3;";
  expect(reduce("add.u32", sub), is(400));
  expect(reduce("min.s32", sub), is(0xfffffffd));
  expect(reduce("min.u32", sub), is(0));
  expect(reduce("max.s32", sub), is(28));
  expect(reduce("max.u32", sub), is(0xffffffff));
  expect(reduce("and.b32", "or.b32 %r1, %r9, 64;"), is(64));
  expect(reduce("or.b32", "mov.u32 %r1, %r9;"), is(31));
  expect(reduce("xor.b32", "mov.u32 %r1, %r9;"), is(0), 32);
  // -31 ... 0 as f32, and a NaN in lane 4.
  std::string f = "cvt.rn.f32.u32 %r1, %r9; neg.f32 %r1, %r1;";
  std::string nan = f +
                    "setp.eq.u32 %p1, %r9, 4; "
                    "selp.b32 %r1, 0x7fc00000, %r1, %p1;";
  expect(reduce("min.f32", f), is(0xc1f80000), 32, 0, "sm_100a");
  expect(reduce("max.f32", nan), is(0x80000000), 32, 0, "sm_100a");
  expect(reduce("max.NaN.f32", nan), is(0x7fffffff), 32, 0, "sm_100a");
  expect(reduce("max.abs.f32", f), is(0x41f80000), 32, 0, "sm_100f");
  expect("elect.sync %r1|%p1, 0xffffffff; selp.u32 %r0, 1, 0, %p1;",
         [](std::uint32_t t) { return t == 0 ? 1U : 0U; });
}

TEST(Special, RegistersTellThreadsApart) {
  expect(
      "mov.u32 %r0, %laneid;", [](std::uint32_t t) { return t % 32; }, 70);
  expect(
      "mov.u32 %r0, %warpid;", [](std::uint32_t t) { return t / 32; }, 70);
  expect("mov.u32 %r0, %lanemask_le;",
         [](std::uint32_t t) { return (2U << t) - 1; });
  expect("mov.u32 %r0, %lanemask_gt;",
         [](std::uint32_t t) { return ~((2U << t) - 1); });
  expect(
      "mov.u32 %r1, %clock; mov.u32 %r2, %clock; "
      "setp.lt.u32 %p1, %r1, %r2; selp.u32 %r0, 1, 0, %p1;",
      [](std::uint32_t) { return 1U; });
  expect(
      "mov.u32 %r1, %ntid.x; mov.u32 %r2, %nctaid.x; mad.lo.u32 %r0, %r1, "
      "100, %r2;",
      [](std::uint32_t) { return 4001U; }, 40);
  expect(
      "mov.u32 %r0, %dynamic_smem_size;", [](std::uint32_t) { return 48U; }, 32,
      48);
}

}  // namespace
}  // namespace assay::ptx::testing
