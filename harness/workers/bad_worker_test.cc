// Every way in which a subject can misbehave gives its own observation, within
// the deadline, and the next case on the same Worker is none the worse.
#include "core/sanitizer.h"
#include "harness/testing/variable.h"
#include "harness/workers/bad_testing.h"

namespace assay::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Misdeed {
  std::string mode;
  Kind kind;
  std::string detail;
  milliseconds deadline = kAmple;
};

class Misdeeds : public ::testing::TestWithParam<Misdeed> {};

TEST_P(Misdeeds, CostOneCase) {
  const Misdeed& m = GetParam();
  Worker worker(bad());
  expect_well(worker);
  const auto begin = std::chrono::steady_clock::now();
  const Observation o = run(worker, m.mode, m.deadline);
  const auto taken = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(static_cast<int>(o.kind), static_cast<int>(m.kind)) << o.detail;
  EXPECT_THAT(o.detail, HasSubstr(m.detail));
  EXPECT_LT(taken, m.deadline + milliseconds(8000));
  EXPECT_THAT(o.outputs, IsEmpty());
  expect_well(worker);
}

INSTANTIATE_TEST_SUITE_P(
    All, Misdeeds,
    ::testing::Values(
        Misdeed{"crash", Kind::crashed, "run: killed by SIGSEGV"},
        Misdeed{"abort", Kind::crashed, "run: killed by SIGABRT"},
        Misdeed{"killed", Kind::crashed, "run: killed by SIGKILL"},
        Misdeed{"exit", Kind::crashed, "run: exited with code 3"},
        Misdeed{"exit0", Kind::crashed, "run: exited with code 0"},
        Misdeed{"dies_in_compile", Kind::crashed, "compile: killed by SIGSEGV"},
        Misdeed{"dies_in_drop", Kind::crashed, "drop: killed by SIGSEGV"},
        Misdeed{"dies_after_reply", Kind::crashed, "drop: killed by SIGABRT"},
        Misdeed{"orphan", Kind::crashed, "run: killed by SIGSEGV"},
        Misdeed{"truncated_exit", Kind::crashed,
                "exited with code 0 with 9 bytes of a record written"},
        Misdeed{"hang", Kind::timed_out, "run: no answer in 0.4 s", kShort},
        Misdeed{"not_json", Kind::malformed, "no JSON object: '{oops!'"},
        Misdeed{"not_object", Kind::malformed, "no JSON object: '[1,2]'"},
        Misdeed{"wrong_length", Kind::malformed,
                "a record announces 4294967295 bytes"},
        Misdeed{"truncated", Kind::malformed,
                "9 bytes of a record of 15 came, and no more in 0.4 s", kShort},
        Misdeed{"closes_socket", Kind::malformed,
                "closed its socket, but went on running"},
        Misdeed{"two_replies", Kind::malformed,
                "bytes came that nothing asked for"},
        Misdeed{"no_ok", Kind::malformed, "neither \"ok\": true nor"},
        Misdeed{"odd_fields", Kind::malformed, "names no exception"},
        Misdeed{"nameless", Kind::malformed, "names no exception"},
        Misdeed{"outside", Kind::malformed,
                "run: output 0: tensor f32[2] at byte 1099511627776 lies "
                "outside bytes"},
        Misdeed{"before", Kind::malformed, "at byte 0 lies outside"},
        Misdeed{"overflow", Kind::malformed, "lies outside"},
        Misdeed{"unknown_dtype", Kind::malformed, "unknown dtype 'c32'"},
        Misdeed{"layout_of_other_rank", Kind::malformed,
                "layout 0 has not 1 strides and an offset"},
        Misdeed{"storage_below_all", Kind::malformed,
                "the storage of layout 0 is no number from 0 on"},
        Misdeed{"guesses_lowering", Kind::malformed,
                "the lowering \"guessed\" is neither hand nor derived"},
        Misdeed{"shrinks", Kind::malformed, "made shorter"},
        Misdeed{"internal", Kind::malformed, "my fault"},
        Misdeed{"throws", Kind::malformed, "loose"},
        Misdeed{"loses_device", Kind::device_lost, "run: gone"},
        Misdeed{"ends_with_device", Kind::device_lost, "run: gone"},
        Misdeed{"unsupported", Kind::unsupported, "not today"},
        Misdeed{"floods_and_dies", Kind::crashed,
                "line 59999 of a very talkative subject"}),
    [](const auto& test) { return test.param.mode; });

