// A worker whose programs run in a fork: its death is the case's, and the
// process that was dear to start lives on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "harness/testing/variable.h"
#include "harness/workers/bad_testing.h"

namespace assay::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

SubjectConfig relay() {
  SubjectConfig config;
  config.spelling = "worker:relay";
  config.command = {
      "/usr/bin/env", "python3",
      std::string(ASSAY_SOURCE_DIR) + "/harness/testing/relay_worker.py"};
  return config;
}

// Which process runs programs now.
std::string fork_of(Worker& worker) {
  return worker.explain(doing("nothing"), "pid");
}

TEST(Relay, RunsProgramsInOneFork) {
  Worker worker(relay());
  ASSERT_TRUE(worker.identify().ok());
  expect_well(worker);
  const std::string fork = fork_of(worker);
  EXPECT_FALSE(fork.empty());
  expect_well(worker);
  EXPECT_EQ(fork_of(worker), fork);
}

TEST(Relay, ADeathIsACrashAndTheNextProgramRuns) {
  Worker worker(relay());
  const Observation in_compile = run(worker, "crash");
  EXPECT_EQ(in_compile.kind, Kind::crashed);
  EXPECT_THAT(in_compile.detail, AllOf(HasSubstr("compile: killed by SIGSEGV"),
                                       HasSubstr("these are the last words")));
  expect_well(worker);
  const Observation in_run = run(worker, "exit");
  EXPECT_EQ(in_run.kind, Kind::crashed);
  EXPECT_THAT(in_run.detail, HasSubstr("run: exited with code 3"));
  EXPECT_THAT(in_run.detail, ::testing::Not(HasSubstr("last words")));
  expect_well(worker);
  expect_well(worker);
}

// The reply is there, but who gave it does not live to be asked again.
TEST(Relay, ADeathAfterTheReplyIsTheCasesToo) {
  Worker worker(relay());
  const Observation o = run(worker, "later");
  EXPECT_EQ(o.kind, Kind::crashed);
  EXPECT_THAT(o.detail, HasSubstr("run: killed by SIGKILL"));
  expect_well(worker);
}

TEST(Relay, AFormerHandleIsNotTakenForANewOne) {
  Worker worker(relay());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(worker, "exit").kind, Kind::crashed);
    EXPECT_EQ(worker.rerun(doing("nothing"), inputs(), kExpected, kAmple).kind,
              Kind::returned);
  }
  expect_well(worker);
}

TEST(Relay, AHangEndsTheWholeWorker) {
  Worker worker(relay());
  expect_well(worker);
  const Observation o = run(worker, "hang", milliseconds(1500));
  EXPECT_EQ(o.kind, Kind::timed_out);
  expect_well(worker);
}

TEST(Relay, AForkThatHasGrownIsReplaced) {
  const Variable limit("ASSAY_WORKER_MEMORY", "256M");
  Worker worker(relay());
  expect_well(worker);
  const std::string fork = fork_of(worker);
  EXPECT_EQ(run(worker, "large").kind, Kind::returned);
  expect_well(worker);
  const std::string after = fork_of(worker);
  EXPECT_FALSE(after.empty());
  EXPECT_NE(after, fork);
}

}  // namespace
}  // namespace assay::harness::testing
