// The bundle: made of this build, unpacked elsewhere, used with nothing of this
// tree in sight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "harness/subject/places.h"
#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::CommandOptions;
using testing::CommandResult;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

CommandResult make_bundle(const fs::path& file, CommandOptions options = {}) {
  return run_command(
      {ASSAY_SOURCE_DIR "/tools/bundle.sh", ASSAY_BINARY_DIR, file.string()},
      options);
}

class Bundle : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = fs::path(::testing::TempDir()) / "assay_bundle_test";
    fs::remove_all(dir_);
    fs::create_directories(dir_ / "home");
    const CommandResult made = make_bundle(archive());
    ASSERT_EQ(made.exit_code, 0) << made.err;
    ASSERT_EQ(run_command({"/usr/bin/tar", "--zstd", "-xf", archive(), "-C",
                           dir_.string()},
                          {})
                  .exit_code,
              0);
    for (const auto& e : fs::directory_iterator(dir_)) {
      if (fs::exists(e.path() / "bundle.txt")) root_ = e.path();
    }
    ASSERT_FALSE(root_.empty());
    // That of the build, which must be named, or else is out of bounds.
    if (const auto python = find_python("", "")) python_ = *python;
  }
  static void TearDownTestSuite() { fs::remove_all(dir_); }
  static std::string archive() { return (dir_ / "assay.tar.zst").string(); }

  // As somebody else on another machine, but for the compilers.
  static CommandResult assay(std::vector<std::string> words,
                             const std::vector<std::string>& variables = {}) {
    std::vector<std::string> all = {"/usr/bin/env", "-i", "PATH=/usr/bin:/bin",
                                    "HOME=" + (dir_ / "home").string()};
    all.insert(all.end(), variables.begin(), variables.end());
    all.push_back((root_ / "assay").string());
    all.insert(all.end(), words.begin(), words.end());
    CommandOptions options;
    options.directory = dir_;
    return run_command(all, options);
  }
  static std::vector<std::string> with_torch() {
    return {"ASSAY_PYTHON=" + python_};
  }
  // A folder for PATH that has these programs of the system's alone.
  static std::string path_with(const std::vector<std::string>& programs) {
    const fs::path folder = dir_ / "path";
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const std::string& p : programs) {
      fs::create_symlink("/usr/bin/" + p, folder / p);
    }
    return "PATH=" + folder.string();
  }
  static std::map<std::string, nlohmann::json> columns_of(
      const CommandResult& selfcheck) {
    std::map<std::string, nlohmann::json> out;
    const auto j = nlohmann::json::parse(selfcheck.out, nullptr, false);
    if (!j.is_object()) return out;
    for (const auto& c : j["columns"]) out[c["subject"]] = c;
    return out;
  }

  static inline fs::path dir_, root_;
  static inline std::string python_;
};

const std::vector<std::string> kShell = {"env", "sh", "mkdir", "sha256sum"};
const std::vector<std::string> kCompiler = {"env", "sh", "mkdir", "sha256sum",
                                            "g++", "as", "ld"};

TEST_F(Bundle, IsSmallAndTheSameEachTime) {
  EXPECT_LT(fs::file_size(archive()), 40u << 20);
  const fs::path second = dir_ / "second.tar.zst";
  const CommandResult made = make_bundle(second);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(slurp(second) == slurp(archive()));
}

TEST_F(Bundle, NeverReplacesAFileNorLeavesHalfOfOne) {
  const CommandResult again = make_bundle(archive());
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
  const CommandResult nowhere = make_bundle(dir_ / "none" / "a.tar.zst");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("there is no folder"));
  EXPECT_THAT(make_bundle(dir_ / "a.zip").err, HasSubstr("must end in"));
  const fs::path full = dir_ / "full";
  fs::create_directories(full);
  CommandOptions little;
  little.file_limit = 9u << 20;  // of a library, before the archive
  const CommandResult torn = make_bundle(full / "a.tar.gz", little);
  EXPECT_EQ(torn.exit_code, 2) << torn.err;
  EXPECT_THAT(torn.err, HasSubstr("was not written"));
  EXPECT_TRUE(fs::is_empty(full));
  for (const auto& e : fs::directory_iterator(ASSAY_BINARY_DIR)) {
    EXPECT_NE(e.path().filename().string().rfind("bundle.", 0), 0u) << e.path();
  }
}