TEST(BadWorker, LastWordsAreTheLastLinesOnly) {
  Worker worker(bad());
  const Observation o = run(worker, "floods_and_dies");
  EXPECT_THAT(o.detail,
              AllOf(HasSubstr("line 59981 "), Not(HasSubstr("line 59970 "))));
}

TEST(BadWorker, SlownessAndTalkAreNoFault) {
  Worker worker(bad());
  for (const char* mode : {"slow", "floods"}) {
    const Observation o = run(worker, mode);
    EXPECT_EQ(o.kind, Kind::returned) << mode << o.detail;
    EXPECT_THAT(o.breaches, IsEmpty());
  }
}

class MemoryLimit : public ::testing::TestWithParam<const char*> {};

TEST_P(MemoryLimit, IsToldApartFromACrash) {
  if (!kSanitizer.empty()) {
    GTEST_SKIP() << "sanitizers need memory that a limit would deny";
  }
  const Variable limit("ASSAY_WORKER_MEMORY", "256M");
  Worker worker(bad());
  expect_well(worker);
  const Observation o = run(worker, GetParam());
  EXPECT_EQ(static_cast<int>(o.kind), static_cast<int>(Kind::out_of_memory))
      << o.detail;
  EXPECT_THAT(o.detail, HasSubstr("std::bad_alloc"));
  expect_well(worker);
}

INSTANTIATE_TEST_SUITE_P(All, MemoryLimit,
                         ::testing::Values("oom", "oom_dies"));

struct Breach {
  const char* mode;
  const char* text;
  bool plugin;
};

class Breaches : public ::testing::TestWithParam<Breach> {};

TEST_P(Breaches, AreNamedBesideTheResult) {
  const Breach& b = GetParam();
  Worker worker(b.plugin ? bad({"--plugin"}) : bad());
  expect_well(worker);
  const Observation o = run(worker, b.mode);
  EXPECT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(o.breaches, ElementsAre(HasSubstr(b.text)));
  expect_well(worker);
}

const Breach kBreaches[] = {
#if defined(__x86_64__)
    Breach{"ftz",
           "P1: run left flush-to-zero set, denormals-are-zero set "
           "(control register 0x9fc0, was 0x1f80)",
           false},
    Breach{"ftz_in_compile", "P1: compile left flush-to-zero set", false},
#endif
    Breach{"rounding", "P1: run left rounding up", false},
    Breach{"mutates", "P3: input 0 was written to", false},
    Breach{"unsteady",
           "D1: output 0, element 0: 0x40400000, and 0x40400001 in the second "
           "call",
           false},
    Breach{"raises_twice", "D1: the second call raised ValueError", false},
    Breach{"wrong_dtype", "M1: output 0 is f64[2] instead of f32[2]", false},
    Breach{"wrong_sizes", "M1: output 0 is f32[1, 2] instead of f32[2]", false},
    Breach{"expanded", "M1: output 0 is f32[1099511627776], more than", false},
    Breach{"negative", "M1: output 0 is f32[0, -2], which has a negative size",
           false},
    Breach{"too_few", "M1: 0 outputs instead of 1", false},
    Breach{"too_many", "M1: 2 outputs instead of 1", false},
    Breach{"past_end", "P2: written 6 bytes past the end of output 0", true},
    Breach{"before_start", "P2: written 3 bytes before the start of output 0",
           true},
    Breach{"unsteady", "D1: output 0, element 0: 0x40400000", true},
    Breach{"mutates", "P3: input 0 was written to", true}};

