// Matrix, gate and the report's forms, from one small report.
#include "harness/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/records/shard.h"
#include "harness/report/brief.h"
#include "harness/report/fold.h"
#include "harness/report/gate.h"
#include "harness/report/json.h"
#include "harness/report/junit.h"
#include "harness/report/live.h"
#include "harness/report/markdown.h"
#include "harness/report/matrix.h"
#include "harness/report/text.h"

namespace assay::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEager = "eager@2.11.0/cpu-avx512";
constexpr const char* kInductor = "inductor@2.11.0/cpu";

CaseResult result(const std::string& path, const char* column,
                  CellStatus status, const std::string& clause,
                  double error = 0) {
  CaseResult r;
  r.case_path = path;
  r.column = column;
  r.status = status;
  r.clause = clause;
  r.error_over_bound = error;
  r.evidence = Evidence::ran;
  r.verdict = Verdict::all_conform;
  r.elements = 4;
  r.seconds = 0.5;
  if (status != CellStatus::pass) r.reason = "because <it> & \"that\"";
  return r;
}

// Two rows, two columns: a known and an unlisted failure, one disagreement.
Report sample() {
  Report r;
  r.version = "0.1.0";
  r.header = {{"spec_hash", "12ab"}};
  r.cases_in_suite = 9;
  r.columns = {{kEager, "eager"}, {kInductor, "torch:inductor"}};
  r.cases = {{"bmm/C1/f32", "bmm"},
             {"bmm/E4/f16-f32", "bmm"},
             {"erf/C1/f32", "erf"},
             {"erf/C2/f32", "erf"}};
  r.results = {
      result("bmm/C1/f32", kEager, CellStatus::pass, "bmm/A1", 0.4),
      result("bmm/C1/f32", kInductor, CellStatus::pass, "bmm/A1", 0.5),
      result("bmm/E4/f16-f32", kEager, CellStatus::pass, "bmm/E4"),
      result("bmm/E4/f16-f32", kInductor, CellStatus::fail, "bmm/E4"),
      result("erf/C1/f32", kEager, CellStatus::pass, "erf/A1", 0.25),
      result("erf/C1/f32", kInductor, CellStatus::fail, "erf/A1", 16.7e6),
      result("erf/C2/f32", kEager, CellStatus::pass, "erf/A1", 0.75),
      result("erf/C2/f32", kInductor, CellStatus::pass, "erf/A1", 0.9)};
  r.results[3].known = true;
  r.results[3].known_link = "https://example.org/177630";
  r.results[2].verdict = r.results[3].verdict = Verdict::compiled_wrong;
  r.results[4].verdict = r.results[5].verdict = Verdict::compiled_wrong;
  r.results[6].verdict = Verdict::conform_but_disagree;
  r.results[7].verdict = Verdict::conform_but_disagree;
  r.results[5].witness =
      Witness{0, 2, "in0=0x3f (0x1p-3)", "0x0 (0x0p+0)", "[0x1]", "0x1.2p-3"};
  return r;
}

Report all_passing() {
  Report r = sample();
  for (CaseResult& c : r.results) {
    c.status = CellStatus::pass;
    c.reason.clear();
    c.known = false;
  }
  return r;
}

TEST(Matrix, RollsUpTheWorst) {
  const auto rows = make_matrix(sample());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "bmm");
  EXPECT_EQ(cell_text(rows[0].cells[0]), "pass 2 0.4");
  EXPECT_EQ(cell_text(rows[0].cells[1]), "known 1/2 0.5");
  EXPECT_EQ(cell_text(rows[1].cells[0]), "pass 2 0.75");
  EXPECT_EQ(cell_text(rows[1].cells[1]), "FAIL 1/2 2e+07");
  EXPECT_EQ(rows[0].disagree, 0u);
  EXPECT_EQ(rows[1].disagree, 1u);
}

TEST(Matrix, NoCellIsBlankWhateverIsMissing) {
  Report r = sample();
  r.results.clear();
  for (const MatrixRow& row : make_matrix(r)) {
    for (const Cell& cell : row.cells) {
      EXPECT_EQ(cell_text(cell), "not_run 2/2 0");
    }
  }
  r = sample();
  r.results.erase(r.results.begin());  // one of bmm on eager
  EXPECT_EQ(cell_text(make_matrix(r)[0].cells[0]), "not_run 1/2 0");
  r = sample();
  r.results.erase(r.results.begin() + 7);
  // What failed stays the worst, but the count shows that one is missing.
  EXPECT_EQ(cell_text(make_matrix(r)[1].cells[1]), "FAIL 2/2 2e+07");
}

