// docs/vendor.md, followed to the letter: its shell blocks one after the other
// in one shell, from an empty folder. A block that is followed by a block of
// output must print these lines in this order; "..." stands for any text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <regex>

#include "core/glob.h"
#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

struct Step {
  std::string commands;
  std::vector<std::string> shown;  // lines of output
};

// "```sh" begins a step, "```text" what it prints.
std::vector<Step> steps_of(const fs::path& file) {
  std::vector<Step> out;
  std::istringstream lines(slurp(file));
  enum { kProse, kCommands, kOutput, kOther } in = kProse;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```") && in != kProse) {
      in = kProse;
    } else if (line == "```sh") {
      in = kCommands;
      out.emplace_back();
    } else if (line == "```text") {
      in = kOutput;
    } else if (line.starts_with("```")) {
      in = kOther;
    } else if (in == kCommands) {
      out.back().commands += line + "\n";
    } else if (in == kOutput) {
      out.back().shown.push_back(line);
    }
  }
  return out;
}

std::string pattern_of(const std::string& shown) {
  return std::regex_replace(shown, std::regex("\\.\\.\\."), "*");
}

// The first of the lines shown that `output` lacks; empty where it has all.
std::string missing_line(const Step& step, const std::string& output) {
  std::istringstream lines(output);
  std::string line;
  for (const std::string& shown : step.shown) {
    bool found = shown == "...";
    while (!found && std::getline(lines, line)) {
      found = glob(line, pattern_of(shown));
    }
    if (!found) return shown;
  }
  return {};
}

void write_program(const fs::path& file, const std::string& script) {
  std::ofstream(file) << "#!/bin/sh\n" << script;
  ::chmod(file.c_str(), 0700);
}

// A clone as the document has it, made of this build: the launcher itself
// would build what it thinks is missing.
fs::path make_clone(const fs::path& dir) {
  const fs::path clone = dir / "clone";
  fs::create_directories(clone / "build");
  fs::create_symlink(ASSAY_BINARY_DIR, clone / "build" / "dev-2.11.0");
  fs::create_symlink(ASSAY_SOURCE_DIR "/examples", clone / "examples");
  write_program(clone / "assay",
                "export ASSAY_HOME=" ASSAY_SOURCE_DIR
                " ASSAY_BUILD=" ASSAY_BINARY_DIR " ASSAY_OUT=" +
                    (dir / "out").string() +
                    "\nexec " ASSAY_BINARY_DIR "/bin/assay \"$@\"\n");
  return clone;
}

TEST(VendorsGuide, LeadsFromAnEmptyFolderToACertificate) {
  const std::vector<Step> steps = steps_of(ASSAY_SOURCE_DIR "/docs/vendor.md");
  ASSERT_GE(steps.size(), 8u);
  const fs::path dir = fs::path(::testing::TempDir()) / "vendors_guide";
  fs::remove_all(dir);
  fs::create_directories(dir / "work");
  const fs::path clone = make_clone(dir);

  // Steps share one shell, which ends where a command fails. What a step prints
  // goes to a file of its own.
  std::string script = "set -e\nASSAY='" + clone.string() + "'\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    script +=
        "exec >../step" + std::to_string(i) + " 2>&1\n" + steps[i].commands;
  }
  testing::CommandOptions options;
  options.directory = dir / "work";
  const auto r = run_command({"/bin/sh", "-c", script}, options);
  EXPECT_EQ(r.exit_code, 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const fs::path printed = dir / ("step" + std::to_string(i));
    ASSERT_TRUE(fs::exists(printed)) << "not reached: " << steps[i].commands;
    const std::string output = slurp(printed);
    EXPECT_EQ(missing_line(steps[i], output), "")
        << steps[i].commands << "prints\n"
        << output;
  }
  fs::remove_all(dir);
}

TEST(VendorsGuide, IsReadAsItStands) {
  const fs::path file = fs::path(::testing::TempDir()) / "guide.md";
  std::ofstream(file) << "Text.\n```sh\na\nb\n```\n```text\none ... two\n...\n"
                         "three\n```\n```\nother\n```\n";
  const std::vector<Step> steps = steps_of(file);
  fs::remove(file);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].commands, "a\nb\n");
  EXPECT_EQ(missing_line(steps[0], "zero\none and two\nthree\n"), "");
  EXPECT_EQ(missing_line(steps[0], "three\none and two\n"), "three");
  EXPECT_EQ(missing_line(steps[0], "one and three\n"), "one ... two");
}

}  // namespace
}  // namespace assay::harness
