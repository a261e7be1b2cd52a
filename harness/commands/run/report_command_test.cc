// assay report: recorded runs in every form, and folders that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/report/testing/page_records.h"
#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::page_records;
using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

constexpr const char* kSpecs = ASSAY_SOURCE_DIR "/harness/testing/specs";

class ReportCommand : public ::testing::Test {
 protected:
  ReportCommand() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::path(::testing::TempDir()) / "report" / info->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~ReportCommand() override { fs::remove_all(dir_); }

  CommandResult assay(std::vector<std::string> words) {
    words.insert(words.begin(), ASSAY_BINARY_DIR "/bin/assay");
    words.insert(words.begin() + 2, {"--specs", kSpecs});
    return run_command(words, {});
  }
  // A run of all test cases into the folder, by a subject with these arguments.
  CommandResult run(const std::string& folder, const std::string& arguments,
                    std::vector<std::string> more = {}) {
    const fs::path file = dir_ / ("subject-" + folder);
    std::ofstream(file) << "#!/bin/sh\nexec " ASSAY_BINARY_DIR
                           "/bin/negation_worker "
                        << arguments << " \"$@\"\n";
    ::chmod(file.c_str(), 0700);
    more.insert(more.begin(), {"run", "--subject", "worker:" + file.string(),
                               "--profile", "full", "--out", path(folder)});
    return assay(more);
  }
  std::string path(const std::string& name) const {
    return (dir_ / name).string();
  }
  // A file without sums of seconds, which records round to microseconds.
  static std::string timeless(const std::string& file) {
    return std::regex_replace(slurp(file), std::regex(" time=\"[0-9.]*\""), "");
  }
  // Replaces the lines of a results file.
  void edit(const std::string& folder,
            const std::function<void(std::vector<std::string>*)>& change) {
    const fs::path file = dir_ / folder / "results.jsonl";
    std::istringstream in(slurp(file));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    change(&lines);
    std::ofstream out(file);
    for (const std::string& line : lines) out << line << "\n";
  }

  fs::path dir_;
};

TEST_F(ReportCommand, SaysWhatTheRunSaid) {
  for (const std::string arguments : {"", "--wrong 7"}) {
    const std::string folder = arguments.empty() ? "good" : "bad";
    const CommandResult ran =
        run(folder, arguments,
            {"--junit", path("1.xml"), "--markdown", path("1.md"), "--summary",
             path("1.txt"), "--html", path("1.html"), "--json"});
    const CommandResult reported =
        assay({"report", path(folder), "--junit", path("2.xml"), "--markdown",
               path("2.md"), "--summary", path("2.txt"), "--html",
               path("2.html"), "--json", path("2.json")});
    EXPECT_EQ(reported.exit_code, ran.exit_code);
    EXPECT_EQ(ran.exit_code, arguments.empty() ? 0 : 1) << ran.err;
    EXPECT_EQ(reported.out, "");
    EXPECT_EQ(reported.err, "");
    for (const char* form : {"xml", "md", "txt", "html"}) {
      const std::string first = timeless(path(std::string("1.") + form));
      EXPECT_TRUE(timeless(path(std::string("2.") + form)) == first) << form;
      EXPECT_THAT(form == std::string("html") ? page_records(first) : first,
                  HasSubstr("negation"));
    }
    EXPECT_TRUE(slurp(path("2.json")) == ran.out);
    const CommandResult shown = assay({"report", path(folder)});
    EXPECT_TRUE(shown.out == slurp(dir_ / folder / "report.txt")) << shown.out;
    EXPECT_EQ(shown.exit_code, ran.exit_code);
  }
}

TEST_F(ReportCommand, FilesAloneLeaveTheTerminalQuiet) {
  run("good", "");
  const std::string page = path("page.html");
  EXPECT_EQ(assay({"report", path("good"), "--html", page}).out, "");
  EXPECT_THAT(assay({"report", path("good"), "--html", page, "--terminal"}).out,
              HasSubstr("exit 0: conforms"));
}

TEST_F(ReportCommand, RunsStandSideBySide) {
  run("good", "");
  run("bad", "--wrong 7");
  const CommandResult r =
      assay({"report", path("good"), path("bad"), "--json", path("all.json")});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const auto all = nlohmann::json::parse(slurp(path("all.json")));
  ASSERT_EQ(all["columns"].size(), 2u);
  EXPECT_EQ(all["columns"][0]["name"], "negation@1/cpu");
  EXPECT_EQ(all["columns"][1]["name"], "negation@1/cpu [bad]");
  EXPECT_EQ(all["rows"][0]["cells"][0]["status"], "pass");
  EXPECT_EQ(all["rows"][0]["cells"][1]["status"], "fail");
  EXPECT_TRUE(all["complete"]);
  // A results file stands for its folder, and the order is that given.
  const CommandResult other = assay(
      {"report", path("bad") + "/results.jsonl", path("good"), "--terminal"});
  EXPECT_THAT(other.out, HasSubstr("[good]"));
  // The same folder twice is two columns, too.
  const CommandResult twice =
      assay({"report", path("good"), path("good"), path("good")});
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_THAT(twice.out, HasSubstr("[good"));
}

