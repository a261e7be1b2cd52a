#include "harness/records/known.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace assay::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

constexpr const char* kToday = "2026-10-01";

class Known : public ::testing::Test {
 protected:
  Known() {
    dir_ = fs::path(::testing::TempDir()) /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(dir_);
  }
  ~Known() override { fs::remove_all(dir_); }

  Result<KnownList> load(const std::string& text) {
    std::ofstream(dir_ / "k.yaml") << text;
    return load_known(dir_ / "k.yaml", {{"isa", "avx512"}});
  }
  KnownList good(const std::string& text) {
    Result<KnownList> list = load(text);
    EXPECT_TRUE(list.ok()) << (list.ok() ? "" : list.error().message);
    return list.ok() ? *list : KnownList{};
  }
  fs::path dir_;
};

constexpr const char* kEntry = R"(
- case: erf/C1/*
  clause: erf/A1
  status: fail
  reason: off by 3 ulp
  link: https://example.org/1
)";

CaseResult result(const std::string& path, CellStatus status,
                  const std::string& clause = "erf/A1", double error = 1.5) {
  CaseResult r;
  r.case_path = path;
  r.column = "inductor@2.11.0/cpu";
  r.status = status;
  r.clause = clause;
  r.error_over_bound = error;
  return r;
}

CaseResult applied(const KnownList& list, CaseResult r) {
  apply_known(list, kToday, &r);
  return r;
}

std::vector<std::string> stale(const KnownList& list,
                               const std::vector<CaseResult>& results,
                               const std::vector<std::string>& all = {}) {
  std::vector<const CaseResult*> pointers;
  for (const CaseResult& r : results) pointers.push_back(&r);
  std::vector<std::string> out;
  for (const StaleEntry& s : stale_entries(list, pointers, all, kToday)) {
    out.push_back(s.what);
  }
  return out;
}

TEST_F(Known, AMissingFileIsAnEmptyList) {
  const auto list = load_known(dir_ / "none.yaml", {});
  ASSERT_TRUE(list.ok());
  EXPECT_THAT(list->entries, IsEmpty());
}

TEST_F(Known, AListedFailureStaysAFailureAndIsMarked) {
  const CaseResult r =
      applied(good(kEntry), result("erf/C1/f32", CellStatus::fail));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_TRUE(r.known);
  EXPECT_EQ(r.known_link, "https://example.org/1");
}

TEST_F(Known, OnlyTheFailureThatIsDescribedIsKnown) {
  const KnownList list = good(kEntry);
  const CaseResult rows[] = {
      result("erf/C2/f32", CellStatus::fail),            // another case
      result("erf/C1/f32", CellStatus::fail, "erf/S1"),  // another clause
      result("erf/C1/f32", CellStatus::flaky),           // another status
  };
  for (const CaseResult& r : rows) EXPECT_FALSE(applied(list, r).known);
}

TEST_F(Known, ACrashIsKnownOnlyAsOne) {
  const KnownList list = good(
      "- {case: fmod/E3/*, clause: fmod/E3, status: "
      "crash, reason: a, link: b}\n");
  EXPECT_TRUE(
      applied(list, result("fmod/E3/u8", CellStatus::crash, "fmod/E3")).known);
  EXPECT_FALSE(
      applied(list, result("fmod/E3/u8", CellStatus::fail, "fmod/E3")).known);
  EXPECT_FALSE(
      applied(good(kEntry), result("erf/C1/f32", CellStatus::crash)).known);
}

TEST_F(Known, TimeoutsAndTheLikeAreNeverKnown) {
  const KnownList list = good(kEntry);
  for (const CellStatus s :
       {CellStatus::timeout, CellStatus::device_lost,
        CellStatus::internal_error, CellStatus::mistrusted}) {
    const CaseResult r = applied(list, result("erf/C1/f32", s));
    EXPECT_FALSE(r.known) << status_name(s);
    EXPECT_EQ(r.status, s);
    const auto loaded = load(std::string("- {case: a, clause: b, reason: c, "
                                         "link: d, status: ") +
                             status_name(s) + "}");
    ASSERT_FALSE(loaded.ok());
    EXPECT_THAT(loaded.error().message,
                HasSubstr("unknown status of a known failure"));
  }
}

TEST_F(Known, APassOfAListedCaseIsXpass) {
  const CaseResult r =
      applied(good(kEntry), result("erf/C1/f32", CellStatus::pass));
  EXPECT_EQ(r.status, CellStatus::xpass);
  CaseResult again = r;
  forget_known(&again);
  EXPECT_EQ(again.status, CellStatus::pass);
  EXPECT_EQ(again.reason, "");
}

TEST_F(Known, AnErrorBeyondItsCapIsNotKnown) {
  const KnownList list = good(std::string(kEntry) + "  max_error: 2\n");
  EXPECT_TRUE(
      applied(list, result("erf/C1/a", CellStatus::fail, "erf/A1", 2)).known);
  EXPECT_FALSE(
      applied(list, result("erf/C1/a", CellStatus::fail, "erf/A1", 2.1)).known);
}

TEST_F(Known, AnExpiredEntryIsStaleAndKnowsNothing) {
  const KnownList list = good(std::string(kEntry) + "  expires: 2026-10-01\n");
  const CaseResult r = applied(list, result("erf/C1/a", CellStatus::fail));
  EXPECT_FALSE(r.known);
  EXPECT_THAT(stale(list, {r}), ElementsAre("expired on 2026-10-01"));
  const KnownList later = good(std::string(kEntry) + "  expires: 2026-10-02\n");
  EXPECT_TRUE(applied(later, result("erf/C1/a", CellStatus::fail)).known);
}

TEST_F(Known, EntriesForOtherMachinesAreLeftOut) {
  EXPECT_THAT(good(std::string(kEntry) + "  where: {isa: avx2}\n").entries,
              IsEmpty());
  EXPECT_EQ(good(std::string(kEntry) + "  where: {isa: avx*}\n").entries.size(),
            1u);
  const auto bad = load(std::string(kEntry) + "  where: {gpu: x}\n");
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message,
              HasSubstr("unknown field 'gpu' in facts of the column"));
}

TEST_F(Known, AnEntryThatNoLongerFailsIsStale) {
  const KnownList list = good(kEntry);
  const std::vector<CaseResult> results = {
      applied(list, result("erf/C1/a", CellStatus::fail)),
      applied(list, result("erf/C1/b", CellStatus::pass))};
  EXPECT_THAT(stale(list, results),
              ElementsAre(HasSubstr("'erf/C1/*' no longer fails: erf/C1/b")));
  EXPECT_THAT(
      stale(list, {applied(list, result("erf/C1/a", CellStatus::unsupported))}),
      ElementsAre(HasSubstr("erf/C1/a (unsupported)")));
}

TEST_F(Known, EachPatternOfAnEntryStandsOnItsOwn) {
  const KnownList list = good(R"(
- case: [erf/C1/a, erf/C1/b]
  clause: erf/A1
  status: fail
  reason: r
  link: l
)");
  const std::vector<CaseResult> results = {
      applied(list, result("erf/C1/a", CellStatus::fail)),
      applied(list, result("erf/C1/b", CellStatus::pass))};
  EXPECT_THAT(stale(list, results), ElementsAre(HasSubstr("'erf/C1/b'")));
}

TEST_F(Known, CasesThatWereNotSelectedMakeNothingStale) {
  const KnownList list = good(kEntry);
  // A filtered run: other cases ran, and the suite is not given.
  EXPECT_THAT(stale(list, {result("exp/C1/a", CellStatus::pass)}), IsEmpty());
  // A quick run: the case is in the suite, but did not run.
  EXPECT_THAT(stale(list, {}, {"erf/C1/full", "exp/C1/a"}), IsEmpty());
  // In none: stale.
  EXPECT_THAT(stale(list, {}, {"exp/C1/a"}),
              ElementsAre("'erf/C1/*' matches no case"));
}

TEST_F(Known, ACrashOfAListedCaseDoesNotMakeTheEntryStale) {
  const KnownList list = good(kEntry);
  EXPECT_THAT(stale(list, {result("erf/C1/a", CellStatus::crash)}), IsEmpty());
}

TEST_F(Known, TheLoaderNamesEveryFaultWithItsPlace) {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"case: a", "expected a list of entries"},
      {"- a", "k.yaml:1:3: expected an entry, a mapping with case"},
      {"- {clause: b, status: fail, reason: c, link: d}",
       "an entry needs the field 'case'"},
      {"- {case: a, status: fail, reason: c, link: d}",
       "an entry needs the field 'clause'"},
      {"- {case: a, clause: b, reason: c, link: d}",
       "an entry needs the field 'status'"},
      {"- {case: a, clause: b, status: fail, link: d}",
       "an entry needs the field 'reason'"},
      {"- {case: a, clause: b, status: fail, reason: c}",
       "an entry needs the field 'link'"},
      {"- {case: a, clause: b, status: fail, reason: c, link: ''}",
       "expected a text, found"},
      {"- {case: [], clause: b, status: fail, reason: c, link: d}",
       "expected a pattern of cases or more"},
      {"- {case: [{}], clause: b, status: fail, reason: c, link: d}",
       "expected a pattern of cases, found"},
      {"- {case: a, clause: b, status: bad, reason: c, link: d}",
       "unknown status of a known failure 'bad'"},
      {"- {case: a, clause: b, status: fail, reason: c, link: d, extra: 1}",
       "unknown field 'extra'"},
      {"- {case: a, case: e, clause: b, status: fail, reason: c, link: d}",
       "duplicate key 'case'"},
      {"- {case: a, clause: b, status: fail, reason: c, link: d, "
       "max_error: -1}",
       "expected a number of bounds, at least 0"},
      {"- {case: a, clause: b, status: fail, reason: c, link: d, "
       "max_error: .nan}",
       "expected a number of bounds, at least 0"},
      {"- {case: a, clause: b, status: fail, reason: c, link: d, "
       "expires: soon}",
       "'expires' must be a day"},
      {"- {case: a, clause: b, status: fail, reason: c, link: d, where: x}",
       "expected facts of the column, a mapping with isa"},
      {"- {case: a", "k.yaml:"},
  };
  for (const Row& row : rows) {
    const auto list = load(row.text);
    ASSERT_FALSE(list.ok()) << row.text;
    EXPECT_THAT(list.error().message, HasSubstr(row.message)) << row.text;
  }
  const auto two = load("- {case: a}\n- {case: b}\n");
  EXPECT_THAT(two.error().message, HasSubstr("k.yaml:2:3"));
}

TEST(KnownPath, StaysInItsFolder) {
  EXPECT_EQ(known_path("k", "inductor@2.11.0/cpu"),
            fs::path("k/inductor@2.11.0/cpu.yaml"));
  EXPECT_EQ(known_path("k", "../../etc/x"), fs::path("k/__/__/etc/x.yaml"));
  EXPECT_EQ(known_path("k", "/abs"), fs::path("k/_abs.yaml"));
  EXPECT_EQ(known_path("k", R"(i{"a":"b"}/cpu)"),
            fs::path("k/i__a___b__/cpu.yaml"));
}

}  // namespace
}  // namespace assay::harness
