// The built `assay` over shards: split, killed, completed, merged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "harness/testing/command.h"
#include "harness/testing/variable.h"

namespace assay::harness {
namespace {

using testing::CommandOptions;
using testing::CommandResult;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

class ShardCommands : public ::testing::Test {
 protected:
  ShardCommands() {
    dir_ = fs::path(::testing::TempDir()) / "shard_commands" /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    subject_ = script("--wrong 7 --crash 17 --pack");
  }
  ~ShardCommands() override { fs::remove_all(dir_); }

  std::string script(const std::string& arguments) const {
    const fs::path file = dir_ / "subject";
    std::ofstream(file) << "#!/bin/sh\nexec " ASSAY_BINARY_DIR
                           "/bin/negation_worker "
                        << arguments << " \"$@\"\n";
    ::chmod(file.c_str(), 0700);
    return "worker:" + file.string();
  }

  CommandResult assay(std::vector<std::string> words,
                      CommandOptions options = {}) const {
    words.insert(words.begin(), ASSAY_BINARY_DIR "/bin/assay");
    options.directory = dir_;
    return run_command(words, options);
  }
  CommandResult run(const std::string& out, std::vector<std::string> more = {},
                    const CommandOptions& options = {}) const {
    std::vector<std::string> words = {
        "run", "--specs", specs(), "--subject", subject_, "--out",
        out,   "--jobs",  "1",     "--profile", "full"};
    words.insert(words.end(), more.begin(), more.end());
    return assay(words, options);
  }
  CommandResult shard(int i, int n, const CommandOptions& options = {}) const {
    return run(folder(i), {"--shard", fmt_shard(i, n)}, options);
  }
  CommandResult merge(int n, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"merge", "--specs", specs(), "--out",
                                      "merged"};
    for (int i = 1; i <= n; ++i) words.push_back(folder(i));
    words.insert(words.end(), more.begin(), more.end());
    return assay(words);
  }
  static std::string specs() {
    return ASSAY_SOURCE_DIR "/harness/testing/specs";
  }
  static std::string fmt_shard(int i, int n) {
    return std::to_string(i) + "/" + std::to_string(n);
  }
  static std::string folder(int i) { return "s" + std::to_string(i); }

  // results.jsonl without what differs from run to run.
  std::string timeless(const std::string& out) const {
    std::istringstream lines(slurp(dir_ / out / "results.jsonl"));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      auto j = nlohmann::ordered_json::parse(line);
      for (const char* field : {"seconds", "seal", "started", "jobs"}) {
        j.erase(field);
      }
      text += j.dump() + "\n";
    }
    return text;
  }

  fs::path dir_;
  std::string subject_;
};

TEST_F(ShardCommands, BadUsageIsAMessageAndExit2) {
  struct Row {
    std::vector<std::string> words;
    const char* message;
  };
  const Row rows[] = {
      {{"--shard", "0/8"}, "--shard: '0/8': shards count from 1 to 8"},
      {{"--shard", "9/8"}, "--shard: '9/8': shards count from 1 to 8"},
      {{"--shard", "x/y"}, "'x/y' is no shard: expected I/N"},
      {{"--shard", "1/0"}, "there can be 1 to 10000 shards"},
      {{"--shard", "1/2", "--baseline", "b"}, "--baseline judges whole runs"},
  };
  for (const Row& row : rows) {
    const CommandResult r = run("out", row.words);
    EXPECT_EQ(r.exit_code, 2) << row.message;
    EXPECT_THAT(r.err, HasSubstr(row.message));
    EXPECT_FALSE(fs::exists(dir_ / "out"));
  }
  EXPECT_EQ(assay({"merge", "a"}).exit_code, 2);
  EXPECT_EQ(assay({"merge", "--out", "merged"}).exit_code, 2);
  const Variable limit("ASSAY_GOLDENS_LIMIT", "plenty");
  const CommandResult r = run("out");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("ASSAY_GOLDENS_LIMIT is 'plenty'"));
}

