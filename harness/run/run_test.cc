// A run that is interrupted, resumed, or out of disk, against one that is
// not.
#include "harness/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>

#include "harness/records/result_json.h"
#include "harness/run/interrupt.h"
#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

using fakes::Deed;
using fakes::FakeExecutor;
using fakes::FakeOracle;
using fakes::FakeSubject;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const nlohmann::ordered_json kHeader = {{"program", "test"}};

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    dir_ = fs::path(::testing::TempDir()) /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    for (int i = 0; i < 90; ++i) cases_.push_back(fakes::negation_case(i));
    install_signal_handlers();
  }
  ~RunTest() override { fs::remove_all(dir_); }

  std::vector<ColumnPlan> columns() {
    std::vector<ColumnPlan> out(2);
    for (std::size_t i = 0; i < out.size(); ++i) {
      auto subject = std::make_shared<FakeSubject>();
      if (i == 1) {
        subject->deeds = {{3, Deed::wrong},
                          {31, Deed::crash},
                          {32, Deed::wrong_in_pack},
                          {70, Deed::raise}};
      }
      out[i].name = i == 0 ? "eager@1/cpu" : "fake@1/cpu";
      out[i].slow = i == 1;
      out[i].make = [subject] {
        return std::make_unique<FakeExecutor>(subject);
      };
    }
    return out;
  }

  // Runs into `dir`, stopping after `limit` new results (0: never).
  RunOutcome run(const fs::path& dir, int limit, bool resume) {
    const Adjudicator adjudicator(oracle_, reference::Numerics::fused, nullptr);
    RunSetup setup;
    Result<Records> records =
        Records::open(dir, kHeader, resume ? &setup.existing : nullptr);
    EXPECT_TRUE(records.ok()) << records.error().message;
    std::atomic<bool> stop{false};
    int results = 0;
    setup.cases = fakes::pointers(cases_);
    setup.columns = columns();
    setup.known.resize(2);
    setup.known[1].entries.push_back(
        KnownFailure{{"neg"},
                     {"neg/C1/f32/0003", "neg/C1/f32/0005"},
                     "neg/A1",
                     {CellStatus::fail},
                     "off by one",
                     "https://example.org",
                     {},
                     {},
                     {},
                     1});
    setup.records = &records.value();
    setup.options.jobs = 2;
    setup.options.stop = &stop;
    setup.today = "2026-10-01";
    setup.on_result = [&](const CaseResult&) {
      if (++results == limit) stop = true;
    };
    return run_cases(std::move(setup), adjudicator);
  }

  static std::string timeless(const std::vector<CaseResult>& results) {
    std::string out;
    for (CaseResult r : results) {
      r.seconds = 0;
      out += json_line(to_json(r)) + "\n";
    }
    return out;
  }
  static std::string timeless(const fs::path& dir) {
    return timeless(read_results(dir / "results.jsonl")->results);
  }

  fs::path dir_;
  FakeOracle oracle_;
  std::vector<cases::Case> cases_;
};

TEST_F(RunTest, ResultsAreInOrderWithVerdictsAndKnownFailures) {
  const RunOutcome out = run(dir_, 0, false);
  EXPECT_TRUE(out.complete);
  ASSERT_EQ(out.results.size(), 180u);
  const auto at = [&](std::size_t id, std::size_t column) -> const CaseResult& {
    return out.results[2 * id + column];
  };
  EXPECT_EQ(at(3, 1).case_path, "neg/C1/f32/0003");
  EXPECT_EQ(at(3, 1).status, CellStatus::fail);
  EXPECT_TRUE(at(3, 1).known);
  EXPECT_EQ(at(3, 0).status, CellStatus::pass);
  EXPECT_EQ(at(3, 0).verdict, Verdict::compiled_wrong);
  EXPECT_EQ(at(5, 1).status, CellStatus::pass);
  EXPECT_EQ(at(5, 1).verdict, Verdict::all_conform);
  EXPECT_EQ(at(31, 1).status, CellStatus::crash);
  EXPECT_EQ(at(70, 1).verdict, Verdict::compiled_wrong);
  EXPECT_EQ(timeless(dir_), timeless(out.results));
}

TEST_F(RunTest, AnInterruptedRunResumesToTheSameResults) {
  const RunOutcome whole = run(dir_ / "whole", 0, false);
  for (const int limit : {1, 17, 60, 150}) {
    const fs::path dir = dir_ / std::to_string(limit);
    const RunOutcome first = run(dir, limit, false);
    EXPECT_FALSE(first.complete);
    EXPECT_EQ(read_results(dir / "results.jsonl")->results.size(),
              first.results.size());
    const RunOutcome second = run(dir, 0, true);
    EXPECT_TRUE(second.complete);
    EXPECT_EQ(timeless(second.results), timeless(whole.results)) << limit;
    EXPECT_EQ(timeless(dir), timeless(dir_ / "whole")) << limit;
  }
}

TEST_F(RunTest, InterruptedAgainAndAgain) {
  const RunOutcome whole = run(dir_ / "whole", 0, false);
  const fs::path dir = dir_ / "often";
  RunOutcome out = run(dir, 20, false);
  int rounds = 0;
  while (!out.complete && ++rounds < 50) out = run(dir, 20, true);
  EXPECT_GT(rounds, 3);
  EXPECT_EQ(timeless(dir), timeless(dir_ / "whole"));
}

TEST_F(RunTest, ResumingACompleteRunRunsNothing) {
  run(dir_, 0, false);
  const int asked = oracle_.asked;
  const RunOutcome again = run(dir_, 0, true);
  EXPECT_TRUE(again.complete);
  EXPECT_EQ(oracle_.asked, asked);
}

TEST_F(RunTest, AFullDiskEndsTheRunAndResumes) {
  const RunOutcome whole = run(dir_ / "whole", 0, false);
  const fs::path dir = dir_ / "full";
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = 9000;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const RunOutcome first = run(dir, 0, false);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(first.complete);
  EXPECT_THAT(first.lost, HasSubstr("results.jsonl: "));
  EXPECT_GT(first.results.size(), 5u);
  const RunOutcome second = run(dir, 0, true);
  EXPECT_EQ(second.lost, "");
  EXPECT_EQ(timeless(dir), timeless(dir_ / "whole"));
}

}  // namespace
}  // namespace assay::harness
