// The page's data and file; page/ itself is tested in a browser
// (testing/page_browser_test.py).
#include "harness/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "harness/records/result_json.h"
#include "harness/report/packed.h"
#include "harness/report/page_parts.h"
#include "harness/report/testing/page_records.h"
#include "harness/report/testing/sample_report.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using testing::kHostile;
using testing::make_sample;
using ::testing::Not;
using testing::SamplePage;
using testing::unpacked;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++n;
  }
  return n;
}

// What the page's script will read. Fails the test where it is no JSON.
ordered_json data_in(const std::string& html) {
  const auto data = ordered_json::parse(testing::page_records(html), nullptr,
                                        /*allow_exceptions=*/false);
  EXPECT_FALSE(data.is_discarded());
  return data;
}

std::string text_of(const ordered_json& data, const ordered_json& number) {
  return data["strings"][number.get<std::size_t>()];
}

std::string path_of(const ordered_json& data, std::size_t c) {
  const std::string row =
      data["rows"][data["cases"]["row"][c].get<std::size_t>()]["name"];
  const std::string rest = text_of(data, data["cases"]["rest"][c]);
  if (rest.empty()) return row;
  return rest[0] == '/' ? rest.substr(1) : row + "/" + rest;
}

// Invalid UTF-8 as the records' JSON repairs it.
std::string repaired(const std::string& text) {
  return ordered_json::parse(json_line(ordered_json(text)));
}

TEST(Page, PackedTextIsTheSameWithoutMarkup) {
  std::string noise;
  for (std::uint32_t i = 0, seed = 1; i < 100'000; ++i) {
    noise += static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  }
  for (const std::string& text :
       {std::string(kHostile), std::string(), std::string("a<b>c&d\0e", 9),
        noise, std::string(3'000'000, '<')}) {
    const std::string in_page = packed(text);
    EXPECT_THAT(in_page, Not(HasSubstr("<")));
    EXPECT_EQ(unpacked(in_page), text);
    EXPECT_LE(in_page.size(), text.size() * 7 / 5 + 100);
  }
}

TEST(Page, EveryRecordIsThereAsItWas) {
  SamplePage sample;
  make_sample(3000, &sample);
  const ordered_json data = data_in(html_page(sample.input));
  const ordered_json& records = data["records"];
  ASSERT_EQ(records["case"].size(), sample.report.results.size());
  for (std::size_t i = 0; i < sample.report.results.size(); ++i) {
    const CaseResult& r = sample.report.results[i];
    const auto at = [&](const char* field) { return records[field][i]; };
    const auto named = [&](const char* field) {
      return data["names"][field][at(field).get<std::size_t>()];
    };
    ASSERT_EQ(path_of(data, at("case").get<std::size_t>()), r.case_path);
    ASSERT_EQ(data["columns"][at("column").get<std::size_t>()]["name"],
              r.column);
    ASSERT_EQ(named("status"), status_name(r.status));
    ASSERT_EQ(named("class"), failure_name(r.failure));
    ASSERT_EQ(named("verdict"), verdict_name(r.verdict));
    ASSERT_EQ(named("evidence"), evidence_name(r.evidence));
    ASSERT_EQ(named("lowering"), lowering_name(r.lowering));
    ASSERT_EQ(text_of(data, at("clause")), r.clause);
    ASSERT_EQ(text_of(data, at("reason")), repaired(r.reason));
    ASSERT_EQ(at("known") == 1, r.known);
    ASSERT_EQ(at("wrong"), r.wrong_elements);
    const double error = at("error").get<double>();
    if (std::isinf(r.error_over_bound)) {
      ASSERT_EQ(error, -1);
    } else {
      ASSERT_NEAR(error, r.error_over_bound, 1e-5 * r.error_over_bound);
    }
    const auto w = at("witness").get<std::size_t>();
    ASSERT_EQ(w != 0, r.witness.has_value());
    if (w == 0) continue;
    const ordered_json& all = data["witnesses"];
    ASSERT_EQ(all["element"][w - 1], r.witness->element);
    ASSERT_EQ(text_of(data, all["got"][w - 1]), r.witness->got);
    ASSERT_EQ(text_of(data, all["inputs"][w - 1]), repaired(r.witness->inputs));
    ASSERT_EQ(text_of(data, all["admissible"][w - 1]), r.witness->admissible);
  }
}

