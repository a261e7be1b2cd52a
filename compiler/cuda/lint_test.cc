// The lint on what NVRTC makes of CUDA text, with flags that are wrong and
// flags that are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/random_program.h"
#include "compiler/testing/cuda_testing.h"
#include "ptx/lint/ptx_lint.h"
#include "ptx/lint/sass_lint.h"
#include "ptx/text/parser.h"

namespace assay::compiler {
namespace {

using ptx::compare_compilations;
using ptx::Finding;
using ptx::lint_machine_code;
using ptx::lint_target;
using ptx::parse_module;
using ptx::read_cubin;
using ptx::summary;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A division, a square root, a sum of products, in each format, and an integer
// division: what ptxas makes of them is known, so that none of it is taken for
// something else.
constexpr const char* kArithmetic =
    "extern \"C\" __global__ void k(float* x, double* d, unsigned* i,\n"
    "                             unsigned long long* l) {\n"
    "  x[0] = x[1] * x[2] + x[3];\n  x[4] = x[5] / x[6];\n"
    "  x[7] = __fsqrt_rn(x[8]) - 1.0f / x[9];\n"
    "  d[0] = d[1] * d[2] + d[3];\n  d[4] = d[5] / d[6] + 1.0 / d[7];\n"
    "  d[8] = __dsqrt_rn(d[9]);\n  i[0] = i[1] / i[2] + i[3] % i[4];\n"
    "  l[0] = l[1] / l[2];\n  x[10] = __fmaf_rn(x[11], x[12], x[13]);\n}\n";

// Both findings of the PTX and of the machine code made from the same text.
std::vector<std::string> lint_text(const std::string& text,
                                   const std::string& target,
                                   const std::vector<std::string>& flags = {},
                                   const std::vector<std::string>& back = {}) {
  CudaToolchain& tools = **cuda_toolchain();
  const auto ptx = tools.compile(text, target, Nvrtc::Form::ptx, flags);
  std::vector<std::string> all = flags;
  all.insert(all.end(), back.begin(), back.end());
  const auto cubin = tools.compile(text, target, Nvrtc::Form::cubin, all);
  if (!ptx.ok() || !cubin.ok()) {
    return {ptx.ok() ? cubin.error().message : ptx.error().message};
  }
  const auto module = parse_module(*ptx);
  const auto code = read_cubin(*cubin);
  if (!module.ok() || !code.ok()) {
    return {module.ok() ? code.error().message : module.error().message};
  }
  std::vector<Finding> findings = ptx::lint(*module, {});
  for (Finding& f : lint_machine_code(*module, *code, target)) {
    findings.push_back(std::move(f));
  }
  return summary(findings, 100);
}

std::vector<std::string> wanted_targets() {
  std::vector<std::string> out;
  for (const std::string& t : (*cuda_toolchain())->targets()) {
    if (t.back() != 'a' || t == "sm_90a") out.push_back(t);
  }
  return out;
}

TEST(LintOfBuilds, RightFlagsGiveNothingOnAnyTarget) {
  ASSAY_NEEDS_NVRTC();
  for (const std::string& target : wanted_targets()) {
    EXPECT_THAT(lint_text(kArithmetic, target), IsEmpty()) << target;
  }
}

// What our own compiler emits has none of this in it, nor does what ptxas makes
// of it. Its math text has fused operations that it asks for.
TEST(LintOfBuilds, OurKernelsHaveNothingAgainstThem) {
  ASSAY_NEEDS_NVRTC();
  unsigned with_kernels = 0;
  const auto clean = [&](const Program& program, const std::string& target) {
    const auto artifact = compiled(program, for_cuda(target));
    ASSERT_NE(artifact, nullptr);
    // A program of views alone has no kernel.
    if (artifact->explain("cuda").find("__global__") != std::string::npos) {
      ++with_kernels;
    }
    EXPECT_THAT(lint_text(artifact->explain("cuda"), target), IsEmpty())
        << target << "\n"
        << to_text(program);
  };
  const std::vector<std::string> targets = tested_targets();
  for (const NamedProgram& p : kCudaPrograms) {
    for (const std::string& target : targets) clean(parsed(p.text), target);
  }
  constexpr unsigned kPrograms = 24;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    std::mt19937_64 random(seed);
    const Program program =
        random_program(&random, static_cast<int>(4 + seed % 14));
    clean(program, targets[seed % targets.size()]);
  }
  EXPECT_GT(with_kernels, kPrograms);
}

TEST(LintOfBuilds, FastMath) {
  ASSAY_NEEDS_NVRTC();
  const auto lines =
      lint_text(kArithmetic, "sm_90", {"--use_fast_math", "--fmad=false"});
  EXPECT_THAT(lines, Contains(StartsWith("flushes: ")));
  EXPECT_THAT(lines, Contains(StartsWith("approximates: div.approx.ftz.f32")));
}

TEST(LintOfBuilds, FlushedSubnormals) {
  ASSAY_NEEDS_NVRTC();
  const auto lines = lint_text(kArithmetic, "sm_80", {"--ftz=true"});
  EXPECT_THAT(lines, Contains(StartsWith("flushes: mul.rn.ftz.f32")));
  EXPECT_THAT(lines, Not(Contains(StartsWith("approximates"))));
}

TEST(LintOfBuilds, ApproximateDivision) {
  ASSAY_NEEDS_NVRTC();
  EXPECT_THAT(lint_text(kArithmetic, "sm_90", {"--prec-div=false"}),
              Contains(AnyOf(StartsWith("approximates: div.full.f32"),
                             StartsWith("approximates: div.approx.f32"))));
}

// The PTX rounds twice, the machine code was made with contraction.
TEST(LintOfBuilds, MachineCodeOfAnotherBuild) {
  ASSAY_NEEDS_NVRTC();
  const std::string text =
      "extern \"C\" __global__ void k(float* x, double* d) {\n"
      "  x[0] = x[1] * x[2] + x[3];\n  d[0] = d[1] * d[2] + d[3];\n}\n";
  for (const std::string& target : wanted_targets()) {
    const auto lines = lint_text(text, target, {}, {"--fmad=true"});
    EXPECT_THAT(lines, Contains(StartsWith("contracted: FFMA, k has 1")))
        << target;
    EXPECT_THAT(lines, Contains(StartsWith("contracted: DFMA, k has 1")))
        << target;
    EXPECT_THAT(lint_text(text, target, {"--fmad=true"}),
                Not(Contains(StartsWith("contracted"))))
        << target;
  }
  EXPECT_THAT(lint_text(text, "sm_90", {}, {"--ftz=true"}),
              Contains(StartsWith("flushes: F")));
}

TEST(LintOfBuilds, MachineCodeApproximatesWherePtxDoesNot) {
  ASSAY_NEEDS_NVRTC();
  CudaToolchain& tools = **cuda_toolchain();
  const std::string head = "extern \"C\" __global__ void k(float* x) { x[0] = ";
  const auto exact =
      tools.compile(head + "x[1] + 1.0f; }", "sm_90", Nvrtc::Form::ptx);
  const auto loose =
      tools.compile(head + "__expf(x[1]); }", "sm_90", Nvrtc::Form::cubin);
  const auto module = parse_module(*exact);
  EXPECT_THAT(
      summary(lint_machine_code(*module, *read_cubin(*loose), "sm_90"), 8),
      Contains(StartsWith("approximates: MUFU.EX2, k has 1")));
}

// The contraction that no flag prevents: ptxas 13.0, from sm_100 on.
TEST(LintOfBuilds, PackedProductsAreContracted) {
  ASSAY_NEEDS_NVRTC();
  const std::string text =
      "extern \"C\" __global__ void k(unsigned long long* x) {\n"
      "  unsigned long long p, s;\n"
      "  asm(\"mul.rn.f32x2 %0, %1, %2;\" : \"=l\"(p) : \"l\"(x[1]), "
      "\"l\"(x[2]));\n"
      "  asm(\"add.rn.f32x2 %0, %1, %2;\" : \"=l\"(s) : \"l\"(p), "
      "\"l\"(x[3]));\n"
      "  x[0] = s;\n}\n";
  int tried = 0;
  for (const std::string& target : wanted_targets()) {
    if (target < "sm_100" || target.size() < 6 || target.at(3) != '1') continue;
    ++tried;
    const auto lines = lint_text(text, target);
    EXPECT_THAT(lines, Contains(StartsWith("contracted: FFMA"))) << target;
    EXPECT_THAT(lines, Contains(HasSubstr("k has 2 results"))) << target;
    EXPECT_THAT(lines, Contains(StartsWith("packed_f32x2: mul.rn.f32x2")))
        << target;
  }
  if (tried == 0) GTEST_SKIP() << "this NVRTC has no target with f32x2";
}

// A loop repeats instructions: a kernel that has fused ones is not judged, one
// that has none is.
TEST(LintOfBuilds, LoopsAreJudgedWhereThePtxHasNoReason) {
  ASSAY_NEEDS_NVRTC();
  const std::string loop =
      "extern \"C\" __global__ void k(float* x, int n) {\n"
      "  float s = 0;\n  for (int i = 0; i < n; ++i) s = ";
  const std::string end = ";\n  x[n] = s;\n}\n";
  const std::string plain = loop + "s + x[i] * x[i + n]" + end;
  const std::string fused = loop + "__fmaf_rn(x[i], x[i + n], s)" + end;
  EXPECT_THAT(lint_text(plain, "sm_90"), IsEmpty());
  EXPECT_THAT(lint_text(fused, "sm_90"), IsEmpty());
  EXPECT_THAT(lint_text(plain, "sm_90", {}, {"--fmad=true"}),
              Contains(StartsWith("contracted: FFMA")));
}

TEST(LintOfBuilds, TargetAndBytes) {
  ASSAY_NEEDS_NVRTC();
  CudaToolchain& tools = **cuda_toolchain();
  const auto ptx = tools.compile(kArithmetic, "sm_80", Nvrtc::Form::ptx);
  const auto a = tools.compile(kArithmetic, "sm_80", Nvrtc::Form::cubin);
  const auto b = tools.compile(kArithmetic, "sm_90", Nvrtc::Form::cubin);
  const auto module = parse_module(*ptx);
  EXPECT_THAT(summary(lint_machine_code(*module, *read_cubin(*b), "sm_80"), 8),
              Contains("wrong_target: the machine code is for sm_90, sm_80 is "
                       "asked for"));
  EXPECT_THAT(lint_machine_code(*module, *read_cubin(*a), "sm_80"), IsEmpty());
  for (const char* good : {"sm_80", "sm_86", "sm_120f"}) {
    EXPECT_FALSE(lint_target(*module, good).has_value()) << good;
  }
  EXPECT_TRUE(lint_target(*module, "sm_75").has_value());
  ptx::Module bound = *module;
  bound.target = "sm_90a";
  EXPECT_FALSE(lint_target(bound, "sm_90a").has_value());
  EXPECT_TRUE(lint_target(bound, "sm_100").has_value());
  EXPECT_FALSE(compare_compilations(*a, *a).has_value());
  EXPECT_TRUE(compare_compilations(*a, *b).has_value());
  EXPECT_TRUE(compare_compilations(*a, a->substr(0, 99)).has_value());
}

}  // namespace
}  // namespace assay::compiler