TEST(Matrix, EveryStatusHasItsWord) {
  const std::pair<CellStatus, const char*> rows[] = {
      {CellStatus::unsupported, "unsupported"},
      {CellStatus::quality_warning, "warn"},
      {CellStatus::flaky, "FLAKY"},
      {CellStatus::mistrusted, "MISTRUSTED"},
      {CellStatus::fail, "FAIL"},
      {CellStatus::timeout, "TIMEOUT"},
      {CellStatus::crash, "CRASH"},
      {CellStatus::device_lost, "LOST"},
      {CellStatus::internal_error, "ERROR"}};
  for (const auto& [status, word] : rows) {
    Report r = all_passing();
    r.results[5].status = status;
    const Cell cell = make_matrix(r)[1].cells[1];
    EXPECT_EQ(cell_word(cell), word);
    EXPECT_EQ(cell.worst, status);
  }
}

TEST(Matrix, ACrashIsNotHiddenByKnownFailures) {
  Report r = sample();
  r.results[1].status = CellStatus::crash;
  EXPECT_EQ(cell_text(make_matrix(r)[0].cells[1]), "CRASH 2/2 0.5");
}

TEST(Matrix, UnsupportedBesideKnownFailuresIsStillKnown) {
  Report r = sample();
  r.results[1].status = CellStatus::unsupported;
  EXPECT_EQ(cell_word(make_matrix(r)[0].cells[1]), "known");
}

TEST(Matrix, EvidenceShowsWhereItIsLessThanARun) {
  Report r = all_passing();
  r.results[0].evidence = Evidence::compiled;
  EXPECT_EQ(cell_text(make_matrix(r)[0].cells[0]), "pass 2 0.4 (compiled)");
}