TEST_F(ShardCommands, TogetherEqualTheWholeRun) {
  const CommandResult whole = run("whole", {"--record", "whole.jsonl"});
  EXPECT_EQ(whole.exit_code, 1) << whole.err;
  for (int i = 1; i <= 3; ++i) {
    const CommandResult r =
        run(folder(i), {"--shard", fmt_shard(i, 3), "--record",
                        folder(i) + "/recording.jsonl"});
    EXPECT_LE(r.exit_code, 1) << r.err;
    EXPECT_THAT(r.out, HasSubstr(", SHARD " + fmt_shard(i, 3)));
    EXPECT_THAT(r.out, HasSubstr("This was shard " + fmt_shard(i, 3)));
    EXPECT_THAT(r.out, EndsWith("`./assay merge` judges the whole.\n"));
  }
  const CommandResult r = merge(3, {"--junit", "r.xml"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_EQ(r.out, whole.out);
  EXPECT_EQ(timeless("merged"), timeless("whole"));
  EXPECT_THAT(slurp(dir_ / "r.xml"), HasSubstr("<testsuite"));
  const CommandResult judged =
      assay({"judge", "--specs", specs(), "merged/recording.jsonl"});
  EXPECT_EQ(judged.out, whole.out) << judged.err;
  // Nothing is merged over.
  EXPECT_EQ(merge(3).exit_code, 2);
  // A whole run is no shard.
  const CommandResult none =
      assay({"merge", "--specs", specs(), "--out", "again", "whole"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("no results of a shard"));
}

// The text between two others.
std::string between(const std::string& text, const std::string& from,
                    const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

// What is missing comes before what is partial.
TEST_F(ShardCommands, WhatIsMissingIsNamedWithTheCommandThatCompletesIt) {
  script("--wrong 7 --slow 60");
  run("whole");
  // The dearest piece, of all cases that return, is that of the first shard.
  CommandOptions interrupt;
  interrupt.watched = dir_ / folder(1) / "results.jsonl";
  interrupt.interrupt_after_lines = 3;
  EXPECT_EQ(shard(1, 3, interrupt).exit_code, 3);
  shard(2, 3);
  for (int round = 0; round < 2; ++round) {
    const CommandResult r = merge(3);
    EXPECT_EQ(r.exit_code, 3) << r.err;
    EXPECT_FALSE(fs::exists(dir_ / "merged" / "results.jsonl"));
    EXPECT_THAT(r.err, HasSubstr(round == 0 ? "shard 3/3 is missing"
                                            : "s1 (shard 1/3) lacks "));
    // Of the first of them.
    const std::string command = between(r.err, "assay:   ./assay ", "\n");
    EXPECT_THAT(command,
                HasSubstr("--resume --out " + folder(round == 0 ? 3 : 1)));
    const CommandResult done =
        run_command({"/bin/sh", "-c",
                     "cd '" + dir_.string() +
                         "' && " ASSAY_BINARY_DIR "/bin/assay " + command},
                    {});
    EXPECT_LE(done.exit_code, 1) << done.err;
  }
  EXPECT_EQ(merge(3).exit_code, 1);
  EXPECT_EQ(timeless("merged"), timeless("whole"));
}

TEST_F(ShardCommands, AShardIsResumedAsItselfAlone) {
  shard(1, 3);
  const std::string before = slurp(dir_ / folder(1) / "results.jsonl");
  for (const char* other : {"2/3", "1/4"}) {
    const CommandResult r = run(folder(1), {"--resume", "--shard", other});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr("shard was "));
  }
  const CommandResult whole = run(folder(1), {"--resume"});
  EXPECT_EQ(whole.exit_code, 2);
  EXPECT_THAT(whole.err, HasSubstr("shard was "));
  EXPECT_EQ(slurp(dir_ / folder(1) / "results.jsonl"), before);
}

TEST_F(ShardCommands, BaselinesAreOfWholeRuns) {
  shard(1, 2);
  shard(2, 2);
  const CommandResult part =
      assay({"baseline", "make", "s1/results.jsonl", "--out", "b.jsonl"});
  EXPECT_EQ(part.exit_code, 2);
  EXPECT_THAT(part.err, HasSubstr("is shard 1/2 of a run"));
  EXPECT_EQ(merge(2).exit_code, 1);
  EXPECT_EQ(
      assay({"baseline", "make", "merged/results.jsonl", "--out", "b.jsonl"})
          .exit_code,
      0);
  fs::remove_all(dir_ / "merged");
  const CommandResult gated = merge(2, {"--baseline", "b.jsonl"});
  EXPECT_EQ(gated.exit_code, 0) << gated.out << gated.err;
}

// A recording that a killed run left is gone on with.
TEST_F(ShardCommands, ARecordingIsResumed) {
  script("--wrong 7 --slow 40");
  run("whole", {"--record", "whole.jsonl"});
  CommandOptions interrupt;
  interrupt.watched = dir_ / "out" / "recording.jsonl";
  interrupt.interrupt_after_lines = 6;
  const std::vector<std::string> more = {"--resume", "--record",
                                         "out/recording.jsonl"};
  EXPECT_EQ(run("out", more, interrupt).exit_code, 3);
  const std::string half = slurp(dir_ / "out" / "recording.jsonl");
  // As if it had been killed in the middle of a line, and of another.
  std::ofstream(dir_ / "out" / "recording.jsonl")
      << half.substr(0, half.size() - 20);
  const CommandResult done = run("out", more);
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_EQ(timeless("out"), timeless("whole"));
  const auto judged = [&](const std::string& file) {
    return assay({"judge", "--specs", specs(), file}).out;
  };
  EXPECT_EQ(judged("out/recording.jsonl"), judged("whole.jsonl"));
  const CommandResult other =
      run("fresh", {"--resume", "--strict", "--record", "out/recording.jsonl"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("cannot be gone on with: numerics was"));
}

TEST_F(ShardCommands, CostsAreRecordedFromRuns) {
  run("whole");
  const auto costs = [this](const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "costs", "whole/results.jsonl", "--specs", specs(), "--out", "c.json"};
    words.insert(words.end(), more.begin(), more.end());
    return assay(words);
  };
  EXPECT_EQ(costs({"--no-goldens"}).exit_code, 0);
  auto j = nlohmann::json::parse(slurp(dir_ / "c.json"));
  EXPECT_EQ(j["kinds"], (std::vector<std::string>{"golden", "negation/cpu"}));
  EXPECT_TRUE(j["rows"]["neg"][0].is_null());
  EXPECT_GT(j["rows"]["neg"][1].get<double>(), 0);
  const CommandResult r = costs({});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("c.json: 1 rows, 0 dear goldens"));
  j = nlohmann::json::parse(slurp(dir_ / "c.json"));
  const double golden = j["rows"]["neg"][0].get<double>();
  EXPECT_GT(golden, 0);
  EXPECT_LT(golden, 0.25);
  // What is not measured again stays.
  EXPECT_EQ(costs({"--no-goldens"}).exit_code, 0);
  j = nlohmann::json::parse(slurp(dir_ / "c.json"));
  EXPECT_EQ(j["rows"]["neg"][0].get<double>(), golden);
  std::ofstream(dir_ / "c.json") << "{}";
  const CommandResult wrong = costs({"--no-goldens"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("is no table of costs"));
}

// A golden that takes a third of a second is read the next time, whoever asks.
TEST_F(ShardCommands, DearGoldensAreShared) {
  const Variable goldens("ASSAY_GOLDENS", (dir_ / "goldens").string());
  const auto run_it = [&](const std::string& out) {
    return assay({"run", "sum/C10/bf16/1048579", "--subject", subject_, "--out",
                  out, "--profile", "full", "--verbose"})
        .err;
  };
  EXPECT_THAT(run_it("a"),
              HasSubstr("goldens: 0 read from " + (dir_ / "goldens").string() +
                        ", 1 worked out, 1 kept"));
  EXPECT_THAT(run_it("b"), HasSubstr("goldens: 1 read"));
  EXPECT_THAT(run("c", {"--verbose", "--no-golden-cache"}).err,
              ::testing::Not(HasSubstr("goldens: ")));
}

}  // namespace
}  // namespace assay::harness
