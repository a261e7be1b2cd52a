// The built `assay` on the real specs: a compiler that was broken on purpose
// turns the right clause red, and so do the founding bugs of a real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/graph/defects.h"
#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::CommandResult;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
namespace fs = std::filesystem;

class EndToEnd : public ::testing::Test {
 protected:
  EndToEnd() {
    std::string name =
        ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '_');
    dir_ = fs::path(::testing::TempDir()) / "end_to_end" / name;
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~EndToEnd() override { fs::remove_all(dir_); }

  CommandResult run(std::vector<std::string> words) {
    words.insert(words.begin(), {ASSAY_BINARY_DIR "/bin/assay", "run"});
    words.insert(words.end(), {"--out", (dir_ / "out").string()});
    return testing::run_command(words, {});
  }

  // What the results hold of a column whose name has this in it.
  std::vector<nlohmann::json> results(const std::string& column) const {
    std::vector<nlohmann::json> found;
    std::istringstream lines(testing::slurp(dir_ / "out" / "results.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      auto j = nlohmann::json::parse(line);
      if (!j.contains("case")) continue;
      const std::string name = j["column"];
      if (name.find(column) != std::string::npos) found.push_back(std::move(j));
    }
    return found;
  }

  std::set<std::string> failing_clauses(const std::string& column) const {
    std::set<std::string> clauses;
    for (const auto& r : results(column)) {
      if (r["status"] == "fail") clauses.insert(r["clause"]);
    }
    return clauses;
  }

  fs::path dir_;
};

// Where a defect shows, and the promise that it breaks.
struct Broken {
  const char* defect;
  const char* filter;
  const char* clause;
};

constexpr Broken kBroken[] = {
    {"drop-cast", "cast_round_trip", "_to_copy/A1"},
    {"skip-guard", "bmm/E4/f16-f32", "bmm/E4"},
    {"skip-guard", "embedding/E3", "embedding/E3"},
    {"skip-guard", "index_add/E8/*", "index_add/E8"},
    {"wrong-error-class", "bmm/E1", "bmm/E1"},
    {"wrong-error-class", "index_add/E8/*", "index_add/E8"},
    {"wrong-promotion", "eq/C21/f32-f64/9_0d", "eq/A1"},
    {"flush-subnormal", "mul/B1", "mul/A1"},
    {"contract-fma", "multiply_add/7/f32", "add/A1"},
    {"lose-signed-zero", "ceil/C2/*/25", "ceil/A1"},
    {"nan-swallow-max", "maximum/C1?/*/625", "maximum/A1"},
    {"saturate-not-inf", "to/B1/f64/39/dtype=f16", "to/A1"},
    {"tail-off-by-one", "abs/C1/*/17", "abs/A1"},
    {"lose-last-term", "bmm/C1/f32/*", "bmm/A1"},
    {"lose-last-term", "sum/C1/*/129", "sum/A1"},
    {"f16-accumulator", "sum/C1/f16/129", "sum/A1"},
    {"f16-accumulator", "bmm/C2/f16/2x8x33_2x33x8/*", "bmm/A1"},
    {"wrong-argmax-tie", "argmax/C13/f32/*", "argmax/A1"},
    {"tanh-gelu-for-gelu", "gelu/C2/f16/25", "gelu/A1"},
    {"approximate-rsqrt", "rsqrt/C1/*/17", "rsqrt/A1"},
    {"approximate-rsqrt", "rms_norm/C7/f32/3x17_17/*", "rms_norm/A1"},
    {"int-wrap-wide", "add/C5/u8/129/widen_int", "_to_copy/A1"},
    {"wrong-stride", "abs/C3/f64/2x3x9/transposed", "abs/A1"},
    {"read-past-end", "sum_dim/C1/f32/7/dim=0", "sum_dim/A1"},
    {"reuse-live-buffer", "attention_half_value_fixed/4", "matmul/A1"},
    {"alias-unsafe", "_softmax/C1/f64/129/*", "P3"},
    {"stale-cache", "bitwise_right_shift_scalar/C5/i64/*",
     "bitwise_right_shift_scalar/A1"},
    {"wrong-shape-specialisation", "abs/C1/f32/*", "abs/A1"},
    {"unstable-order", "sum/C2/f32/2x3x9/*", "D1"},
    {"batch-dependent-row", "mm/C1/f32/3x5_5x4", "D2"},
    {"race-on-output", "abs/C3/f64/2x3x9/*", "abs/A1"},
};

TEST_F(EndToEnd, EveryDefectOfCpuCodeIsCaught) {
  std::set<std::string> filters, defects;
  for (const Broken& b : kBroken) {
    filters.insert(b.filter);
    defects.insert(b.defect);
  }
  std::vector<std::string> words(filters.begin(), filters.end());
  words.insert(words.end(),
               {"--profile", "full", "--no-known", "--subject", "bundled"});
  for (const std::string& d : defects) {
    words.insert(words.end(), {"--subject", "bundled{defect=" + d + "}"});
  }
  const CommandResult r = run(words);
  EXPECT_EQ(r.exit_code, 1) << r.err;
  // The compiler as it is keeps every one of these promises.
  EXPECT_THAT(failing_clauses("bundled/"), IsEmpty()) << r.out;
  EXPECT_THAT(results("bundled/"), Not(IsEmpty()));
  std::set<std::string> caught;
  for (const Broken& b : kBroken) {
    const auto clauses =
        failing_clauses(std::string("defect=") + b.defect + "/");
    EXPECT_THAT(clauses, Contains(b.clause)) << b.defect;
    if (clauses.contains(b.clause)) caught.insert(b.defect);
  }
  int rows = 0;
  for (const compiler::DefectRow& row : compiler::kDefects) {
    if (row.place == compiler::DefectPlace::cuda) continue;
    ++rows;
    EXPECT_TRUE(caught.contains(std::string(row.name))) << row.name;
  }
  std::cout << "kill score of CPU code: " << caught.size() << " of " << rows
            << " defects\n";
}

// The same, and what only GPU code can get wrong, in code for sm_90 on the PTX
// machine. Where values stay within their bounds, the lint shows it.
struct BrokenKernel {
  const char* defect;
  const char* status;
  const char* clause;
  const char* reason = "";
  const char* options = "";  // beside the defect
};

constexpr BrokenKernel kBrokenKernels[] = {
    {"drop-cast", "fail", "_to_copy/A1"},
    {"skip-guard", "fail", "bmm/E4"},
    {"wrong-error-class", "fail", "bmm/E4"},
    {"wrong-promotion", "fail", "M1"},
    {"flush-subnormal", "fail", "mul/A1"},
    {"contract-fma", "fail", "add/A1"},
    {"lose-signed-zero", "fail", "ceil/A1"},
    {"nan-swallow-max", "fail", "maximum/A1"},
    {"saturate-not-inf", "fail", "to/A1"},
    {"tail-off-by-one", "fail", "softmax/A1"},
    {"missing-barrier", "crash", "mm/A1", "race: "},
    // Products of these cases are too short for a stage of those that tensor
    // cores read to be used again.
    {"early-reuse", "crash", "mm/A1", "race: ", ",tensor_cores=off"},
    {"wrong-lane-mask", "fail", "sum/A1"},
    {"wrong-shared-index", "fail", "mm/A1"},
    {"unguarded-tail", "crash", "ceil/A1", "out of bounds: "},
    {"unordered-atomics", "quality_warning", "sum/A1", "unordered: atom",
     ",run=false"},
    {"tf32", "fail", "mm/A1"},
    {"ftz", "fail", "mul/A1"},
    {"fast-math", "fail", "exp/A1"},
    {"approximate-division", "hardware", "div/A1", "div.full.f32"}};

// Cases of the quick profile that show all of them.
const std::vector<std::string> kShowingDefects = {"cast_round_trip/*",
                                                  "bmm/E4/*",
                                                  "softmax_scaled/*",
                                                  "mul/B1/*",
                                                  "multiply_add/*",
                                                  "ceil/*",
                                                  "maximum/C10/*",
                                                  "to/B1/*",
                                                  "mm/C*",
                                                  "sum/C*",
                                                  "exp/B5/f32/*",
                                                  "div/C17/*"};

TEST_F(EndToEnd, DefectsOfKernelsAreCaughtWithoutAGpu) {
  const std::string target = "bundled{target=cuda-sm_90";
  std::vector<std::string> words = kShowingDefects;
  words.insert(words.end(), {"--no-known", "--subject", target + "}"});
  for (const BrokenKernel& b : kBrokenKernels) {
    words.insert(words.end(), {"--subject", target + b.options +
                                                ",defect=" + b.defect + "}"});
  }
  const CommandResult r = run(words);
  const auto sound = results("bundled/");
  ASSERT_THAT(sound, Not(IsEmpty())) << r.err;
  for (const auto& s : sound) {
    const std::string reason = s["reason"];
    if (reason.find("there is no NVRTC") != std::string::npos) {
      GTEST_SKIP() << "broken kernels are compiled by NVRTC: " << reason;
    }
    EXPECT_EQ(s["status"], "pass") << s;
  }
  for (const BrokenKernel& b : kBrokenKernels) {
    const auto all = results(std::string("defect=") + b.defect);
    EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                            [&b](const auto& j) {
                              const std::string reason = j["reason"];
                              return j["status"] == b.status &&
                                     j["clause"] == b.clause &&
                                     reason.find(b.reason) != std::string::npos;
                            }))
        << b.defect << "\n"
        << nlohmann::json(all).dump(1);
  }
}