TEST_F(Bundle, NeedsNoLibraryThatItDoesNotHave) {
  for (const char* name : {"bin/assay", "bin/assay-plugin-worker",
                           "bin/assay-ptx-worker", "lib/assay_bundled.so"}) {
    const CommandResult r =
        run_command({"/usr/bin/ldd", (root_ / name).string()}, {});
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("/lib/x86_64") == std::string::npos) continue;
      EXPECT_THAT(line,
                  ContainsRegex("lib(c|m|gcc_s|stdc\\+\\+|fmt|pthread)\\.so"))
          << name;
      // Only what is loaded into the worker that has it already.
      if (std::string(name) != "lib/assay_bundled.so") {
        EXPECT_THAT(line, ::testing::Not(HasSubstr("libfmt"))) << name;
      }
    }
  }
}

TEST_F(Bundle, RunsBundledAndEager) {
  const CommandResult r = assay({"run", "abs", "bmm", "--subject", "bundled",
                                 "--subject", "eager", "--jobs", "2"},
                                with_torch());
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("eager@"));
  EXPECT_TRUE(fs::exists(root_ / "out" / "latest" / "results.jsonl"));
}

TEST_F(Bundle, AsksEagerThroughPythonWhereTorchIsAnother) {
  // The same torch, said to be of another release.
  const fs::path torch = dir_ / "other" / "torch";
  fs::create_directories(torch);
  const CommandResult found = run_command(
      {python_, "-c",
       "import importlib.util as u\n"
       "print(u.find_spec('torch').submodule_search_locations[0], end='')"},
      {});
  for (const auto& e : fs::directory_iterator(found.out)) {
    if (e.path().filename() == "version.py") continue;
    fs::create_symlink(e.path(), torch / e.path().filename());
  }
  std::string version = slurp(fs::path(found.out) / "version.py");
  const std::string own = eager_torch().built;
  for (std::size_t at; (at = version.find(own)) != std::string::npos;) {
    version.replace(at, own.size(), "2.10.9");
  }
  std::ofstream(torch / "version.py") << version;
  const CommandResult r =
      assay({"run", "abs", "--subject", "eager{isa=default}"},
            {with_torch()[0], "PYTHONPATH=" + (dir_ / "other").string()});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("torch-eager"));
  EXPECT_THAT(slurp(root_ / "out" / "latest" / "results.jsonl"),
              HasSubstr("torch-eager@2.10.9/cpu-default"));
}

TEST_F(Bundle, SelfcheckFindsWhatIsHere) {
  const CommandResult r = assay({"selfcheck", "--json"}, with_torch());
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  const auto columns = columns_of(r);
  ASSERT_TRUE(columns.contains("bundled")) << r.out;
  EXPECT_EQ(columns.at("bundled")["right"], 4);
  EXPECT_EQ(columns.at("eager{isa=default}")["right"], 4);
  EXPECT_EQ(columns.at("torch:inductor")["right"], 4);
  const CommandResult text = assay({"selfcheck"}, with_torch());
  EXPECT_LE(std::count(text.out.begin(), text.out.end(), '\n'), 40);
  EXPECT_THAT(text.out, HasSubstr("its files are as they were packed"));
}

TEST_F(Bundle, SelfcheckSaysWhatIsMissing) {
  const CommandResult r =
      assay({"selfcheck", "--json"}, {path_with(kCompiler)});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  auto columns = columns_of(r);
  EXPECT_EQ(columns["bundled"]["right"], 4) << r.out;
  EXPECT_EQ(columns["eager{isa=default}"]["runs"], false);
  EXPECT_THAT(columns["torch:inductor"]["reason"].dump(),
              HasSubstr("set ASSAY_PYTHON"));

  const CommandResult none = assay({"selfcheck"}, {path_with(kShell)});
  EXPECT_THAT(none.out, ContainsRegex("bundled/cpu[^\n]* cannot run: "
                                      "[^\n]*no C\\+\\+ compiler on PATH"));
  const CommandResult asked =
      assay({"run", "abs", "--subject", "eager"}, {path_with(kShell)});
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_THAT(asked.err, HasSubstr("no python3 on PATH has torch"));
}

TEST_F(Bundle, SelfcheckNoticesADamagedFile) {
  const fs::path file = root_ / "specs" / "contexts.yaml";
  const std::string before = slurp(file);
  std::ofstream(file) << before << "# changed\n";
  const CommandResult r = assay({"selfcheck"}, {path_with(kCompiler)});
  std::ofstream(file) << before;
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("NOT as they were packed"));
  EXPECT_THAT(r.out, HasSubstr("contexts.yaml"));
}

TEST_F(Bundle, BuildsAndInstallsNothing) {
  for (const char* command : {"env", "test", "bundle"}) {
    const CommandResult r = assay({command, "2.15.0"});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr("needs the source tree"));
  }
  const CommandResult r =
      assay({"run", "abs", "--subject", "torch:inductor@2.0.1"}, with_torch());
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("a bundle installs nothing"));
}

}  // namespace
}  // namespace assay::harness
