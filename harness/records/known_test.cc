#include "harness/records/known.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/subject/places.h"

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
    return load_known(dir_ / "k.yaml",
                      {{"isa", "avx512"}, {"cpu", "Here 9000"}});
  }
  KnownList good(const std::string& text) {
    Result<KnownList> list = load(text);
    EXPECT_TRUE(list.ok()) << (list.ok() ? "" : list.error().message);
    return list.ok() ? *list : KnownList{};
  }
  fs::path dir_;
};

constexpr const char* kEntry = R"(
recorded: {cpu: Here*}
entries:
- op: erf
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
                               bool whole = false,
                               const std::vector<std::string>& rows = {}) {
  std::vector<const CaseResult*> pointers;
  for (const CaseResult& r : results) pointers.push_back(&r);
  std::vector<std::string> out;
  for (const StaleEntry& s :
       stale_entries(list, pointers, {whole, rows}, kToday)) {
    out.push_back((s.is_note ? "note: " : "") + s.what);
  }
  return out;
}

TEST_F(Known, AnEntryOfAClassHoldsForThatClassAlone) {
  const KnownList list =
      good(std::string(kEntry) + "  class: [elided, incoherent]\n");
  CaseResult r = result("erf/C1/f16/9", CellStatus::fail);
  for (const auto& [failure, known] : {std::pair{FailureClass::elided, true},
                                       {FailureClass::incoherent, true},
                                       {FailureClass::wrong_value, false}}) {
    r.failure = failure;
    EXPECT_EQ(applied(list, r).known, known) << failure_name(failure);
  }
  const auto bad = load(std::string(kEntry) + "  class: wrong\n");
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message, HasSubstr("class of a failure"));
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
      result("exp/C1/f32", CellStatus::fail),            // another operation
      result("erf/C1/f32", CellStatus::fail, "erf/S1"),  // another clause
      result("erf/C1/f32", CellStatus::flaky),           // another status
  };
  for (const CaseResult& r : rows) EXPECT_FALSE(applied(list, r).known);
}

TEST_F(Known, WhatHoldsOfAnOperationHoldsOfItsInPlaceForm) {
  const KnownList list = good(kEntry);
  const auto known = [&](const std::string& path, const std::string& clause) {
    return applied(list, result(path, CellStatus::fail, clause)).known;
  };
  EXPECT_TRUE(known("erf_/C1/f32/17", "erf_/A1"));
  EXPECT_FALSE(known("erf_/C1/f32/17", "erf_/A2"));
  EXPECT_FALSE(known("erf_/C1/f32/17", "M3"));
  EXPECT_FALSE(known("erfc_/C1/f32/17", "erfc_/A1"));
}

TEST_F(Known, ACrashIsKnownOnlyAsOne) {
  const KnownList list = good(
      "entries: [{op: fmod, clause: fmod/E3, status: crash, reason: a, "
      "link: b}]\n");
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
    const auto loaded = load(std::string("entries: [{op: a, clause: b, reason: "
                                         "c, link: d, status: ") +
                             status_name(s) + "}]");
    ASSERT_FALSE(loaded.ok());
    EXPECT_THAT(loaded.error().message,
                HasSubstr("unknown status of a known failure"));
  }
}

TEST_F(Known, APassIsNoMatterOfTheList) {
  const CaseResult r =
      applied(good(kEntry), result("erf/C1/f32", CellStatus::pass));
  EXPECT_EQ(r.status, CellStatus::pass);
  EXPECT_FALSE(r.known);
}