// README.md promises that a pointwise operation is one YAML file and no C++.
TEST_F(EndToEnd, TheOperationOfTheReadmeNeedsNothingElse) {
  const fs::path root = ASSAY_SOURCE_DIR;
  const std::string readme = testing::slurp(root / "README.md");
  const std::string fence = "```";
  const std::size_t begin = readme.find("\nop: special_ndtr\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string spec =
      readme.substr(begin + 1, readme.find(fence, begin) - begin - 1);
  const fs::path specs = dir_ / "specs";
  fs::copy(root / "specs", specs, fs::copy_options::recursive);
  std::ofstream(specs / "ops" / "special_ndtr.yaml") << spec;
#ifdef ASSAY_HAS_TORCH
  const CommandResult r =
      run({"special_ndtr", "--specs", specs.string(), "--subject", "eager"});
  EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
  EXPECT_EQ(failing_clauses("eager"), std::set<std::string>{"special_ndtr/A1"});
  EXPECT_GT(results("eager").size(), 10u);
#else
  const CommandResult r =
      run({"special_ndtr", "--specs", specs.string(), "--subject", "bundled"});
  EXPECT_GT(results("bundled").size(), 10u) << r.out << r.err;
#endif
}

#ifdef ASSAY_HAS_TORCH
TEST_F(EndToEnd, InductorFailsTheFoundingBugsAndEagerDoesNot) {
  const CommandResult r =
      run({"cast_round_trip/f16", "bmm/E4/f16-f32/*", "bmm/C1/f16/*",
           "--profile", "full", "--subject", "eager", "--subject",
           "torch:inductor", "--no-known"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(failing_clauses("eager"), IsEmpty()) << r.out;
  // From torch 2.15 on Inductor refuses a product of two dtypes.
  EXPECT_THAT(failing_clauses("inductor"), Contains("_to_copy/A1")) << r.out;
  const auto inductor = results("inductor");
  EXPECT_TRUE(std::any_of(
      inductor.begin(), inductor.end(),
      [](const nlohmann::json& j) { return j["status"] == "pass"; }))
      << r.out;
  for (const auto& j : inductor) {
    EXPECT_TRUE(j["status"] == "pass" || j["status"] == "fail") << j;
    if (j["status"] == "fail") {
      EXPECT_EQ(j["verdict"], "compiled_wrong") << j;
    }
  }
}
#endif

}  // namespace
}  // namespace assay::harness