// What the first call returned is no reason to overlook it.
TEST(BadWorker, AProcessThatDiesInTheSecondCallHasCrashed) {
  Worker worker(bad());
  const Observation o = run(worker, "dies_twice");
  EXPECT_EQ(o.kind, Kind::crashed);
  EXPECT_THAT(o.detail, HasSubstr("SIGSEGV"));
  expect_well(worker);
}

INSTANTIATE_TEST_SUITE_P(All, Breaches, ::testing::ValuesIn(kBreaches),
                         [](const auto& test) {
                           return std::string(test.param.mode) +
                                  (test.param.plugin ? "_plugin" : "");
                         });

TEST(BadWorker, WhatASubjectSaysOfItselfIsTrimmed) {
  Worker worker(bad());
  const Observation o = run(worker, "confesses");
  EXPECT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(o.breaches, ElementsAre("P2: behind the device's",
                                      "P4: " + std::string(196, 'x'), "P4: ?"));
}

TEST(BadWorker, WhatAProgramWritesMustBeThere) {
  Worker worker(bad());
  const auto breaches = [&](const std::string& call, const std::string& mode) {
    return worker
        .run(program("%0 = input f32[2]\n%1 = " + call + "\n%2 = bad." + mode +
                     ".default(%1)\nreturn %1\n"),
             inputs(), kExpected, kAmple)
        .breaches;
  };
  const char* const writes = "aten.neg_.default(%0)";
  EXPECT_THAT(breaches(writes, "mutates"), IsEmpty());
  EXPECT_THAT(breaches(writes, "returns_another"),
              ElementsAre(HasSubstr("M3: input 0 does not hold what "
                                    "aten.neg_.default returned: element 0")));
  // Nothing is written here, and nothing may be.
  EXPECT_THAT(breaches("aten.neg.default(%0)", "returns_another"), IsEmpty());
  EXPECT_THAT(breaches("aten.neg.default(%0)", "mutates"),
              ElementsAre(HasSubstr("P3")));
  EXPECT_THAT(breaches("aten.__or__.Scalar(%0, 1)", "mutates"),
              ElementsAre(HasSubstr("P3")));
}

TEST(BadWorker, UnwrittenOutputsOfAPluginAreNotNumbers) {
  Worker worker(bad({"--plugin"}));
  const Observation o = run(worker, "wrong_dtype");  // writes nothing
  ASSERT_EQ(o.kind, Kind::returned);
  ASSERT_EQ(o.outputs.size(), 1u);
  EXPECT_EQ(o.outputs[0].bits(0), 0x7fc5a5a5u);
}

TEST(BadWorker, ResultsOfAnEarlierCaseAreNotLeftToBeFound) {
  Worker worker(bad());
  expect_well(worker);
  const Observation o = run(worker, "wrong_sizes");  // writes nothing
  ASSERT_EQ(o.outputs.size(), 1u);
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(0, 0));
}

TEST(BadWorker, RaisedErrorsArriveWhole) {
  Worker worker(bad());
  const Observation o = run(worker, "raises");
  ASSERT_EQ(o.kind, Kind::raised);
  EXPECT_EQ(o.error.exception, "RuntimeError");
  EXPECT_THAT(o.error.classes, ElementsAre("RuntimeError", "Exception"));
  EXPECT_EQ(o.error.clause, "bad/E1");
  EXPECT_EQ(o.error.message, "as it should be");
  EXPECT_EQ(o.error.phase, "run");
  EXPECT_EQ(run(worker, "wrong_class").error.exception, "KeyError");
  const Observation early = run(worker, "refuses_in_compile");
  EXPECT_EQ(early.error.exception, "TypeError");
  EXPECT_EQ(early.error.phase, "compile");
}

}  // namespace
}  // namespace assay::harness::testing
