// The helper package for workers in Python: its own tests, and the worker of
// examples/ as the command line asks it, judged by the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/subject/places.h"
#include "harness/testing/command.h"
#include "harness/testing/variable.h"

namespace assay::harness {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Some python with numpy; the error says why there is none.
Result<std::string> python_with_numpy() {
  Result<std::string> python = find_python("", "");
  if (!python) return python;
  const CommandResult r =
      testing::run_command({*python, "-c", "import numpy"}, {});
  if (r.exit_code != 0) return Error{*python + " has no numpy: " + r.err};
  return python;
}

#define PYTHON_OR_SKIP(name)                                                \
  const Result<std::string> name = python_with_numpy();                     \
  if (!name) {                                                              \
    GTEST_SKIP() << "the package for workers in Python stays untested: it " \
                    "needs numpy, and "                                     \
                 << name.error().message;                                   \
  }

TEST(Kit, PassesItsOwnTests) {
  PYTHON_OR_SKIP(python);
  const CommandResult r = testing::run_command(
      {*python, "-B", ASSAY_SOURCE_DIR "/kit/python/kit_test.py"}, {});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("\nOK"));
}

class Example : public ::testing::Test {
 protected:
  // The worker is started by its first line, which takes python3 from PATH.
  void ask(const std::string& python, std::vector<std::string> words) {
    const char* before = std::getenv("PATH");
    const Variable path("PATH", fs::path(python).parent_path().string() + ":" +
                                    (before ? before : ""));
    out_ = fs::path(::testing::TempDir()) / "worker_python";
    fs::remove_all(out_);
    words.insert(words.begin(), {ASSAY_BINARY_DIR "/bin/assay", "run"});
    words.insert(words.end(),
                 {"--out", out_.string(), "--subject",
                  "worker:" ASSAY_SOURCE_DIR "/examples/worker_python/"
                  "worker.py"});
    result_ = testing::run_command(words, {});
    std::istringstream lines(testing::slurp(out_ / "results.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const auto j = nlohmann::json::parse(line);
      if (!j.contains("case")) continue;
      ++statuses_[j["status"]];
      if (j["status"] == "unsupported") reasons_.insert(j["reason"]);
    }
  }
  ~Example() override {
    std::error_code ignored;
    fs::remove_all(out_, ignored);
  }

  fs::path out_;
  CommandResult result_;
  std::map<std::string, int> statuses_;
  std::set<std::string> reasons_;
};

TEST_F(Example, ConformsInWhatItClaimsAndSaysWhatItDoesNot) {
  PYTHON_OR_SKIP(python);
  ask(*python, {"abs", "add", "neg", "relu", "sub"});
  EXPECT_EQ(result_.exit_code, 0) << result_.out << result_.err;
  EXPECT_GT(statuses_["pass"], 25) << result_.out;
  EXPECT_EQ(statuses_.count("fail"), 0u);
  EXPECT_THAT(reasons_, ::testing::Contains(HasSubstr("is not implemented")));
}

// Every dtype of the protocol to every other, ties and ends included: what the
// package rounds, the oracle has rounded too.
TEST_F(Example, RoundsToEveryDtype) {
  PYTHON_OR_SKIP(python);
  ask(*python, {"_to_copy/B*", "--profile", "full"});
  EXPECT_EQ(statuses_["fail"], 0) << result_.out;
  EXPECT_GT(statuses_["pass"], 40) << result_.out;
}

}  // namespace
}  // namespace assay::harness
