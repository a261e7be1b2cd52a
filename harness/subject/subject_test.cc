// Spellings of subjects: what they mean, and what a wrong one is told.
#include "harness/subject/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/subject/places.h"
#include "harness/testing/variable.h"

namespace assay::harness {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// A home whose launcher notes how it was called and names a Python.
class FakeHome {
 public:
  explicit FakeHome(const std::string& exit_line) {
    std::string name = ::testing::TempDir() + "/assay-home-XXXXXX";
    folder_ = mkdtemp(name.data());
    std::filesystem::create_directories(folder_ / "harness/workers/python");
    std::ofstream(folder_ / "harness/workers/python/torch_worker.py") << "\n";
    std::filesystem::create_directories(folder_ / "harness/workers/jax");
    std::ofstream(folder_ / "harness/workers/jax/jax_worker.py") << "\n";
    std::filesystem::create_directories(folder_ /
                                        "harness/workers/onnxruntime");
    std::ofstream(folder_ / "harness/workers/onnxruntime/ort_worker.py")
        << "\n";
    std::ofstream(folder_ / "python") << "\n";
    std::ofstream(folder_ / "assay")
        << "#!/bin/sh\necho \"$@\" >>'" << folder_.string()
        << "/calls'\necho some progress\n"
        << exit_line << "\n";
    chmod((folder_ / "assay").c_str(), 0755);
  }
  ~FakeHome() { std::filesystem::remove_all(folder_); }
  FakeHome(const FakeHome&) = delete;
  FakeHome& operator=(const FakeHome&) = delete;

  std::string path(const std::string& file) const {
    return (folder_ / file).string();
  }
  std::string calls() const {
    std::ifstream in(folder_ / "calls");
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path folder_;
};

class Torch : public ::testing::Test {
 protected:
  FakeHome home_{"echo \"$ASSAY_HOME/python\""};
  Variable home_variable_{"ASSAY_HOME", home_.path("")};
  Variable cache_{"ASSAY_CACHE", home_.path("cache")};
  Variable python_{"ASSAY_PYTHON", "/own/bin/python"};
  Variable version_{"ASSAY_TORCH", "2.11.0"};
};

TEST_F(Torch, TheBuildsOwnVersionNeedsNoLauncher) {
  for (const char* s : {"torch:inductor", "torch:inductor@2.11.0"}) {
    const auto config = parse_subject(s);
    ASSERT_TRUE(config.ok()) << config.error().message;
    EXPECT_THAT(
        config->command,
        ElementsAre("/own/bin/python",
                    home_.path("harness/workers/python/torch_worker.py"),
                    "--backend", "inductor"));
    EXPECT_THAT(config->environment, Contains(Pair("OMP_NUM_THREADS", "1")));
    EXPECT_EQ(config->spelling, s);
  }
  EXPECT_EQ(home_.calls(), "");
}

TEST_F(Torch, AnotherVersionIsPreparedByTheLauncher) {
  const auto config = parse_subject("torch:aot_eager@2.15.0");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->command[0], home_.path("") + "/python");
  EXPECT_EQ(home_.calls(), "env 2.15.0\n");
}

TEST_F(Torch, ABackendsPackageGoesIntoAnEnvironmentOfTheLauncher) {
  // A person's own environment is taken as it is.
  ASSERT_TRUE(parse_subject("torch:openvino").ok());
  EXPECT_EQ(home_.calls(), "");
  const Variable made("ASSAY_PYTHON",
                      home_.path("cache/env-2.11.0-abc/bin/python"));
  const auto config = parse_subject("torch:openvino");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->command[0], home_.path("") + "/python");
  EXPECT_EQ(home_.calls(), "env 2.11.0 --with openvino\n");
  ASSERT_TRUE(parse_subject("torch:openvino@2.15.0").ok());
  EXPECT_THAT(home_.calls(), HasSubstr("env 2.15.0 --with openvino\n"));
}

TEST_F(Torch, JaxHasAnEnvironmentOfItsOwn) {
  const auto config = parse_subject("jax");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_THAT(config->command,
              ElementsAre(home_.path("") + "/python",
                          home_.path("harness/workers/jax/jax_worker.py")));
  EXPECT_THAT(config->environment, Contains(Pair("OMP_NUM_THREADS", "1")));
  EXPECT_EQ(home_.calls(), "env jax\n");
  const Variable own("ASSAY_JAX_PYTHON", "/my/python");
  ASSERT_TRUE(parse_subject("jax").ok());
  EXPECT_EQ(parse_subject("jax")->command[0], "/my/python");
  EXPECT_EQ(home_.calls(), "env jax\n");  // not asked again
}

