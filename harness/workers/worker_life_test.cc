// How worker processes start, live beside each other, and end.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/testing/variable.h"
#include "harness/workers/bad_testing.h"

namespace assay::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct BadStart {
  const char* mode;
  Kind kind;
  const char* text;
};

class Starts : public ::testing::TestWithParam<BadStart> {};

TEST_P(Starts, ThatFailSaySoOnceAndForAll) {
  const BadStart& s = GetParam();
  SubjectConfig config = bad({"--mode", s.mode});
  config.hello_deadline = kShort;
  Worker worker(config);
  const auto identity = worker.identify();
  ASSERT_FALSE(identity.ok());
  EXPECT_THAT(identity.error().message,
              AllOf(HasSubstr("worker:bad"), HasSubstr(s.text)));
  const auto begin = std::chrono::steady_clock::now();
  const Observation o = run(worker, "crash");
  EXPECT_EQ(static_cast<int>(o.kind), static_cast<int>(s.kind)) << o.detail;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kShort);
}

INSTANTIATE_TEST_SUITE_P(
    All, Starts,
    ::testing::Values(
        BadStart{"dies_in_hello", Kind::crashed, "killed by SIGSEGV"},
        BadStart{"hangs_in_hello", Kind::timed_out, "no answer in 0.4 s"},
        BadStart{"refuses_hello", Kind::malformed, "no licence"},
        BadStart{"other_protocol", Kind::malformed,
                 "it speaks protocol 2, we speak 1"},
        BadStart{"nameless_hello", Kind::malformed, "without name"},
        BadStart{"rings_in_hello", Kind::malformed, "control characters"},
        BadStart{"talks_in_hello", Kind::malformed,
                 "an identity of more than 65536 bytes"}),
    [](const auto& test) { return std::string(test.param.mode); });

// A machine that is too busy to start a worker again, or a subject that cannot,
// is no wrong answer to the programs that are still to be asked.
TEST(WorkerLife, WhatDoesNotStartAgainHasNotBeenAsked) {
  const std::filesystem::path dir =
      std::filesystem::path(::testing::TempDir()) / "assay_starts_again";
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  const std::filesystem::path starts = dir / "starts";
  SubjectConfig config = bad();
  config.hello_deadline = kShort;
  const std::string script = "echo >> '" + starts.string() + "'; if [ -e '" +
                             (dir / "busy").string() +
                             "' ]; then sleep 60; fi; exec \"$@\"";
  config.command.insert(config.command.begin(),
                        {"/bin/sh", "-c", script, "sh"});
  Worker worker(config);
  expect_well(worker);
  std::ofstream(dir / "busy").put('\n');
  EXPECT_EQ(run(worker, "crash").kind, Kind::crashed);
  for (int i = 0; i < 2; ++i) {
    const Observation o = run(worker, "crash");
    EXPECT_EQ(static_cast<int>(o.kind), static_cast<int>(Kind::not_run));
    EXPECT_THAT(o.detail, AllOf(HasSubstr("does not in 3 attempts"),
                                HasSubstr("no answer in 0.4 s")));
    EXPECT_EQ(std::filesystem::file_size(starts), 4u);
  }
}

TEST(WorkerLife, AProgramThatIsNotThereIsNamed) {
  SubjectConfig config = bad();
  config.command = {"/nonexistent/worker"};
  const auto identity = Worker(config).identify();
  ASSERT_FALSE(identity.ok());
  EXPECT_THAT(identity.error().message,
              HasSubstr("cannot execute /nonexistent/worker: No such file"));
}

#if defined(__x86_64__)
TEST(WorkerLife, ALeakInHelloMarksEveryCase) {
  Worker worker(bad({"--mode", "ftz_in_hello"}));
  for (int i = 0; i < 2; ++i) {
    const Observation o = worker.run(program("%0 = input f32[2]\nreturn %0\n"),
                                     inputs(), kExpected, kAmple);
    EXPECT_THAT(o.breaches,
                ElementsAre(HasSubstr("P1: starting left flush-to-zero")));
  }
}
#endif

TEST(WorkerLife, AMemoryLimitThatIsNoneIsSaidSo) {
  for (const char* text : {"8GB", "-1", "lots", "99999999999G"}) {
    const Variable limit("ASSAY_WORKER_MEMORY", text);
    const auto identity = Worker(bad()).identify();
    ASSERT_FALSE(identity.ok()) << text;
    EXPECT_THAT(identity.error().message,
                HasSubstr(std::string("ASSAY_WORKER_MEMORY=") + text));
  }
}

