#include "harness/records/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/report/baseline_gate.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ordered_json header(const std::string& torch = "2.11.0",
                    const std::string& cpu = "Here 9000") {
  return {{"profile", "quick"},
          {"numerics", "fused"},
          {"filters", ordered_json::array()},
          {"cpu", cpu},
          {"cpu_flags", "avx2"},
          {"columns",
           {{{"column", "inductor@" + torch + "/cpu"},
             {"facts", {{"torch", torch}, {"march", "znver3"}}}}}}};
}

CaseResult result(const std::string& path, CellStatus status,
                  std::uint64_t hash = 1, const std::string& torch = "2.11.0") {
  CaseResult r;
  r.case_path = path;
  r.column = "inductor@" + torch + "/cpu";
  r.status = status;
  r.clause = "exp/A1";
  r.output_hash = hash;
  if (status == CellStatus::fail) r.failure = FailureClass::wrong_value;
  return r;
}

Baseline before() {
  return make_baseline(header(), {result("exp/C1", CellStatus::pass),
                                  result("exp/C2", CellStatus::fail),
                                  result("exp/C3", CellStatus::pass)});
}

TEST(Baseline, TheSameRunSaysNothing) {
  const BaselineDiff d = diff_baseline(before(), before());
  EXPECT_EQ(d.same, 3u);
  EXPECT_EQ(decide_by_baseline(d, "b").exit_code, kConforms);
}

TEST(Baseline, TellsNewFailuresFixedOnesAndOtherBits) {
  const Baseline now = make_baseline(
      header("2.12.0"), {result("exp/C1", CellStatus::fail, 1, "2.12.0"),
                         result("exp/C2", CellStatus::pass, 1, "2.12.0"),
                         result("exp/C3", CellStatus::pass, 2, "2.12.0"),
                         result("exp/C4", CellStatus::pass, 2, "2.12.0")});
  const BaselineDiff d = diff_baseline(before(), now);
  EXPECT_THAT(d.facts, IsEmpty());  // another version is what is compared
  EXPECT_THAT(d.failures,
              ElementsAre("exp/C1 on inductor/cpu: pass then, fail wrong_value "
                          "by exp/A1 now"));
  EXPECT_EQ(d.fixed.size(), 1u);
  EXPECT_THAT(d.bits, ElementsAre("exp/C3 on inductor/cpu"));
  EXPECT_EQ(d.fresh, 1u);
  EXPECT_EQ(decide_by_baseline(d, "b").exit_code, kDoesNotConform);
}

TEST(Baseline, AnotherFailureOfTheSameCaseIsNew) {
  CaseResult other = result("exp/C2", CellStatus::fail);
  other.failure = FailureClass::metadata;
  const BaselineDiff d =
      diff_baseline(before(), make_baseline(header(), {other}));
  EXPECT_EQ(d.failures.size(), 1u);
}

TEST(Baseline, ACaseThatFailsAndIsNotInItIsNew) {
  const Baseline now =
      make_baseline(header(), {result("exp/C9", CellStatus::crash)});
  EXPECT_EQ(diff_baseline(before(), now).failures.size(), 1u);
}

TEST(Baseline, SaysNothingOfAnotherMachine) {
  const BaselineDiff d =
      diff_baseline(before(), make_baseline(header("2.11.0", "There 1"), {}));
  ASSERT_EQ(d.facts.size(), 1u);
  EXPECT_THAT(d.facts[0], HasSubstr("cpu: Here 9000 then, There 1 now"));
  EXPECT_EQ(decide_by_baseline(d, "b").exit_code, kOurFault);
}

TEST(Baseline, WhatHasNoResultAnyMoreIsMissed) {
  const Baseline now =
      make_baseline(header(), {result("exp/C1", CellStatus::pass)});
  EXPECT_EQ(diff_baseline(before(), now).missing.size(), 2u);
  Baseline filtered = now;
  filtered.header["filters"] = {"exp/C1"};
  EXPECT_THAT(diff_baseline(before(), filtered).missing, IsEmpty());
}

TEST(Baseline, MayOnlyShrink) {
  const Baseline fewer =
      make_baseline(header(), {result("exp/C2", CellStatus::pass)});
  EXPECT_THAT(growth(before(), fewer), IsEmpty());
  const Baseline more =
      make_baseline(header(), {result("exp/C3", CellStatus::fail)});
  EXPECT_EQ(growth(before(), more).size(), 1u);
}

TEST(Baseline, IsReadBackAsWritten) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "baseline.jsonl";
  ASSERT_TRUE(write_baseline(file, before()).ok());
  const Result<Baseline> read = read_baseline(file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->header, before().header);
  EXPECT_EQ(diff_baseline(before(), *read).same, 3u);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace assay::harness