TEST(Matrix, ErrorsAreShort) {
  EXPECT_EQ(short_error(0), "0");
  EXPECT_EQ(short_error(0.123), "0.12");
  EXPECT_EQ(short_error(1.5), "1.5");
  EXPECT_EQ(short_error(123.4), "123");
  EXPECT_EQ(short_error(123456), "1e+05");
  EXPECT_EQ(short_error(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Text, IsThisText) {
  const Report r = sample();
  EXPECT_EQ(text_report(r, decide(r)),
            R"(assay 0.1.0: quick profile, 4 of 9 cases, fused numerics

     eager        inductor
     @2.11.0      @2.11.0
     cpu-avx512   cpu             differ
bmm  pass 2 0.4   known 1/2 0.5   -
erf  pass 2 0.75  FAIL 1/2 2e+07  1

A cell: worst status, cases (wrong/all), largest error over its bound. "known":
a failure that results/known lists. differ: cases where all columns conform, but
not with the same bits. All cells ran unless they say how far they got.

What is not a pass, by row:
bmm
  known fail x1  bmm/E4  inductor@2.11.0/cpu  bmm/E4/f16-f32
    because <it> & "that"
    https://example.org/177630
    ./assay repro bmm/E4/f16-f32 --subject torch:inductor
erf
  fail x1  erf/A1  inductor@2.11.0/cpu  erf/C1/f32
    because <it> & "that"
    at in0=0x3f (0x1p-3), exact 0x1.2p-3
    ./assay repro erf/C1/f32 --subject torch:inductor

verdicts: all_conform 1, compiled_wrong 2, conform_but_disagree 1
eager@2.11.0/cpu-avx512: 4 executed, 0 unsupported, 0 not run
inductor@2.11.0/cpu: 4 executed, 0 unsupported, 0 not run
exit 1 (does not conform) because:
  erf on inductor@2.11.0/cpu: 1 case fail, clause erf/A1, e.g. erf/C1/f32
)");
}

TEST(Text, ColoursOnlyWhenAsked) {
  const Report r = sample();
  EXPECT_THAT(text_report(r, decide(r)), Not(HasSubstr("\x1b")));
  const std::string coloured = text_report(r, decide(r), {true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[31mknown 1/2 0.5\x1b[0m"));
  EXPECT_THAT(coloured, HasSubstr("\x1b[32mpass 2 0.4\x1b[0m"));
}

TEST(Text, TheFirstLineSaysThatARunIsPartial) {
  Report r = sample();
  r.filters = {"bmm", "erf/*"};
  r.profile = "full";
  EXPECT_EQ(title(r),
            "assay 0.1.0: full profile, PARTIAL (filter bmm erf/*), 4 of 9 "
            "cases, fused numerics");
  r.filters = std::vector<std::string>(30, "erf/C1");
  EXPECT_THAT(title(r), HasSubstr("erf/C1 erf/C1 and 22 more)"));
  r.interrupted = true;
  EXPECT_THAT(title(r), HasSubstr("INCOMPLETE"));
}

TEST(Text, WideColumnNamesAreBroken) {
  Report r = sample();
  r.columns[1].name = R"(inductor@2.15.0{"numerics":"strict","more":1}/cpu)";
  for (CaseResult& c : r.results) {
    if (c.column == kInductor) c.column = r.columns[1].name;
  }
  std::istringstream lines(text_report(r, decide(r)));
  std::string line;
  std::getline(lines, line);
  for (int i = 0; i < 7; ++i) {
    std::getline(lines, line);
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(Live, ARowIsThereAsSoonAsItIsComplete) {
  const Report whole = sample();
  LiveMatrix live(whole, false);
  std::vector<std::string> said;
  // erf before bmm, as a run may have it.
  for (const std::size_t i : {4, 5, 0, 6, 1, 7, 2, 3}) {
    said.push_back(live.add(whole.results[i]));
  }
  for (const std::size_t i : {0, 1, 2, 3, 4, 6}) EXPECT_EQ(said[i], "") << i;
  EXPECT_THAT(said[5], HasSubstr("inductor"));
  EXPECT_THAT(said[5], HasSubstr("\nerf "));
  EXPECT_THAT(said[5], HasSubstr("FAIL 1/2 2e+07"));
  EXPECT_THAT(said[7], ::testing::StartsWith("bmm "));
  EXPECT_THAT(said[7], HasSubstr("known 1/2"));
  // A result that comes twice, or of another run, says nothing.
  EXPECT_EQ(live.add(whole.results[0]), "");
}

TEST(Brief, ALargeRunTakesAtMostSixtyLines) {
  Report r = sample();
  for (int n = 0; n < 300; ++n) {
    const std::string row = "op" + std::to_string(n);
    r.cases.push_back({row + "/C1", row, CaseKind::values});
    for (const char* column : {kEager, kInductor}) {
      r.results.push_back(
          result(row + "/C1", column, CellStatus::fail, row + "/A1", n));
      r.results.back().failure = FailureClass::wrong_value;
    }
  }
  const std::string text = brief_report(r, decide(r), "out/report.txt");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60);
  EXPECT_THAT(text, HasSubstr("out/report.txt"));
  EXPECT_THAT(text, HasSubstr("more rows."));
  EXPECT_THAT(text, HasSubstr("and 593 more"));
}

TEST(Brief, TheWorstRowComesFirstAndColumnsThatAgreeStandTogether) {
  Report r = sample();
  r.results[4].status = CellStatus::fail;
  r.results[4].error_over_bound = r.results[5].error_over_bound;
  r.results[6].error_over_bound = r.results[7].error_over_bound;
  const std::string text = brief_report(r, decide(r), "rest");
  EXPECT_THAT(text, HasSubstr("erf  eager/cpu-avx512, inductor/cpu: FAIL 1/2"));
  EXPECT_LT(text.find("  erf  "), text.find("  bmm  "));
  // Values: a wrong one of the four that ran, in each column.
  EXPECT_THAT(text, HasSubstr("values                       1 / 4"));
}

TEST(Fold, EqualTargetsOfOneSubjectBecomeOneColumn) {
  Report r;
  r.cases = {{"exp/C1", "exp", CaseKind::values}};
  const auto add = [&r](const std::string& column, CellStatus status,
                        Evidence evidence) {
    r.columns.push_back({column, ""});
    r.results.push_back(
        result("exp/C1", column.c_str(), status, "exp/A1", 0.5));
    r.results.back().evidence = evidence;
  };
  add("bundled/cuda-sm_75", CellStatus::pass, Evidence::emulated);
  add("bundled/cuda-sm_80", CellStatus::pass, Evidence::compiled_linted);
  add("bundled/cuda-sm_86", CellStatus::pass, Evidence::compiled_linted);
  add("bundled/cuda-sm_90", CellStatus::pass, Evidence::emulated);
  add("bundled/cuda-sm_100", CellStatus::fail, Evidence::emulated);
  add("other/cuda-sm_75", CellStatus::pass, Evidence::emulated);
  add("bundled/cpu-avx2", CellStatus::pass, Evidence::emulated);
  const Report f = folded(r);
  std::vector<std::string> names;
  for (const ColumnInfo& c : f.columns) names.push_back(c.name);
  EXPECT_THAT(names, ElementsAre("bundled/cuda-sm_75,90",
                                 "bundled/cuda-sm_80,86", "bundled/cuda-sm_100",
                                 "other/cuda-sm_75", "bundled/cpu-avx2"));
  ASSERT_EQ(f.results.size(), 5u);
  EXPECT_EQ(f.results[2].column, "bundled/cuda-sm_100");
  EXPECT_EQ(make_matrix(f)[0].cells.size(), 5u);
}

TEST(Gate, Table) {
  struct Row {
    CellStatus status;
    bool known;
    int code;
  };
  const Row rows[] = {
      {CellStatus::pass, false, 0},
      {CellStatus::quality_warning, false, 0},
      {CellStatus::unsupported, false, 0},
      {CellStatus::fail, false, 1},
      {CellStatus::fail, true, 0},
      {CellStatus::flaky, false, 1},
      {CellStatus::flaky, true, 0},
      {CellStatus::timeout, false, 1},
      {CellStatus::crash, false, 1},
      {CellStatus::crash, true, 0},
      {CellStatus::mistrusted, false, 2},
      {CellStatus::internal_error, false, 2},
      {CellStatus::device_lost, false, 3},
      {CellStatus::not_run, false, 3},
  };
  for (const Row& row : rows) {
    Report r = all_passing();
    r.results[5].status = row.status;
    r.results[5].known = row.known;
    const GateDecision d = decide(r);
    EXPECT_EQ(d.exit_code, row.code) << status_name(row.status);
    EXPECT_EQ(d.because.empty(), row.code == 0);
    EXPECT_THAT(to_string(d), HasSubstr("exit " + std::to_string(row.code)));
    if (row.code != 0) {
      EXPECT_THAT(d.because[0],
                  HasSubstr("erf on inductor@2.11.0/cpu: 1 case " +
                            std::string(status_name(row.status))));
    }
  }
}

TEST(Gate, ASubjectThatBreaksTheProtocolIsAtFaultItself) {
  Report r = all_passing();
  r.results[5].status = CellStatus::internal_error;
  r.results[5].clause = "P0";
  EXPECT_EQ(decide(r).exit_code, 1);
}

TEST(Gate, AColumnThatExecutedNothingDoesNotConform) {
  Report r = all_passing();
  for (CaseResult& cell : r.results) {
    if (cell.column == kInductor) cell.status = CellStatus::unsupported;
  }
  EXPECT_EQ(decide(r).exit_code, 3);
  EXPECT_THAT(decide(r).because,
              ElementsAre("inductor@2.11.0/cpu executed none of 4 cases, 4 are "
                          "unsupported"));
  // Who asks for cases by name may ask for what a compiler does not have, but
  // is not told that it conforms.
  r.filters = {"erf"};
  EXPECT_EQ(decide(r).exit_code, 0);
  EXPECT_THAT(to_string(decide(r)),
              HasSubstr("inductor@2.11.0/cpu: 0 executed, 4 unsupported, 0 not "
                        "run\nexit 0: nothing failed in the cases"));
}

// A shard may have none of the cases that a column can execute; the whole run
// is judged by who joins it.
TEST(Gate, AShardSpeaksOfWhatItRanAlone) {
  Report r = all_passing();
  r.profile = "full";
  EXPECT_TRUE(extent_of(r).whole);
  EXPECT_EQ(decide(r).meaning, "conforms");
  for (CaseResult& cell : r.results) {
    if (cell.column == kInductor) cell.status = CellStatus::unsupported;
  }
  EXPECT_EQ(decide(r).exit_code, 3);
  r.header[kShardField] = {{"index", 2}, {"of", 8}};
  EXPECT_EQ(decide(r).exit_code, 0);
  EXPECT_THAT(decide(r).meaning,
              "nothing failed in the cases that were selected");
  EXPECT_THAT(title(r), HasSubstr("full profile, SHARD 2/8, "));
  EXPECT_FALSE(extent_of(r).whole);
}

TEST(Gate, StaleEntriesFail) {
  Report r = all_passing();
  r.stale = {{"results/known/x.yaml:3", "no operation is 'erff'"},
             {"results/known/x.yaml:9", "exp no longer fails", true}};
  const GateDecision d = decide(r);
  EXPECT_EQ(d.exit_code, 1);
  EXPECT_THAT(d.because,
              ElementsAre("results/known/x.yaml:3: no operation is 'erff'; "
                          "update the entry"));
  EXPECT_THAT(to_string(d),
              HasSubstr("note: results/known/x.yaml:9: exp no longer fails\n"));
}

TEST(Gate, IncompleteOutranksOurFaultOutranksFailure) {
  Report r = sample();
  EXPECT_EQ(decide(r).exit_code, 1);
  r.results[0].status = CellStatus::internal_error;
  EXPECT_EQ(decide(r).exit_code, 2);
  r.results.pop_back();
  r.interrupted = true;
  const GateDecision d = decide(r);
  EXPECT_EQ(d.exit_code, 3);
  // All reasons are told.
  EXPECT_EQ(d.because.size(), 3u);
  EXPECT_EQ(d.because[0], "1 of 8 results are missing (interrupted)");
  r = all_passing();
  r.lost = "results.jsonl: No space left on device";
  EXPECT_EQ(decide(r).exit_code, 3);
}

TEST(Json, HoldsTheMatrixAndTheExitCode) {
  const Report r = sample();
  const auto j = nlohmann::json::parse(json_report(r, decide(r)));
  EXPECT_EQ(j["assay_report"], 1);
  EXPECT_TRUE(j["complete"]);
  EXPECT_EQ(j["header"]["spec_hash"], "12ab");
  EXPECT_EQ(j["columns"][1]["subject"], "torch:inductor");
  ASSERT_EQ(j["rows"].size(), 2u);
  const auto& cell = j["rows"][1]["cells"][1];
  EXPECT_EQ(cell["column"], kInductor);
  EXPECT_EQ(cell["status"], "fail");
  EXPECT_EQ(cell["cases"], 2);
  EXPECT_EQ(cell["wrong"], 1);
  EXPECT_EQ(cell["counts"]["pass"], 1);
  EXPECT_EQ(cell["max_error_over_bound"], 16.7e6);
  EXPECT_EQ(cell["evidence"], "ran");
  EXPECT_EQ(j["rows"][1]["conform_but_disagree"], 1);
  EXPECT_EQ(j["verdicts"]["compiled_wrong"], 2);
  ASSERT_EQ(j["results"].size(), 2u);
  EXPECT_TRUE(j["results"][0]["known"]);
  EXPECT_THAT(j["results"][1]["rerun"].get<std::string>(),
              HasSubstr("./assay repro erf/C1/f32"));
  EXPECT_EQ(j["exit"]["code"], 1);
  EXPECT_EQ(j["exit"]["because"].size(), 1u);
}

TEST(Json, SurvivesInfinityAndBrokenText) {
  Report r = sample();
  r.results[5].error_over_bound = std::numeric_limits<double>::infinity();
  r.results[5].reason = "bytes \xff\xfe and \x01";
  const auto j = nlohmann::json::parse(json_report(r, decide(r)));
  EXPECT_EQ(j["rows"][1]["cells"][1]["max_error_over_bound"], "inf");
  EXPECT_EQ(j["results"][1]["error_over_bound"], "inf");
}

boost::property_tree::ptree parse_xml(const std::string& text) {
  std::istringstream in(text);
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(in, tree);
  return tree;
}

TEST(Junit, CountsAndNames) {
  Report r = sample();
  r.results[1].status = CellStatus::crash;
  r.results[7].status = CellStatus::unsupported;
  r.results.erase(r.results.begin());  // eager's first did not run
  const auto tree = parse_xml(junit_report(r)).get_child("testsuites");
  std::map<std::string, std::map<std::string, int>> counts;
  std::map<std::string, int> found;
  for (const auto& [tag, suite] : tree) {
    if (tag != "testsuite") continue;
    const auto name = suite.get<std::string>("<xmlattr>.name");
    for (const char* field : {"tests", "failures", "errors", "skipped"}) {
      counts[name][field] = suite.get<int>(std::string("<xmlattr>.") + field);
    }
    for (const auto& [inner, test] : suite) {
      if (inner != "testcase") continue;
      ++found["tests"];
      found["failures"] += static_cast<int>(test.count("failure"));
      found["errors"] += static_cast<int>(test.count("error"));
      found["skipped"] += static_cast<int>(test.count("skipped"));
    }
  }
  const auto part = [&](const char* column, const char* suffix) {
    return counts.at(std::string(column) + suffix);
  };
  EXPECT_EQ(part(kEager, "")["tests"], 3);
  EXPECT_EQ(part(kEager, "")["skipped"], 0);
  EXPECT_EQ(part(kEager, " not judged")["tests"], 1);
  EXPECT_EQ(part(kEager, " not judged")["skipped"], 1);
  EXPECT_EQ(part(kInductor, "")["tests"], 2);
  EXPECT_EQ(part(kInductor, "")["failures"], 1);
  EXPECT_EQ(part(kInductor, "")["errors"], 1);
  EXPECT_EQ(part(kInductor, " known failures")["tests"], 1);
  EXPECT_EQ(part(kInductor, " known failures")["skipped"], 1);
  EXPECT_EQ(part(kInductor, " not judged")["skipped"], 1);
  EXPECT_EQ(counts.size(), 5u);  // no suite without tests but a column's own
  EXPECT_EQ(found["tests"], 8);
  EXPECT_EQ(found["failures"], 1);
  EXPECT_EQ(found["errors"], 1);
  EXPECT_EQ(found["skipped"], 3);
}

// Whoever looks at what was skipped sees why.
TEST(Junit, KnownFailuresSayWhatIsKnown) {
  const auto tree = parse_xml(junit_report(sample())).get_child("testsuites");
  bool seen = false;
  for (const auto& [tag, suite] : tree) {
    if (tag != "testsuite" || suite.get<std::string>("<xmlattr>.name") !=
                                  std::string(kInductor) + " known failures") {
      continue;
    }
    EXPECT_EQ(suite.get<std::string>("testcase.<xmlattr>.classname"),
              std::string(kInductor) + " known failures.bmm");
    EXPECT_EQ(suite.get<std::string>("testcase.skipped.<xmlattr>.message"),
              "known fail bmm/E4: because <it> & \"that\" "
              "(https://example.org/177630)");
    seen = true;
  }
  EXPECT_TRUE(seen);
}

TEST(Junit, TextSurvivesTheParser) {
  Report r = sample();
  r.results[5].reason = "a <b> & \"c\" 'd' \xc3\xbc";
  const auto tree = parse_xml(junit_report(r));
  EXPECT_THAT(junit_report(r), HasSubstr("a &lt;b&gt; &amp; &quot;c&quot;"));
  bool seen = false;
  for (const auto& [tag, suite] : tree.get_child("testsuites")) {
    if (tag != "testsuite") continue;
    for (const auto& [inner, test] : suite) {
      if (inner != "testcase" || test.count("failure") == 0) continue;
      EXPECT_EQ(test.get<std::string>("failure.<xmlattr>.message"),
                "fail erf/A1: a <b> & \"c\" 'd' \xc3\xbc");
      seen = true;
    }
  }
  EXPECT_TRUE(seen);
}

TEST(Junit, EveryByteGivesWellFormedXml) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = "a" + std::string(1, static_cast<char>(byte));
    const std::string xml = "<x y=\"" + xml_escaped(text) + "\"/>";
    EXPECT_NO_THROW(parse_xml(xml)) << byte;
  }
  EXPECT_EQ(xml_escaped("\xed\xa0\x80"),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(xml_escaped("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(xml_escaped("a\x01"
                        "b\n"),
            "a b&#10;");
}

TEST(Markdown, IsATable) {
  const Report r = sample();
  const std::string text = markdown_report(r, decide(r));
  EXPECT_THAT(text, HasSubstr("# assay 0.1.0: quick profile"));
  EXPECT_THAT(text, HasSubstr("| | eager@2.11.0/cpu-avx512 | "
                              "inductor@2.11.0/cpu | differ |"));
  EXPECT_THAT(text,
              HasSubstr("| erf | pass 2 0.75 | **FAIL 1/2 2e+07** | 1 |"));
  EXPECT_THAT(text, HasSubstr("([link](https://example.org/177630))"));
  EXPECT_THAT(text, HasSubstr("because \\<it> & \"that\""));
  EXPECT_THAT(text, HasSubstr("\"spec_hash\": \"12ab\""));
}

TEST(Repro, CommandsAreQuotedForAShell) {
  Report r = sample();
  r.columns[1].spelling = R"(torch:inductor{"a":'b'})";
  EXPECT_EQ(repro_command(r, r.results[5]),
            R"(./assay repro erf/C1/f32 --subject )"
            R"('torch:inductor{"a":'\''b'\''}')");
  r.numerics = "strict";
  EXPECT_THAT(repro_command(r, r.results[4]), HasSubstr("--strict"));
}

}  // namespace
}  // namespace assay::harness