// The harness fills one page; a subject that returns something needs more.
TEST(WorkerLife, ALimitOnFileSizesIsNotTheSubjectsFault) {
  const std::string hint = "the limit on file sizes (ulimit -f) is";
  signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t bytes : {2048u, 4096u}) {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{bytes, limit.rlim_max};
    Worker worker(bad());
    setrlimit(RLIMIT_FSIZE, &small);
    const Observation o = run(worker, "slow");
    setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_EQ(static_cast<int>(o.kind), static_cast<int>(Kind::not_run));
    EXPECT_THAT(o.detail, HasSubstr(hint)) << bytes;
  }
  signal(SIGXFSZ, SIG_DFL);
}

TEST(WorkerLife, LastWordsAreThoseOfTheCase) {
  Worker worker(bad());
  EXPECT_EQ(run(worker, "floods").kind, Kind::returned);
  const Observation o = run(worker, "crash");
  EXPECT_EQ(o.detail, "run: killed by SIGSEGV");
}

TEST(WorkerLife, OptionsReachTheSubjectAndNameTheColumn) {
  SubjectConfig config = bad();
  config.options["mode"] = "raises";
  Worker worker(config);
  const auto identity = worker.identify();
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity->column, "bad@1+mode=raises/cpu");
  EXPECT_EQ(worker
                .run(program("%0 = input f32[2]\nreturn %0\n"), inputs(),
                     kExpected, kAmple)
                .kind,
            Kind::raised);
}

TEST(WorkerLife, TheThreadThatStartedAWorkerMayEnd) {
  // Parent-death signals follow threads, not processes.
  Worker worker(bad());
  std::thread([&] { ASSERT_TRUE(worker.identify().ok()); }).join();
  std::this_thread::sleep_for(milliseconds(50));
  expect_well(worker);
}

TEST(WorkerLife, ManyWorkersSideBySide) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      Worker worker(bad());
      for (int i = 0; i < 20; ++i) {
        if (i % 5 == 4) {
          EXPECT_EQ(run(worker, "crash").kind, Kind::crashed);
        } else {
          expect_well(worker);
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

// Processes whose parent is `pid`.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> out;
  const std::string command =
      "cat /proc/" + std::to_string(pid) + "/task/*/children";
  FILE* pipe = popen(command.c_str(), "r");
  int child = 0;
  while (pipe != nullptr && fscanf(pipe, "%d", &child) == 1) {
    out.push_back(child);
  }
  if (pipe != nullptr) pclose(pipe);
  return out;
}

// Gone, or dead and waiting for init to notice.
bool ended(pid_t pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH) return true;
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t after = text.rfind(") ");
  return after == std::string::npos || text[after + 2] == 'Z';
}

// Whether it is told to quit or dies by itself.
TEST(WorkerLife, WhatAWorkerLeavesBehindEndsWithIt) {
  for (const bool crashes : {false, true}) {
    std::vector<double> left;
    {
      Worker worker(bad());
      const Observation o = run(worker, "daemons");
      ASSERT_EQ(o.kind, Kind::returned) << o.detail;
      left = numbers(o.outputs.at(0));
      for (const double pid : left)
        EXPECT_FALSE(ended(static_cast<pid_t>(pid)));
      if (crashes) run(worker, "crash");
    }
    for (const double pid : left) {
      EXPECT_GT(pid, 0);
      EXPECT_TRUE(ended(static_cast<pid_t>(pid)));
    }
  }
}

TEST(WorkerLife, HungWorkersDieWithTheHarness) {
  const pid_t harness = fork();
  if (harness == 0) {
    execl("/proc/self/exe", "worker_life_test",
          "--gtest_also_run_disabled_tests",
          "--gtest_filter=WorkerLife.DISABLED_HangsForLong", nullptr);
    _exit(1);
  }
  std::vector<pid_t> workers;
  for (int i = 0; i < 600 && workers.empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(20));
    workers = children_of(harness);
  }
  ASSERT_EQ(workers.size(), 1u);
  // It must be past the fork, that is, the hung worker and not a copy of the
  // harness about to become it.
  std::this_thread::sleep_for(milliseconds(200));
  kill(harness, SIGINT);
  int status = 0;
  waitpid(harness, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  for (int i = 0; i < 200 && !ended(workers[0]); ++i) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_TRUE(ended(workers[0]));
}

// What the test above interrupts.
TEST(WorkerLife, DISABLED_HangsForLong) {
  Worker worker(bad());
  run(worker, "hang", milliseconds(20000));
}

}  // namespace
}  // namespace assay::harness::testing
