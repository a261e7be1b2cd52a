// assay history on eager, in the release that is installed and in one that no
// environment is pinned for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using nlohmann::json;
using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

// Eager returns for a dimension of nothing that is out of range.
constexpr const char* kBroken = "cummax/E1/f32/0/dim=2";
constexpr const char* kSound = "add/C1/f32/129";

class History : public ::testing::Test {
 protected:
  History() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    out_ = fs::path(::testing::TempDir()) / "history" / info->name();
    fs::remove_all(out_);
  }
  ~History() override { fs::remove_all(out_); }

  static CommandResult history(std::vector<std::string> words) {
    words.insert(words.begin(), {ASSAY_BINARY_DIR "/bin/assay", "history"});
    return run_command(words, {});
  }

  fs::path out_;
};

TEST_F(History, TellsWhatWasJudgedFromWhatWasNotRun) {
  const std::vector<std::string> words = {
      kBroken,       kSound,       "--subject",
      "torch:eager", "--versions", "9.9.9," ASSAY_TORCH_VERSION,
      "--out",       out_.string()};
  const CommandResult r = history(words);
  // A release that nobody could ask leaves the history incomplete.
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_THAT(r.err, HasSubstr("no pinned environment for torch 9.9.9"));
  EXPECT_THAT(r.out, HasSubstr("9.9.9 was not run"));
  std::map<std::string, std::map<std::string, std::string>> status;
  std::istringstream lines(slurp(out_ / "history.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line);
    status[record["column"]][record["case"]] = record["status"];
  }
  ASSERT_EQ(status.size(), 2U);
  for (const auto& [column, cases] : status) {
    const bool is_absent = column.find("9.9.9") != std::string::npos;
    EXPECT_EQ(cases.at(kBroken), is_absent ? "not_run" : "fail") << column;
    EXPECT_EQ(cases.at(kSound), is_absent ? "not_run" : "pass") << column;
  }
  const std::string table = slurp(out_ / "history.md");
  EXPECT_THAT(table, HasSubstr(kBroken));
  EXPECT_LT(table.find(ASSAY_TORCH_VERSION), table.find("9.9.9"))
      << "releases stand in the order in which they came out\n"
      << table;

  const CommandResult again = history(words);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("holds an earlier history"));
}

TEST_F(History, RefusesWhatHasNoReleases) {
  struct Wrong {
    std::vector<std::string> words;
    const char* says;
  };
  for (const Wrong& w :
       {Wrong{{kSound, "--subject", "bundled"}, "no backend of torch.compile"},
        Wrong{{kSound, "--subject", "torch:eager@2.11.0"}, "without a version"},
        Wrong{{kSound, "--versions", "latest"}, "'latest' is no version"},
        Wrong{{"no_such_case"}, "matches no case"}}) {
    const CommandResult r = history(w.words);
    EXPECT_EQ(r.exit_code, 2) << w.says;
    EXPECT_THAT(r.err, HasSubstr(w.says));
  }
}

}  // namespace
}  // namespace assay::harness