TEST_F(Known, CasesAndStatusesMayBeNarrowedOrSeveral) {
  const KnownList list = good(R"(
entries:
- op: [erf, erfc*]
  clause: erf/A1
  status: [fail, flaky]
  cases: ['*/bf16/*', '*/f16/*']
  reason: r
  link: l
)");
  EXPECT_TRUE(applied(list, result("erf/C1/bf16/3", CellStatus::fail)).known);
  EXPECT_TRUE(applied(list, result("erfc/C1/f16/3", CellStatus::flaky)).known);
  EXPECT_FALSE(applied(list, result("erf/C1/f32/3", CellStatus::fail)).known);
  EXPECT_FALSE(applied(list, result("erf/C1/f16/3", CellStatus::crash)).known);
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

// On other machines other code runs: there it is worth a note.
TEST_F(Known, AnEntryByWhichNothingFailsIsStaleWhereItWasRecorded) {
  const KnownList list = good(kEntry);
  EXPECT_TRUE(list.recorded_here);
  const auto fails = applied(list, result("erf/C1/a", CellStatus::fail));
  const auto passes = applied(list, result("erf/C1/b", CellStatus::pass));
  EXPECT_THAT(stale(list, {fails, passes}, true), IsEmpty());
  EXPECT_THAT(stale(list, {passes}, true),
              ElementsAre("erf no longer fails by erf/A1"));
  // A filtered or quick run cannot tell.
  EXPECT_THAT(stale(list, {passes}, false), IsEmpty());
  std::string elsewhere = kEntry;
  elsewhere.replace(elsewhere.find("Here*"), 5, "There");
  EXPECT_THAT(stale(good(elsewhere), {passes}, true),
              ElementsAre("note: erf no longer fails by erf/A1"));
}

// What a report says of a list must not name the machine that made it.
TEST_F(Known, ListsOfTheProjectAreNamedFromItsRoot) {
  const auto place_of = [&](const fs::path& file) {
    KnownList list = good(kEntry);
    list.file = file.string();
    const CaseResult r = result("erf/C1/b", CellStatus::pass);
    return stale_entries(list, {&r}, {true, {}}, kToday).at(0).where;
  };
  EXPECT_EQ(place_of(home() / "results" / "known" / "a" / "cpu.yaml"),
            "results/known/a/cpu.yaml:4");
  EXPECT_EQ(place_of("/elsewhere/cpu.yaml"), "/elsewhere/cpu.yaml:4");
}

TEST_F(Known, EachOperationOfAnEntryStandsOnItsOwn) {
  std::string both = kEntry;
  both.replace(both.find("op: erf"), 7, "op: [erf, erfc]");
  const KnownList list = good(both);
  EXPECT_THAT(
      stale(list, {applied(list, result("erf/C1/a", CellStatus::fail))}, true),
      ElementsAre(HasSubstr("erfc no longer fails")));
}

TEST_F(Known, AnOperationThatDoesNotExistIsStale) {
  EXPECT_THAT(stale(good(kEntry), {}, false, {"erfc", "exp"}),
              ElementsAre("no operation is 'erf'"));
}

TEST_F(Known, AClauseWithoutARowIsEachRowsOwn) {
  std::string entry = kEntry;
  entry.replace(entry.find("op: erf"), 7, "op: [erf, exp]");
  entry.replace(entry.find("clause: erf/A1"), 14, "clause: A1");
  const KnownList list = good(entry);
  EXPECT_TRUE(applied(list, result("erf/C1/f32", CellStatus::fail)).known);
  const auto fails = [](const char* path, const char* clause) {
    return result(path, CellStatus::fail, clause);
  };
  EXPECT_TRUE(applied(list, fails("exp/C1/f32", "exp/A1")).known);
  EXPECT_FALSE(applied(list, fails("log/C1/f32", "log/A1")).known);
  EXPECT_FALSE(applied(list, fails("erf/C1/f32", "exp/A1")).known);
}

// What breaks before the device matters is said once.
TEST_F(Known, AListBesideHoldsToo) {
  std::ofstream(dir_ / "cpu.yaml") << kEntry;
  const KnownList list = good("also: cpu\nentries: []\n");
  EXPECT_TRUE(applied(list, result("erf/C1/f32", CellStatus::fail)).known);
  // Whether it is still true, and of which machine, is the other list's affair.
  EXPECT_FALSE(list.recorded_here);
  EXPECT_THAT(stale(list, {}, true, {"erf"}), ElementsAre());
  EXPECT_THAT(stale(list, {}, false, {"exp"}), ElementsAre());
  for (const auto& [text, message] :
       {std::pair("also: gpu\nentries: []", "k.yaml:1:7: there is no other"),
        std::pair("also: k\nentries: []", "k.yaml:1:7: there is no other"),
        std::pair("also: ../cpu\nentries: []", "there is no other list"),
        std::pair("also: {}\nentries: []", "the name of a list beside"),
        std::pair("also: [cpu, gpu]\nentries: []",
                  "k.yaml:1:13: there is no other")}) {
    const auto bad = load(text);
    ASSERT_FALSE(bad.ok()) << text;
    EXPECT_THAT(bad.error().message, HasSubstr(message));
  }
  std::ofstream(dir_ / "cpu.yaml") << "also: k\nentries: []\n";
  const auto circle = load("also: cpu\nentries: []\n");
  ASSERT_FALSE(circle.ok());
  EXPECT_THAT(circle.error().message, HasSubstr("cpu.yaml:1:7"));
  EXPECT_THAT(circle.error().message, HasSubstr("k.yaml leads back here"));
  // A list names its own beside it.
  std::ofstream(dir_ / "cpu.yaml") << "also: base\nentries: []\n";
  std::ofstream(dir_ / "base.yaml") << kEntry;
  EXPECT_TRUE(applied(good("also: cpu\nentries: []\n"),
                      result("erf/C1/f32", CellStatus::fail))
                  .known);
}

// An option of a compiler adds to what it gets wrong without.
TEST_F(Known, AnotherColumnsListHoldsToo) {
  const fs::path plain = dir_ / "plain", dynamic = dir_ / "plain+dynamic=true";
  fs::create_directories(plain);
  fs::create_directories(dynamic);
  std::ofstream(plain / "cpu.yaml") << kEntry;
  std::string own = kEntry;
  own.replace(own.find("op: erf"), 7, "op: exp");
  own.replace(own.find("clause: erf"), 11, "clause: exp");
  std::ofstream(dynamic / "cpu.yaml") << "also: plain/cpu\n" << own;
  const auto list = load_known_of(dir_, "plain+dynamic=true/cpu", {}, "Here 1");
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_TRUE(applied(*list, result("erf/C1/f32", CellStatus::fail)).known);
  EXPECT_TRUE(list->recorded_here);
  EXPECT_THAT(stale(*list, {}, true),
              ElementsAre("exp no longer fails by exp/A1"));
  // And several's.
  std::ofstream(dynamic / "cpu.yaml")
      << "also: [plain+dynamic=true/gpu, plain/cpu]\nentries: []\n";
  std::ofstream(dynamic / "gpu.yaml") << own;
  const auto both = load_known_of(dir_, "plain+dynamic=true/cpu", {}, "Here 1");
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_TRUE(applied(*both, result("erf/C1/f32", CellStatus::fail)).known);
  EXPECT_TRUE(
      applied(*both, result("exp/C1/f32", CellStatus::fail, "exp/A1")).known);
}

// The CPU's column has facts that a GPU's has not, its instruction set for one.
TEST_F(Known, AFactOfAnotherColumnHoldsNowhereElse) {
  const std::string entry = std::string(kEntry) + "  where: {vec_isa: avx2}\n";
  std::ofstream(dir_ / "cpu.yaml") << entry;
  EXPECT_FALSE(applied(good("also: cpu\nentries: []\n"),
                       result("erf/C1/f32", CellStatus::fail))
                   .known);
  const auto own = load(entry);  // where it may be a slip of the pen
  ASSERT_FALSE(own.ok());
  EXPECT_THAT(own.error().message, HasSubstr("unknown field 'vec_isa'"));
}

TEST_F(Known, ADevicesFamilySharesAList) {
  const auto entries = [this](const char* column) {
    const auto list = load_known_of(dir_, column, {}, "Here 9000");
    EXPECT_TRUE(list.ok()) << list.error().message;
    return list->entries.size();
  };
  fs::create_directories(dir_ / "i@1");
  std::ofstream(dir_ / "i@1/cuda.yaml")
      << kEntry
      << "- {op: exp, clause: exp/A1, status: fail, reason: slow exit, link: "
         "x, where: {device: cuda-sm_8*}}\n";
  EXPECT_EQ(entries("i@1/cuda-sm_80"), 2u);
  EXPECT_EQ(entries("i@1/cuda-sm_90"), 1u);
  EXPECT_EQ(entries("i@1/cpu"), 0u);
  EXPECT_EQ(entries("i-2@1/cuda"), 0u);
  std::ofstream(dir_ / "i@1/cuda-sm_90.yaml") << "entries: []\n";
  EXPECT_EQ(entries("i@1/cuda-sm_90"), 0u);
}

TEST_F(Known, TheLoaderNamesEveryFaultWithItsPlace) {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"- op: a", "expected a list of known failures, a mapping"},
      {"recorded: {cpu: x}", "needs the field 'entries'"},
      {"recorded: {gpu: x}\nentries: []", "unknown field 'gpu'"},
      {"entries: a", "expected a list of entries"},
      {"entries: [a]", "k.yaml:1:11: expected an entry, a mapping with op"},
      {"entries: [{clause: b, status: fail, reason: c, link: d}]",
       "an entry needs the field 'op'"},
      {"entries: [{op: a, status: fail, reason: c, link: d}]",
       "an entry needs the field 'clause'"},
      {"entries: [{op: a, clause: b, reason: c, link: d}]",
       "an entry needs the field 'status'"},
      {"entries: [{op: a, clause: b, status: fail, link: d}]",
       "an entry needs the field 'reason'"},
      {"entries: [{op: a, clause: b, status: fail, reason: c}]",
       "an entry needs the field 'link'"},
      {"entries: [{op: a, clause: b, status: fail, reason: c, link: ''}]",
       "expected a text, found"},
      {"entries: [{op: [], clause: b, status: fail, reason: c, link: d}]",
       "expected a pattern of rows or more"},
      {"entries: [{op: [{}], clause: b, status: fail, reason: c, link: d}]",
       "expected a pattern of rows, found"},
      {"entries: [{op: a, clause: b, status: bad, reason: c, link: d}]",
       "unknown status of a known failure 'bad'"},
      {"entries: [{op: a, clause: b, status: fail, reason: c, link: d, x: 1}]",
       "unknown field 'x'"},
      {"entries: [{op: a, op: e, clause: b, status: fail, reason: c, link: d}]",
       "duplicate key 'op'"},
      {"entries: [{op: a, clause: b, status: fail, reason: c, link: d, "
       "max_error: -1}]",
       "expected a number of bounds, at least 0"},
      {"entries: [{op: a, clause: b, status: fail, reason: c, link: d, "
       "max_error: .nan}]",
       "expected a number of bounds, at least 0"},
      {"entries: [{op: a, clause: b, status: fail, reason: c, link: d, "
       "expires: soon}]",
       "'expires' must be a day"},
      {"entries: [{op: a, clause: b, status: fail, reason: c, link: d, "
       "where: x}]",
       "expected facts of the column, a mapping with cpu"},
      {"entries: [{op: a", "k.yaml:"},
  };
  for (const Row& row : rows) {
    const auto list = load(row.text);
    ASSERT_FALSE(list.ok()) << row.text;
    EXPECT_THAT(list.error().message, HasSubstr(row.message)) << row.text;
  }
  const auto two = load("entries:\n- {op: a}\n- {op: b}\n");
  EXPECT_THAT(two.error().message, HasSubstr("k.yaml:3:3"));
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
