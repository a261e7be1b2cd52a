// results.jsonl: torn at any byte, resumed, guarded, and on a full disk.
#include "harness/records/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>

#include "harness/records/result_json.h"
#include "harness/run/interrupt.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

CaseResult sample(int n) {
  CaseResult r;
  r.case_path = "erf/C1/f32/" + std::to_string(n);
  r.column = "inductor@2.11.0/cpu";
  r.status = n % 2 == 0 ? CellStatus::pass : CellStatus::fail;
  r.verdict = Verdict::compiled_wrong;
  r.clause = "erf/A1";
  r.evidence = Evidence::ran;
  r.error_over_bound =
      n % 2 == 0 ? 0.75 : std::numeric_limits<double>::infinity();
  r.wrong_elements = n;
  r.elements = 17;
  r.lowering = static_cast<Lowering>(n % 3);
  r.reason = n % 2 == 0 ? "" : "got \"1\"\\, not \xc3\xbc\n";
  if (n % 2 != 0) {
    r.witness = Witness{1, n, "in0=1", "0x1", "[0x2]", "1"};
  }
  r.seconds = 0.125;
  r.output_hash = 0xfedcba9876543210u + static_cast<unsigned>(n);
  return r;
}

void expect_equal(const CaseResult& a, const CaseResult& b) {
  EXPECT_EQ(json_line(to_json(a)), json_line(to_json(b)));
}

const ordered_json kHeader = {{"program", "0.1.0"},
                              {"spec_hash", "12ab"},
                              {"started", "now"},
                              {"jobs", 2}};

// What is read of records of subjects that do not tell, older ones among them,
// is written as it was.
TEST(ResultJson, HasNoLoweringWhereNoneIsTold) {
  const ordered_json told = to_json(sample(1));
  EXPECT_EQ(told.at("lowering"), "hand");
  ordered_json untold = told;
  untold.erase("lowering");
  const Result<CaseResult> r = result_from_json(untold);
  ASSERT_TRUE(r.ok()) << r.error().message;
  EXPECT_EQ(r->lowering, Lowering::untold);
  EXPECT_EQ(to_json(*r), untold);
  ordered_json other = told;
  other["lowering"] = "guessed";
  EXPECT_FALSE(result_from_json(other).ok());
}

class RecordsTest : public ::testing::Test {
 protected:
  RecordsTest() {
    dir_ = fs::path(::testing::TempDir()) /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
  }
  ~RecordsTest() override { fs::remove_all(dir_); }

  std::string text() { return *read_file(dir_ / "results.jsonl"); }
  void write(const std::string& text) {
    fs::create_directories(dir_);
    std::ofstream(dir_ / "results.jsonl", std::ios::binary) << text;
  }
  // The file that a run of `n` results leaves behind.
  std::string complete(int n) {
    fs::remove_all(dir_);
    {
      Result<Records> r = Records::open(dir_, kHeader, nullptr);
      for (int i = 0; i < n; ++i) EXPECT_TRUE(r->append(sample(i)).ok());
    }
    return text();
  }
  fs::path dir_;
};

TEST_F(RecordsTest, EveryFieldSurvives) {
  complete(4);
  const Result<ResultsFile> file = read_results(dir_ / "results.jsonl");
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->results.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    expect_equal(file->results[static_cast<std::size_t>(i)], sample(i));
  }
  EXPECT_EQ(file->header["spec_hash"], "12ab");
  const CaseResult& r = file->results[1];
  EXPECT_EQ(r.error_over_bound, std::numeric_limits<double>::infinity());
  EXPECT_EQ(r.witness->admissible, "[0x2]");
  EXPECT_EQ(r.output_hash, 0xfedcba9876543211u);
}

TEST_F(RecordsTest, RecordsHoldTheNamedFields) {
  const ordered_json j = to_json(sample(1));
  for (const char* field :
       {"case", "column", "status", "verdict", "clause", "evidence",
        "error_over_bound", "reason", "witness"}) {
    EXPECT_TRUE(j.contains(field)) << field;
  }
}

TEST_F(RecordsTest, ResumesAfterATearAtEveryByteOfTheLastLine) {
  const std::string whole = complete(3);
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t cut = last; cut <= whole.size(); ++cut) {
    write(whole.substr(0, cut));
    std::vector<CaseResult> existing;
    {
      Result<Records> r = Records::open(dir_, kHeader, &existing);
      ASSERT_TRUE(r.ok()) << cut << ": " << r.error().message;
      EXPECT_EQ(existing.size(), cut == whole.size() ? 3u : 2u) << cut;
      for (std::size_t i = existing.size(); i < 3; ++i) {
        ASSERT_TRUE(r->append(sample(static_cast<int>(i))).ok());
      }
    }
    EXPECT_EQ(text(), whole) << "torn after byte " << cut;
  }
}

