// The built `assay fmt`: which files it takes, what it writes and says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::CommandOptions;
using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

constexpr const char* kUgly = "op:   x\nlet: {a:   1}  # why\n";
constexpr const char* kPretty = "op: x\nlet: {a: 1}  # why\n";

class Fmt : public ::testing::Test {
 protected:
  Fmt() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::path(::testing::TempDir()) / "fmt" / info->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_ / "ops");
  }
  ~Fmt() override { fs::remove_all(dir_); }

  fs::path write(const std::string& name, const std::string& text) {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return dir_ / name;
  }
  CommandResult assay_fmt(std::vector<std::string> words,
                          const CommandOptions& options = {}) {
    words.insert(words.begin(), {ASSAY_BINARY_DIR "/bin/assay", "fmt"});
    return run_command(words, options);
  }
  // Of the whole folder, as of specs/.
  CommandResult on_all(std::vector<std::string> words = {}) {
    words.insert(words.end(), {"--specs", dir_.string()});
    return assay_fmt(words);
  }

  fs::path dir_;
};

TEST_F(Fmt, OurSpecsAreFormatted) {
  const CommandResult r = assay_fmt({"--check"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("0 of "));
}

TEST_F(Fmt, WritesWhatDiffersAndNamesIt) {
  const fs::path ugly = write("ops/a/ugly.yaml", kUgly);
  const fs::path pretty = write("shared/lets.yaml", kPretty);
  const auto before = fs::last_write_time(pretty);
  const CommandResult r = on_all();
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, ugly.string() + "\n1 of 2 files changed\n");
  EXPECT_EQ(slurp(ugly), kPretty);
  EXPECT_EQ(fs::last_write_time(pretty), before);
  EXPECT_EQ(on_all().out, "0 of 2 files changed\n");
}

TEST_F(Fmt, CheckChangesNothingAndExits1) {
  const fs::path ugly = write("ops/ugly.yaml", kUgly);
  const CommandResult r = on_all({"--check"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out,
              HasSubstr(ugly.string() + "\n1 of 1 file would be changed"));
  EXPECT_EQ(slurp(ugly), kUgly);
}

TEST_F(Fmt, AFaultIsNamedAndTheOthersGoOn) {
  write("ops/bad.yaml", "op: [1\n");
  write("ops/carriage.yaml", "op: 1\r\n");
  write("ops/empty.yaml", "");
  fs::create_symlink("nowhere", dir_ / "ops/lost.yaml");
  const fs::path ugly = write("ops/ugly.yaml", kUgly);
  for (const char* flag : {"--check", ""}) {
    const CommandResult r = on_all(*flag ? std::vector<std::string>{flag}
                                         : std::vector<std::string>{});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr("ops/bad.yaml:2:1: not valid YAML"));
    EXPECT_THAT(r.err, HasSubstr("ops/carriage.yaml:1:6: found a carriage"));
    EXPECT_THAT(r.err, HasSubstr("ops/empty.yaml:1:1: the file is empty"));
    EXPECT_THAT(r.err, HasSubstr("ops/lost.yaml: No such file"));
    EXPECT_THAT(r.out, HasSubstr("1 of 5 files"));
  }
  EXPECT_EQ(slurp(ugly), kPretty);
  EXPECT_EQ(slurp(dir_ / "ops/bad.yaml"), "op: [1\n");
}

TEST_F(Fmt, LeavesAloneWhatCommandsWrite) {
  for (const char* name : {"boundaries.yaml", "schemas/torch-2.11.yaml",
                           "ops/.hidden.yaml", "ops/note.md"}) {
    write(name, kUgly);
  }
  EXPECT_EQ(on_all().out, "0 of 0 files changed\n");
  // Unless it is named.
  EXPECT_THAT(assay_fmt({(dir_ / "boundaries.yaml").string()}).out,
              HasSubstr("1 of 1 file changed"));
}

TEST_F(Fmt, TakesFilesAndFoldersOnce) {
  const fs::path ugly = write("ops/ugly.yaml", kUgly);
  const fs::path link = dir_ / "ops/link.yaml";
  fs::create_symlink("ugly.yaml", link);
  EXPECT_EQ(assay_fmt({link.string()}).exit_code, 0);
  EXPECT_EQ(slurp(ugly), kPretty);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(assay_fmt({ugly.string(), dir_.string(), ugly.string()}).out,
            "0 of 2 files changed\n");
  const CommandResult r = assay_fmt({(dir_ / "none").string()});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("none: there is no such file or folder"));
}

TEST_F(Fmt, AFullDiskKeepsTheFile) {
  const std::string text = "a:  1\n# " + std::string(5000, 'c') + "\n";
  const fs::path file = write("ops/a.yaml", text);
  CommandOptions full;
  full.file_limit = 1000;
  const CommandResult r = assay_fmt({file.string()}, full);
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("ops/a.yaml: File too large"));
  EXPECT_EQ(slurp(file), text);
  EXPECT_FALSE(fs::exists(file.string() + ".tmp"));
}

}  // namespace
}  // namespace assay::harness
