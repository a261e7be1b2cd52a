// The comment on a change request: short, and never markup of its own.
#include "harness/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/report/testing/sample_report.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;
using testing::kHostile;
using ::testing::Not;

CaseResult result(const std::string& path, CellStatus status, bool known) {
  CaseResult r;
  r.case_path = path;
  r.column = "inductor@2.11.0/cpu";
  r.status = status;
  r.clause = "bmm/E4";
  r.known = known;
  r.reason = "because";
  if (status == CellStatus::fail) r.failure = FailureClass::lost_error;
  return r;
}

Report small() {
  Report r;
  r.version = "0.1.0";
  r.columns = {{"inductor@2.11.0/cpu", "torch:inductor"}};
  r.cases = {{"bmm/C1/f32", "bmm", CaseKind::values},
             {"bmm/E4/f16", "bmm", CaseKind::errors},
             {"bmm/E4/f32", "bmm", CaseKind::errors}};
  r.results = {result("bmm/C1/f32", CellStatus::pass, false),
               result("bmm/E4/f16", CellStatus::fail, false),
               result("bmm/E4/f32", CellStatus::fail, true)};
  return r;
}

TEST(Summary, NamesWhatIsNewAndCountsWhatIsKnown) {
  const Report r = small();
  const std::string text = summary_report(r, decide(r));
  EXPECT_THAT(text, HasSubstr("does not conform"));
  EXPECT_THAT(text, HasSubstr("| `inductor@2.11.0/cpu` | **2** / 2 | 0 / 1 |"));
  EXPECT_THAT(text, HasSubstr("| 1 |\n"));  // of these known
  EXPECT_THAT(text, HasSubstr("fail lost\\_error"));
  EXPECT_THAT(text,
              HasSubstr("`./assay repro bmm/E4/f16 --subject torch:inductor`"));
  EXPECT_THAT(text, Not(HasSubstr("bmm/E4/f32")));
}

TEST(Summary, SaysWhereNothingIsNew) {
  Report r = small();
  r.results[1].known = true;
  const std::string text = summary_report(r, decide(r));
  EXPECT_THAT(text, HasSubstr("conforms"));
  EXPECT_THAT(text, HasSubstr("Nothing fails that is not known to."));
}

TEST(Summary, SaysWhatIsMissing) {
  Report r = small();
  r.results.pop_back();
  const std::string text = summary_report(r, decide(r));
  EXPECT_THAT(text, HasSubstr("incomplete"));
  EXPECT_THAT(text, HasSubstr("1 of 3 results are missing"));
}

// Hundreds of rows and columns, all of them red, and hostile names.
TEST(Summary, IsAtMostSixtyLines) {
  Report r;
  for (int c = 0; c < 40; ++c) {
    r.columns.push_back({"column" + std::to_string(c), kHostile});
  }
  for (int i = 0; i < 300; ++i) {
    const std::string row = "row" + std::to_string(i) + "|`\n" + kHostile;
    r.cases.push_back({row + "/C1", row});
    for (const ColumnInfo& column : r.columns) {
      CaseResult one = result(row + "/C1", CellStatus::timeout, false);
      one.column = column.name;
      one.clause = kHostile;
      r.results.push_back(one);
    }
  }
  r.interrupted = true;
  GateDecision decision = decide(r);
  for (std::string& reason : decision.because) reason += "\n\n\nmore";
  const std::string text = summary_report(r, decision);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'),
            static_cast<std::ptrdiff_t>(kSummaryLines));
  EXPECT_LT(text.size(), 65'536u);  // what comments of GitHub may have
  // Every line of a table has the cells that its heading has.
  std::istringstream lines(text);
  std::size_t cells = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    }
    const bool in_table = line.starts_with("|");
    if (in_table && cells != 0) {
      EXPECT_EQ(bars, cells) << line;
    }
    cells = in_table ? bars : 0;
  }
}

}  // namespace
}  // namespace assay::harness