TEST_F(Torch, OnnxRuntimeTakesALevelOfOptimization) {
  const auto config = parse_subject("onnxruntime{optimize=none}");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_THAT(
      config->command,
      ElementsAre(home_.path("") + "/python",
                  home_.path("harness/workers/onnxruntime/ort_worker.py")));
  EXPECT_THAT(config->options, ElementsAre(Pair("optimize", "none")));
  EXPECT_EQ(home_.calls(), "env onnxruntime\n");
  for (const char* wrong :
       {"onnxruntime{optimize=some}", "onnxruntime{level=all}",
        "onnxruntime{optimize=all,level=all}", "onnxruntime:1.32"}) {
    const auto refused = parse_subject(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_THAT(refused.error().message,
                HasSubstr("all, extended, basic, none"));
  }
}

TEST_F(Torch, OptionsKeepTheirTypes) {
  const auto config = parse_subject(
      "torch:inductor{\"emulate_precision_casts\": true, \"numerics\": "
      "\"strict\", \"n\": 3, \"text\": \"3\"}");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_THAT(
      config->options,
      ElementsAre(Pair("emulate_precision_casts", "true"), Pair("n", "3"),
                  Pair("numerics", "strict"), Pair("text", "\"3\"")));
}

TEST_F(Torch, LaunchesItsKernelsWhereWeDoNot) {
  const Variable build("ASSAY_BUILD", ASSAY_BINARY_DIR);
  for (const char* s :
       {"torch:eager{target=cuda}", "torch:aot_eager{target=cuda}",
        "torch:inductor{target=cuda,launcher=torch}"}) {
    const auto config = parse_subject(s);
    ASSERT_TRUE(config.ok()) << config.error().message;
    EXPECT_EQ(config->command[0], "/own/bin/python") << s;
    EXPECT_EQ(config->target, "cuda");
  }
  const auto ours = parse_subject("torch:inductor{target=cuda}");
  ASSERT_TRUE(ours.ok()) << ours.error().message;
  EXPECT_THAT(ours->command[0], HasSubstr("/assay-cuda-worker"));
  for (const char* s :
       {"torch:inductor{launcher=torch}", "torch:eager{launcher=torch}",
        "torch:inductor{target=cuda,launcher=mine}",
        "torch:eager{target=cuda,launcher=torch}",
        "torch:inductor{target=cuda-sm_90,launcher=torch}"}) {
    const auto config = parse_subject(s);
    ASSERT_FALSE(config.ok()) << s;
    EXPECT_THAT(config.error().message, HasSubstr("launcher=torch goes with"));
  }
}

TEST(Torch2, AFailingLauncherIsReportedWithItsCommand) {
  const FakeHome home("exit 2");
  const Variable home_variable("ASSAY_HOME", home.path(""));
  const Variable python("ASSAY_PYTHON", "/own/bin/python");
  const Variable version("ASSAY_TORCH", "2.11.0");
  const auto config = parse_subject("torch:inductor@9.9.9");
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message,
              AllOf(HasSubstr("no environment with torch 9.9.9"),
                    HasSubstr("assay env 9.9.9` failed")));
}

struct Wrong {
  std::string spelling;
  std::string text;
};

TEST(ParseSubject, WrongSpellingsAreToldWhatIsKnown) {
  const std::vector<Wrong> all = {
      {"cuda", "unknown subject 'cuda'; known are eager, eager{isa=LEVEL}"},
      {"", "unknown subject ''"},
      {"eagre{isa=avx2}", "unknown subject 'eagre{isa=avx2}'"},
      {"eager{isa=avx9}", "this machine has default"},
      {"eager{level=avx2}", "eager takes {isa=LEVEL}"},
      {"eager:2.11.0", "eager takes {isa=LEVEL}"},
      {"eager{isa=avx2", "no closing brace"},
      {"eager{isa}", "neither a JSON object nor a list of name=value"},
      {"torch:", "torch takes a backend"},
      {"torch:inductor@", "torch takes a backend"},
      {"plugin:", "a file is due: plugin:/path/to/libvendor.so"},
      {"plugin:/no/such.so", "there is no file /no/such.so"},
      {"worker:/no/such", "there is no file /no/such"},
      {"worker:/tmp", "there is no file /tmp"},
      {"bundled:x", "bundled takes only {name=value}"}};
  for (const Wrong& w : all) {
    const auto config = parse_subject(w.spelling);
    ASSERT_FALSE(config.ok()) << w.spelling;
    EXPECT_THAT(config.error().message, HasSubstr(w.text));
    EXPECT_THAT(config.error().message, HasSubstr("'" + w.spelling + "'"));
  }
}