TEST_F(RecordsTest, ATornHeaderMeansNothingIsThereYet) {
  const std::string whole = complete(0);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    write(whole.substr(0, cut));
    std::vector<CaseResult> existing;
    Result<Records> r = Records::open(dir_, kHeader, &existing);
    ASSERT_TRUE(r.ok()) << cut;
    EXPECT_TRUE(existing.empty());
    EXPECT_EQ(text(), whole);
  }
}

TEST_F(RecordsTest, ADamagedLineInTheMiddleIsAnErrorWithItsPlace) {
  std::string whole = complete(3);
  const std::size_t second = whole.find('\n') + 1;
  whole[second] = '!';
  write(whole);
  std::vector<CaseResult> existing;
  const Result<Records> r = Records::open(dir_, kHeader, &existing);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, HasSubstr("results.jsonl:2: "));
  EXPECT_EQ(text(), whole);
}

TEST_F(RecordsTest, AChangedRecordIsNoticed) {
  {
    auto records = Records::open(dir_, kHeader, nullptr);
    ASSERT_TRUE(records.ok());
    for (int n = 0; n < 3; ++n) ASSERT_TRUE(records->append(sample(n)).ok());
  }
  const fs::path file = dir_ / "results.jsonl";
  ASSERT_TRUE(read_results(file).ok());
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string was = "\"status\":\"fail\"";
  ASSERT_NE(text.find(was), std::string::npos);
  text.replace(text.find(was), was.size(), "\"status\":\"pass\"");
  std::ofstream(file) << text;
  const auto read = read_results(file);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr(":3: "));
  EXPECT_THAT(read.error().message, HasSubstr("changed after it was written"));
}

TEST_F(RecordsTest, AnotherFileIsNotTakenForResults) {
  write("{\"some\": \"json\"}\n");
  std::vector<CaseResult> existing;
  const Result<Records> r = Records::open(dir_, kHeader, &existing);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, HasSubstr("no results file"));
}

TEST_F(RecordsTest, OnlyResumesTheSameRun) {
  complete(2);
  ordered_json other = kHeader;
  other["spec_hash"] = "99";
  std::vector<CaseResult> existing;
  const std::string before = text();
  const Result<Records> r = Records::open(dir_, other, &existing);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, HasSubstr("spec_hash was \"12ab\", now it is "
                                           "\"99\""));
  EXPECT_THAT(r.error().message, HasSubstr("another folder with --out"));
  EXPECT_EQ(text(), before);
  EXPECT_TRUE(existing.empty());
  // When it began, and with how many jobs, is not part of what it is.
  other = kHeader;
  other["started"] = "later";
  other["jobs"] = 8;
  EXPECT_TRUE(Records::open(dir_, other, &existing).ok());
}

TEST(HeaderDifference, NamesWhatDiffersAndNoMore) {
  const auto header = [](const char* column, const char* subject,
                         const char* torch) {
    return ordered_json{
        {"filters", ordered_json::array()},
        {"columns",
         {{{"column", column},
           {"subject", subject},
           {"facts", {{"blas", "a page of text"}, {"torch", torch}}}}}}};
  };
  const ordered_json ours = header("eager/cpu", "eager", "2.11");
  EXPECT_EQ(header_difference(ours, ours), "");
  ordered_json there = ours;
  there["filters"] = {"neg"};
  EXPECT_EQ(header_difference(there, ours),
            "filters was [\"neg\"], now it is none");
  there.erase("filters");
  EXPECT_EQ(header_difference(there, ours),
            "its header does not say its filters");
  EXPECT_EQ(header_difference(header("bundled/cpu", "bundled", "2.12"), ours),
            "columns were [\"bundled/cpu\"], now they are [\"eager/cpu\"]");
  EXPECT_EQ(header_difference(header("eager/cpu", "eager", "2.12"), ours),
            "torch of column \"eager/cpu\" was \"2.12\", now it is \"2.11\"");
  EXPECT_THAT(header_difference(header("eager/cpu", "worker:e", "2.11"), ours),
              HasSubstr("spelled"));
}