TEST_F(ReportCommand, OtherNumericsAreAnotherReport) {
  run("fused", "");
  run("strict", "", {"--strict"});
  const CommandResult r = assay({"report", path("fused"), path("strict")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("make a report of each"));
}

TEST_F(ReportCommand, AnUnfinishedRunIsIncomplete) {
  run("good", "");
  edit("good", [](std::vector<std::string>* lines) {
    lines->resize(3);
    lines->back().resize(20);  // torn
  });
  const CommandResult r =
      assay({"report", path("good"), "--summary", path("summary.md"), "--html",
             path("page.html"), "--terminal"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.out, HasSubstr("INCOMPLETE"));
  EXPECT_THAT(slurp(path("summary.md")), HasSubstr("results are missing"));
  EXPECT_THAT(slurp(path("page.html")), HasSubstr("INCOMPLETE"));
}

// The specs moved on: what was recorded is shown, and said to be older.
TEST_F(ReportCommand, RunsOfOtherSpecsAreShown) {
  run("good", "");
  edit("good", [](std::vector<std::string>* lines) {
    auto header = nlohmann::ordered_json::parse(lines->front());
    header["spec_hash"] = "0000000000000000";
    lines->front() = header.dump();
  });
  const CommandResult r = assay({"report", path("good")});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("other specs than those here"));
  assay({"report", path("good"), "--html", path("page.html")});
  EXPECT_THAT(page_records(slurp(path("page.html"))),
              HasSubstr("\"other_specs\":true"));
}

TEST_F(ReportCommand, WhatIsNoRunIsRefused) {
  run("good", "");
  fs::create_directories(dir_ / "empty");
  fs::create_directories(dir_ / "blank");
  std::ofstream(dir_ / "blank" / "results.jsonl").flush();
  fs::create_directories(dir_ / "alien");
  std::ofstream(dir_ / "alien" / "results.jsonl") << "{\"a\": 1}\n{}\n";
  fs::create_directories(dir_ / "torn");
  std::ofstream(dir_ / "torn" / "a.jsonl")
      << "{\"assay_sweep\": 1, \"sweep\": \"exp/f32\"}\n{\"part\": 0}\n{}\n";
  for (const std::string change : {"edited", "foreign", "half"}) {
    fs::create_directories(dir_ / change);
    fs::copy_file(dir_ / "good" / "results.jsonl",
                  dir_ / change / "results.jsonl");
  }
  edit("edited", [](std::vector<std::string>* lines) {
    std::string& line = lines->at(1);
    line.replace(line.find("\"pass\""), 6, "\"fail\"");
  });
  edit("foreign", [](std::vector<std::string>* lines) {
    auto header = nlohmann::ordered_json::parse(lines->front());
    header["columns"][0]["column"] = "other@1/cpu";
    lines->front() = header.dump();
  });
  edit("half", [](std::vector<std::string>* lines) {
    auto header = nlohmann::ordered_json::parse(lines->front());
    header.erase("numerics");
    lines->front() = header.dump();
  });
  const std::pair<const char*, const char*> rows[] = {
      {"none", "there is no folder"},
      {"empty", "neither results.jsonl nor records of sweeps"},
      {"blank", "it has no whole line"},
      {"alien", "this is no results file"},
      {"torn", "a.jsonl"},
      {"edited", "was changed after it was written"},
      {"foreign", "a column that the header does not name"},
      {"half", "its header is not whole"}};
  for (const auto& [folder, message] : rows) {
    const CommandResult r =
        assay({"report", path(folder), "--html", path("page.html")});
    EXPECT_EQ(r.exit_code, 2) << folder;
    EXPECT_THAT(r.err, HasSubstr(message)) << folder;
    EXPECT_THAT(r.err, HasSubstr(folder));
    EXPECT_FALSE(fs::exists(path("page.html"))) << folder;
  }
}

TEST_F(ReportCommand, FilesThatCannotBeWrittenAreSaidSo) {
  run("good", "");
  const CommandResult r = assay(
      {"report", path("good"), "--html", path("no/such/folder/page.html")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("no/such/folder"));
  // Full while it writes.
  const CommandResult full =
      assay({"report", path("good"), "--html", "/dev/full"});
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_THAT(full.err, HasSubstr("/dev/full"));
}

}  // namespace
}  // namespace assay::harness
