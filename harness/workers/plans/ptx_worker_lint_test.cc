// assay-ptx-worker --lint over the bundled compiler: what it says of programs
// as they are, and of each defect that code can show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/program_text.h"
#include "harness/subject/child.h"
#include "harness/wire/shared_memory.h"
#include "harness/wire/wire.h"

namespace assay::harness {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds kAmple{60000};
const char* const kHalves =
    "%0 = input f32[4]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
    "%2 = aten._to_copy.default(%1, dtype=f32)\nreturn %2\n";
const char* const kQuotient =
    "%0 = input f32[4]\n%1 = aten.mul.Tensor(%0, 0.7)\n"
    "%2 = aten.div.Tensor(%1, 3.3)\nreturn %2\n";
const char* const kSum =
    "%0 = input f32[4]\n%1 = input f32[4]\n"
    "%2 = aten.mul.Tensor(%0, %1)\n%3 = aten.add.Tensor(%2, %0)\n"
    "return %3\n";
const char* const kRowSum =
    "%0 = input f32[2, 129]\n"
    "%1 = aten.sum.dim_IntList(%0, [1])\nreturn %1\n";
const char* const kLookup =
    "%0 = input f32[3, 2]\n%1 = input i64[2]\n"
    "%2 = aten.embedding.default(%0, %1)\nreturn %2\n";

std::string build_file(const std::string& relative) {
  return std::string(ASSAY_BINARY_DIR) + "/" + relative;
}

class LintingWorker {
 public:
  LintingWorker(const std::string& target, const Json& options)
      : memory_(SharedMemory::create().value()),
        target_(target),
        options_(options) {
    auto started =
        WorkerChild::start({build_file("bin/assay-ptx-worker"), "--lint",
                            build_file("bin/assay-plugin-worker"),
                            build_file("lib/assay_bundled.so")},
                           {}, memory_.fd());
    if (!started.ok()) {
      ADD_FAILURE() << started.error().message;
      return;
    }
    child_ = std::move(*started);
    hello_ = ask({{"verb", "hello"}, {"protocol", kProtocolVersion}});
  }

  const Json& hello() const { return hello_; }

  Json compile(const std::string& lines) {
    return ask({{"verb", "compile"}, {"program", "assay-program 1\n" + lines}});
  }
  Json run(const Json& handle, const Json& inputs = Json::array()) {
    return ask({{"verb", "run"},
                {"handle", handle},
                {"inputs", inputs},
                {"outputs", Json::array()},
                {"scratch", memory_.file_size()}});
  }
  std::string explain(const Json& handle, const char* kind) {
    return ask({{"verb", "explain"}, {"handle", handle}, {"kind", kind}})
        .at("text")
        .get<std::string>();
  }
  SharedMemory& memory() { return memory_; }

 private:
  Json ask(Json request) {
    if (!child_) return Json::object();
    request["target"] = target_;
    request["options"] = options_;
    Exchange e = child_->exchange(request, kAmple);
    EXPECT_EQ(e.kind, Exchange::Kind::replied) << e.detail;
    return e.reply;
  }