TEST_F(RecordsTest, DoesNotOverwriteAnEarlierRun) {
  const std::string before = complete(2);
  const Result<Records> r = Records::open(dir_, kHeader, nullptr);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, HasSubstr("--resume"));
  EXPECT_EQ(text(), before);
}

TEST_F(RecordsTest, TwoRunsDoNotShareAFolder) {
  Result<Records> first = Records::open(dir_, kHeader, nullptr);
  ASSERT_TRUE(first.ok());
  std::vector<CaseResult> existing;
  const Result<Records> second = Records::open(dir_, kHeader, &existing);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("a run that is still going"));
  EXPECT_THAT(second.error().message,
              HasSubstr("process " + std::to_string(::getpid())));
}

TEST_F(RecordsTest, FinishReplacesTheFileInOrder) {
  complete(0);
  std::vector<CaseResult> existing;
  Result<Records> r = Records::open(dir_, kHeader, &existing);
  EXPECT_TRUE(r->append(sample(2)).ok());
  EXPECT_TRUE(r->append(sample(1)).ok());
  EXPECT_TRUE(r->finish({sample(1), sample(2)}).ok());
  const Result<ResultsFile> file = read_results(dir_ / "results.jsonl");
  ASSERT_EQ(file->results.size(), 2u);
  expect_equal(file->results[0], sample(1));
  EXPECT_FALSE(fs::exists(dir_ / "results.jsonl.tmp"));
}

// A file size limit is a disk that is full at a known byte.
class FullDisk {
 public:
  explicit FullDisk(std::uint64_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(RecordsTest, AFullDiskIsAnErrorAndLosesNothing) {
  install_signal_handlers();
  const std::string whole = complete(3);
  for (std::size_t room = whole.find('\n') + 1; room < whole.size();
       room += 7) {
    fs::remove_all(dir_);
    Status kept = success();
    int appended = 0;
    {
      Result<Records> r = Records::open(dir_, kHeader, nullptr);
      ASSERT_TRUE(r.ok());
      const FullDisk full(room);
      while (kept.ok() && appended < 3) {
        kept = r->append(sample(appended));
        appended += kept.ok() ? 1 : 0;
      }
      EXPECT_FALSE(kept.ok());
      EXPECT_THAT(kept.error().message, HasSubstr("results.jsonl: "));
    }
    std::vector<CaseResult> existing;
    Result<Records> r = Records::open(dir_, kHeader, &existing);
    ASSERT_TRUE(r.ok()) << r.error().message;
    EXPECT_EQ(existing.size(), static_cast<std::size_t>(appended));
    for (int i = appended; i < 3; ++i) EXPECT_TRUE(r->append(sample(i)).ok());
    EXPECT_EQ(text(), whole) << "room for " << room << " bytes";
  }
}

TEST_F(RecordsTest, AFullDiskAtTheEndKeepsWhatWasAppended) {
  install_signal_handlers();
  const std::string whole = complete(3);
  std::vector<CaseResult> existing;
  Result<Records> r = Records::open(dir_, kHeader, &existing);
  {
    const FullDisk full(whole.size() / 2);
    EXPECT_FALSE(r->finish(existing).ok());
  }
  EXPECT_EQ(text(), whole);
  EXPECT_FALSE(fs::exists(dir_ / "results.jsonl.tmp"));
}

TEST_F(RecordsTest, AFolderThatCannotBeMadeIsAnError) {
  fs::create_directories(dir_);
  std::ofstream(dir_ / "file") << "x";
  const Result<Records> r =
      Records::open(dir_ / "file" / "out", kHeader, nullptr);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, HasSubstr("cannot make the folder"));
}

TEST(Files, ReplaceFileWritesToSpecialFilesDirectly) {
  EXPECT_FALSE(replace_file("/dev/full", "text").ok());
  EXPECT_TRUE(replace_file("/dev/null", "text").ok());
}

TEST(Files, CheckWritableChangesNothing) {
  const fs::path dir = fs::path(::testing::TempDir()) / "check_writable";
  fs::remove_all(dir);
  EXPECT_FALSE(check_writable(dir / "report.xml").ok());
  fs::create_directories(dir);
  EXPECT_TRUE(check_writable(dir / "report.xml").ok());
  EXPECT_FALSE(check_writable(dir).ok());
  EXPECT_TRUE(fs::is_empty(dir));
  fs::remove_all(dir);
}

}  // namespace
}  // namespace assay::harness