TEST(ParseSubject, AWorkerIsAnyProgram) {
  const auto config = parse_subject("worker:/bin/sh{target=gpu,a=b}");
  ASSERT_TRUE(config.ok());
  EXPECT_THAT(config->command, ElementsAre("/bin/sh"));
  EXPECT_EQ(config->target, "gpu");
  EXPECT_THAT(config->options, ElementsAre(Pair("a", "b")));
}

TEST(ParseSubject, APathMayHoldBraces) {
  const std::filesystem::path folder =
      ::testing::TempDir() + "/a{b=c}" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const std::string plain = (folder / "worker").string();
  const std::string odd = (folder / "worker{x}").string();
  for (const std::string& file : {plain, odd}) std::ofstream(file) << "\n";
  struct Row {
    std::string spelling, file;
    std::map<std::string, std::string> options;
  };
  const std::vector<Row> rows = {
      {plain, plain, {}},
      {plain + "{x=1}", plain, {{"x", "1"}}},
      {plain + "{x=/d/{e}/f,y=2}", plain, {{"x", "/d/{e}/f"}, {"y", "2"}}},
      {plain + R"({"x": {"y": "}{"}})", plain, {{"x", R"({"y":"}{"})"}}},
      {odd + "{}", odd, {}},
      {odd + "{x=1}", odd, {{"x", "1"}}}};
  for (const Row& row : rows) {
    const auto config = parse_subject("worker:" + row.spelling);
    ASSERT_TRUE(config.ok()) << config.error().message;
    EXPECT_THAT(config->command, ElementsAre(row.file));
    EXPECT_EQ(config->options, row.options) << row.spelling;
  }
  std::filesystem::remove_all(folder);
}

TEST(DefaultSubjects, HaveEveryLevelOnce) {
  const auto levels = cpu_levels();
  const auto subjects = *subjects_of_device("cpu", false);
  ASSERT_EQ(subjects.size(), levels.size() + 2);
  EXPECT_EQ(subjects[0], "eager{isa=default}");
  EXPECT_EQ(subjects[levels.size()], "bundled");
  EXPECT_EQ(subjects.back(), "torch:inductor");
}

class DeviceColumns : public ::testing::Test {
 protected:
  static std::string fake() {
    return std::string(ASSAY_BINARY_DIR) + "/lib/fake_cuda_driver.so";
  }
  Variable build_{"ASSAY_BUILD", ASSAY_BINARY_DIR};
};

TEST_F(DeviceColumns, OfAGpuAreThoseOfTheCompilers) {
  const Variable driver("ASSAY_CUDA_DRIVER", fake());
  EXPECT_THAT(*subjects_of_device("cuda", false),
              ElementsAre("bundled{target=cuda}", "torch:eager{target=cuda}",
                          "torch:inductor{target=cuda,launcher=torch}"));
  const auto config =
      parse_subject("worker:/bin/sh{target=cuda,compare=x,a=b}");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_THAT(config->command,
              ElementsAre(HasSubstr("/assay-cuda-worker"), "--compare",
                          std::filesystem::absolute("x").string(), "/bin/sh"));
  EXPECT_EQ(config->target, "cuda");
  EXPECT_THAT(config->options, ElementsAre(Pair("a", "b")));
}

TEST_F(DeviceColumns, AnSmThatRunsIsNotEmulated) {
  const Variable driver("ASSAY_CUDA_DRIVER", fake());
  const Variable settings("ASSAY_FAKE_CUDA", "sm=80");
  const auto all = *subjects_of_device("all", false);
  EXPECT_THAT(all, AllOf(Contains("eager{isa=default}"),
                         Contains("bundled{target=cuda}"),
                         Contains("bundled{target=cuda-sm_90}")));
  for (const std::string& s : all) {
    EXPECT_EQ(s.find("target=cuda-sm_80}"), std::string::npos) << s;
    EXPECT_EQ(s.find("target=cuda-sm_80,"), std::string::npos) << s;
  }
  const auto without = *subjects_of_device("cuda-static", false);
  EXPECT_THAT(without, Contains("torch:inductor{target=cuda-sm_80}"));
}

TEST_F(DeviceColumns, WithoutAGpuSayWhy) {
  const Variable driver("ASSAY_CUDA_DRIVER", "/no/such/libcuda.so");
  const auto none = subjects_of_device("cuda", false);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message,
              AllOf(HasSubstr("no GPU can be used here: no CUDA driver: "
                              "/no/such/libcuda.so"),
                    HasSubstr("--device cuda-static")));
  EXPECT_THAT(*subjects_of_device("all", false),
              ::testing::Not(Contains("bundled{target=cuda}")));
  EXPECT_THAT(subjects_of_device("gpu", false).error().message,
              HasSubstr("none of cpu, cuda, cuda-static and all"));
}

}  // namespace
}  // namespace assay::harness