  SharedMemory memory_;
  std::unique_ptr<WorkerChild> child_;
  std::string target_;
  Json options_;
  Json hello_;
};

// Zeros, a page for each input.
Json inputs_of(const std::string& lines, SharedMemory* memory) {
  constexpr std::int64_t kPage = 4096;
  const Result<Program> program = parse_program("assay-program 1\n" + lines);
  Json list = Json::array();
  std::int64_t at = 0;
  for (const TensorType& t : program->inputs) {
    list.push_back(to_json(Placed{t, at, 0}));
    at += kPage;
  }
  EXPECT_TRUE(memory->resize(at).ok());
  EXPECT_TRUE(memory->map(at).ok());
  return list;
}

// The lint of a program, or why there is none.
std::vector<std::string> lint_of(const std::string& lines,
                                 const std::string& target,
                                 const Json& options = Json::object()) {
  LintingWorker worker(target, options);
  const Json compiled = worker.compile(lines);
  if (!compiled.value("ok", false)) return {compiled.dump()};
  const Json inputs = inputs_of(lines, &worker.memory());
  const Json reply = worker.run(compiled["handle"], inputs);
  EXPECT_TRUE(reply.value("ok", false)) << reply.dump();
  EXPECT_TRUE(reply.at("outputs").empty());
  return reply.at("lint").get<std::vector<std::string>>();
}

// Nothing, or why CUDA text cannot be compiled here.
std::string missing_nvrtc() {
  LintingWorker worker("cuda-sm_90", Json::object());
  const Json compiled = worker.compile(kQuotient);
  const std::string why = compiled.value("message", "");
  return why.find("there is no NVRTC") == std::string::npos ? "" : why;
}

TEST(PtxWorkerLint, SaysHowFarAPassIsShown) {
  LintingWorker worker("cuda-sm_90", Json::object());
  EXPECT_EQ(worker.hello().value("evidence", ""), "compiled_linted")
      << worker.hello().dump();
}

TEST(PtxWorkerLint, RightProgramsHaveNothingAgainstThem) {
  if (const auto why = missing_nvrtc(); !why.empty()) {
    GTEST_SKIP() << "what is linted is compiled by NVRTC: " << why;
  }
  for (const char* target : {"cuda-sm_75", "cuda-sm_90", "cuda-sm_120"}) {
    for (const char* lines : {kHalves, kQuotient, kSum, kRowSum}) {
      EXPECT_THAT(lint_of(lines, target), IsEmpty()) << target << "\n" << lines;
    }
  }
}

TEST(PtxWorkerLint, RefusalsStayRefusals) {
  if (const auto why = missing_nvrtc(); !why.empty()) {
    GTEST_SKIP() << "what is linted is compiled by NVRTC: " << why;
  }
  LintingWorker worker("cuda-sm_90", Json::object());
  const Json compiled = worker.compile(kLookup);
  ASSERT_TRUE(compiled.value("ok", false)) << compiled.dump();
  const Json inputs = inputs_of(kLookup, &worker.memory());
  EXPECT_TRUE(worker.run(compiled["handle"], inputs).value("ok", false));
  const std::int64_t outside = 3;
  std::memcpy(worker.memory().data() + 4096, &outside, sizeof outside);
  const Json refused = worker.run(compiled["handle"], inputs);
  EXPECT_EQ(refused.value("kind", ""), "refused") << refused.dump();
  EXPECT_EQ(refused.value("exception", ""), "IndexError");
}

TEST(PtxWorkerLint, ExplainsWhatKernelsTake) {
  if (const auto why = missing_nvrtc(); !why.empty()) {
    GTEST_SKIP() << "what is linted is compiled by NVRTC: " << why;
  }
  LintingWorker worker("cuda-sm_90", Json::object());
  const Json compiled = worker.compile(kQuotient);
  EXPECT_THAT(worker.explain(compiled["handle"], "lint"),
              HasSubstr(" registers, 0 bytes of local memory"));
  EXPECT_THAT(worker.explain(compiled["handle"], "ptx"),
              HasSubstr(".target sm_90"));
}

struct Shown {
  const char* defect;
  const char* lines;
  const char* rule;
};

TEST(PtxWorkerLint, DefectsOfCodeShow) {
  if (const auto why = missing_nvrtc(); !why.empty()) {
    GTEST_SKIP() << "what is linted is compiled by NVRTC: " << why;
  }
  for (const Shown& s :
       {Shown{"ftz", kQuotient, "flushes: "},
        Shown{"fast-math", kQuotient, "approximates: "},
        Shown{"approximate-division", kQuotient, "approximates: div."},
        Shown{"contract-fma", kSum, "fused: fma.rn.f32"},
        Shown{"unordered-atomics", kRowSum, "unordered: "},
        Shown{"drop-cast", kHalves, "lost_cast: f32 to f16"}}) {
    EXPECT_THAT(lint_of(s.lines, "cuda-sm_90", {{"defect", s.defect}}),
                Contains(StartsWith(s.rule)))
        << s.defect;
  }
}

}  // namespace
}  // namespace assay::harness
