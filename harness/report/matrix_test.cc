// The mark of what a column derived from specs, wherever a matrix is shown.
#include "harness/report/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/gate.h"
#include "harness/report/json.h"
#include "harness/report/markdown.h"
#include "harness/report/text.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two rows of one case each, in two columns.
Report lowered(Lowering first, Lowering second) {
  Report r;
  r.columns = {{"bundled/cpu-avx2", "bundled"}, {"eager/cpu", "eager"}};
  r.cases = {{"cos/C1/f32", "cos"}, {"dot/C1/f32", "dot"}};
  for (const CaseInfo& c : r.cases) {
    for (const ColumnInfo& column : r.columns) {
      CaseResult result;
      result.case_path = c.path;
      result.column = column.name;
      result.status = CellStatus::pass;
      result.evidence = Evidence::ran;
      if (column.name == r.columns[0].name) {
        result.lowering = c.row == "cos" ? first : second;
      }
      r.results.push_back(std::move(result));
    }
  }
  return r;
}

std::vector<std::string> texts(const Report& r) {
  return {text_report(r, decide(r), {}), markdown_report(r, decide(r))};
}

TEST(Matrix, MarksCellsWithDerivedCases) {
  const Report r = lowered(Lowering::hand, Lowering::derived);
  const std::vector<MatrixRow> rows = make_matrix(r);
  EXPECT_EQ(cell_text(rows[0].cells[0]), "pass 1 0");
  EXPECT_EQ(cell_text(rows[1].cells[0]), "pass 1 0 ^");
  EXPECT_EQ(cell_text(rows[1].cells[1]), "pass 1 0");
  for (const std::string& text : texts(r)) {
    EXPECT_THAT(text, HasSubstr("pass 1 0 ^"));
    EXPECT_THAT(text, HasSubstr("\n^: code and guards that the column derived "
                                "from the spec itself"));
  }
  const auto j = nlohmann::json::parse(json_report(r, decide(r)));
  EXPECT_EQ(j["rows"][1]["cells"][0]["derived"], 1);
  EXPECT_FALSE(j["rows"][0]["cells"][0].contains("derived"));
}

TEST(Matrix, SaysNothingOfMarksWhereThereAreNone) {
  const Report r = lowered(Lowering::hand, Lowering::untold);
  EXPECT_FALSE(any_derived(make_matrix(r)));
  for (const std::string& text : texts(r)) {
    EXPECT_THAT(text, Not(HasSubstr(kDerivedMark)));
  }
}

}  // namespace
}  // namespace assay::harness