TEST(Page, NothingRecordedBecomesMarkup) {
  SamplePage sample;
  make_sample(3000, &sample);
  sample.report.filters = {kHostile};  // which the title shows
  const std::string html = html_page(sample.input);
  EXPECT_EQ(count(html, "</script>"),
            count(joined(kPageTemplate), "</script>"));
  EXPECT_EQ(count(html, "<script>"), count(joined(kPageTemplate), "<script>"));
  EXPECT_EQ(count(html, "<img"), 0u);
  EXPECT_EQ(count(html, "</title>"), 1u);
  EXPECT_THAT(html, Not(HasSubstr("@data@")));
}

// Marks of the template inside of what is put there stay what they are.
TEST(Page, MarksInRecordsAreText) {
  SamplePage sample;
  make_sample(50, &sample);
  sample.report.results[0].reason = "@data@ /*@script@*/ @title@";
  const ordered_json data = data_in(html_page(sample.input));
  EXPECT_EQ(text_of(data, data["records"]["reason"][0]),
            "@data@ /*@script@*/ @title@");
}

TEST(Page, LoadsNothing) {
  for (const auto* files : {kPageTemplate, kPageStyle, kPageScript}) {
    const std::string part = joined(files);
    EXPECT_THAT(part, Not(HasSubstr("src=")));
    EXPECT_THAT(part, Not(HasSubstr("@import")));
    EXPECT_THAT(part, Not(HasSubstr("fetch(")));
    EXPECT_THAT(part, Not(HasSubstr("innerHTML")));
    EXPECT_EQ(count(part, "url("), count(part, "url(#"));
  }
  EXPECT_THAT(joined(kPageTemplate), HasSubstr("default-src 'none'"));
}

// No part of the script ends the element that it stands in.
TEST(Page, ScriptAndStyleStayInTheirElements) {
  EXPECT_THAT(joined(kPageScript), Not(HasSubstr("</script")));
  EXPECT_THAT(joined(kPageScript), Not(HasSubstr("<!--")));
  EXPECT_THAT(joined(kPageStyle), Not(HasSubstr("</style")));
}

TEST(Page, AHundredThousandRecordsAreSmallAndSoonWritten) {
  SamplePage sample;
  make_sample(100'000, &sample);
  const auto begin = std::chrono::steady_clock::now();
  const std::string html = html_page(sample.input);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  std::printf("%zu records: %zu bytes in %.2f s\n",
              sample.report.results.size(), html.size(), took.count());
  EXPECT_LT(html.size(), 20 * sample.report.results.size());
  EXPECT_LT(took.count(), 20);  // a debug build on a busy machine
}

TEST(Page, ReportsWithoutCasesOrResultsArePages) {
  SamplePage sample;
  make_sample(50, &sample);
  sample.report.results.clear();
  EXPECT_EQ(data_in(html_page(sample.input))["records"]["case"].size(), 0u);
  Report empty;
  empty.header = nullptr;
  sample.input.report = &empty;
  const ordered_json data = data_in(html_page(sample.input));
  EXPECT_EQ(data["cases"]["row"].size(), 0u);
  EXPECT_EQ(data["sweeps"].size(), 2u);
}

TEST(Page, PathsOfAnyFormAreKept) {
  Report r;
  r.columns = {{"eager@2.11.0/cpu", "eager"}};
  r.cases = {{"alone", "alone"},       {"other/C1/f16-f32/3", "row"},
             {"row/C1/bf16", "row"},   {"row/f8e4m3fn/x", "row"},
             {"row/f99-f32/x", "row"}, {"row/", "row"}};
  for (const CaseInfo& c : r.cases) {
    CaseResult one;
    one.case_path = c.path;
    one.column = r.columns[0].name;
    r.results.push_back(one);
  }
  const GateDecision decision = decide(r);
  PageInput in;
  in.report = &r;
  in.decision = &decision;
  const ordered_json data = page_data(in);
  const char* dtypes[] = {"", "f16-f32", "bf16", "f8e4m3fn", "", ""};
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    if (r.cases[i].path != "row/") {
      EXPECT_EQ(path_of(data, i), r.cases[i].path);
    }
    EXPECT_EQ(text_of(data, data["cases"]["dtype"][i]), dtypes[i]) << i;
  }
}

TEST(Page, ProgramsAreSharedAndLongLinesCut) {
  SamplePage sample;
  make_sample(2000, &sample);
  const std::string long_line(100'000, 'x');
  sample.input.program_of = [&](const std::string&) {
    return "one\n" + long_line + "\ntwo\n";
  };
  const ordered_json data = page_data(sample.input);
  EXPECT_EQ(data["programs"].size(), 2u);  // none, and that one
  EXPECT_EQ(data["programs"][1].size(), 3u);
  EXPECT_LT(text_of(data, data["programs"][1][1]).size(), 500u);
}

}  // namespace
}  // namespace assay::harness
