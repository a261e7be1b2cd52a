// The commands of docs/ci.md, run as they stand there, one after the other,
// each shard's four times, on specs and a subject that take no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <regex>

#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

constexpr int kShards = 4;  // of the recipes

std::vector<std::string> code_blocks(const fs::path& file) {
  std::vector<std::string> out;
  std::istringstream lines(slurp(file));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) out.emplace_back();
    } else if (inside) {
      out.back() += line + "\n";
    }
  }
  return out;
}

// Lines that call `assay`, without what YAML has before them.
std::vector<std::string> commands_of(const std::string& block) {
  std::vector<std::string> out;
  std::istringstream lines(block);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("./assay ");
    if (at != std::string::npos) out.push_back(line.substr(at));
  }
  return out;
}

class CiRecipes : public ::testing::Test {
 protected:
  CiRecipes() : dir_(fs::path(::testing::TempDir()) / "ci_recipes") {
    fs::remove_all(dir_);
    fs::create_directories(dir_ / "bundle");
    write(dir_ / "subject",
          "exec " ASSAY_BINARY_DIR "/bin/negation_worker \"$@\"\n");
    const std::string specs =
        " --specs " ASSAY_SOURCE_DIR "/harness/testing/specs ";
    for (const fs::path& folder : {dir_, dir_ / "bundle"}) {
      write(folder / "assay",
            "word=$1; shift\ncase $word in\nbundle) : >\"$1\"; exit ;;\n"
            "run) set --" +
                specs + "--subject worker:" + (dir_ / "subject").string() +
                " \"$@\" ;;\nmerge) set --" + specs +
                "\"$@\" ;;\nsubmit) set --" + specs +
                "--dry-run \"$@\" ;;\nesac\n"
                "exec " ASSAY_BINARY_DIR "/bin/assay $word \"$@\"\n");
    }
  }
  ~CiRecipes() override { fs::remove_all(dir_); }

  static void write(const fs::path& file, const std::string& script) {
    std::ofstream(file) << "#!/bin/sh\n" << script;
    ::chmod(file.c_str(), 0700);
  }

  void run(const std::string& command, const fs::path& folder) {
    const bool each = command.find("$SHARD") != std::string::npos ||
                      command.find("$CI_NODE_INDEX") != std::string::npos;
    for (int i = 1; i <= (each ? kShards : 1); ++i) {
      const std::string index = std::to_string(i);
      const auto r = run_command(
          {"/bin/sh", "-c",
           "cd '" + folder.string() + "' && SHARD=" + index +
               " CI_NODE_INDEX=" + index +
               " CI_NODE_TOTAL=" + std::to_string(kShards) + "\n" +
               std::regex_replace(command, std::regex("/shared/run"),
                                  (dir_ / "submitted").string())},
          {});
      EXPECT_EQ(r.exit_code, 0) << command << "\n" << r.out << r.err;
    }
    // What the CI system hands on from job to job.
    const fs::path made = dir_ / "bundle" / "shards";
    if (folder == dir_ / "bundle" && fs::exists(made)) {
      fs::rename(made, dir_ / "shards");
    }
  }

  fs::path dir_;
};

TEST_F(CiRecipes, Run) {
  std::size_t count = 0;
  for (const std::string& block : code_blocks(ASSAY_SOURCE_DIR "/docs/ci.md")) {
    const bool yaml = block.find(":\n") != std::string::npos;
    if (yaml) {
      // A job begins with a checkout, which has the baseline.
      for (const char* left : {"shards", "whole", "bundle/whole"}) {
        fs::remove_all(dir_ / left);
      }
    }
    for (const std::string& command : commands_of(block)) {
      run(command, yaml ? dir_ / "bundle" : dir_);
      ++count;
    }
    if (yaml) {
      EXPECT_TRUE(fs::exists(dir_ / "bundle" / "whole" / "results.jsonl"));
      EXPECT_TRUE(fs::exists(dir_ / "report.xml"));
    }
  }
  EXPECT_GE(count, 14u);
  EXPECT_TRUE(fs::exists(dir_ / "gated" / "results.jsonl"));
  EXPECT_TRUE(fs::exists(dir_ / "submitted" / "merge.sh"));
}

}  // namespace
}  // namespace assay::harness
