// What PTX our CUDA text becomes: no instruction that rounds otherwise than the
// contract graph says, and no cast that the ledger does not have.
#include "compiler/text/cuda/cuda_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "compiler/random_program.h"
#include "compiler/testing/cuda_testing.h"

namespace assay::compiler {
namespace {

// The opcodes of a PTX text with their modifiers, in order.
std::vector<std::string> opcodes(const std::string& ptx) {
  static const std::regex* const line =
      new std::regex(R"(^\s*(?:@!?%p\d+\s+)?([a-z][a-z0-9_]*(?:\.[\w:]+)*)\s)");
  std::vector<std::string> out;
  std::istringstream in(ptx);
  for (std::string text; std::getline(in, text);) {
    std::smatch found;
    if (std::regex_search(text, found, *line)) out.push_back(found[1]);
  }
  return out;
}

int count(const std::string& ptx, const std::string& pattern) {
  const std::regex wanted(pattern);
  int n = 0;
  for (const std::string& o : opcodes(ptx)) {
    n += std::regex_search(o, wanted) ? 1 : 0;
  }
  return n;
}

// What of a PTX text leaves rounding open or makes it loose.
std::vector<std::string> loose_opcodes(const std::string& ptx) {
  static const std::regex* const loose =
      new std::regex(R"(\.(approx|ftz|full|tf32|f32x2)\b|)"
                     R"(^(add|sub|mul|div|sqrt|rcp)\.f(32|64)|^mad\.f)");
  std::vector<std::string> out;
  for (const std::string& o : opcodes(ptx)) {
    if (std::regex_search(o, *loose)) out.push_back(o);
  }
  return out;
}

std::set<int> casts_in(const std::string& text, const char* pattern) {
  const std::regex id(pattern);
  std::set<int> out;
  for (auto m = std::sregex_iterator(text.begin(), text.end(), id);
       m != std::sregex_iterator(); ++m) {
    out.insert(std::stoi((*m)[1]));
  }
  return out;
}

std::vector<Program> all_programs() {
  std::vector<Program> out;
  for (const NamedProgram& p : kCudaPrograms) out.push_back(parsed(p.text));
  for (int seed = 0; seed < 12; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    out.push_back(random_program(&random, 4 + seed));
  }
  return out;
}

TEST(CudaText, NoLooseInstructionOnAnyTarget) {
  ASSAY_NEEDS_NVRTC();
  std::size_t seen = 0;
  for (const std::string& target : tested_targets()) {
    for (const Program& program : all_programs()) {
      const auto artifact = compiled(program, for_cuda(target));
      ASSERT_NE(artifact, nullptr);
      const std::string ptx = artifact->explain("ptx");
      seen += opcodes(ptx).size();
      EXPECT_EQ(loose_opcodes(ptx), std::vector<std::string>())
          << target << "\n"
          << to_text(program);
    }
  }
  EXPECT_GT(seen, 10000u);
}

// The same look at texts that are wrong.
TEST(CudaText, LooseInstructionsAreSeen) {
  ASSAY_NEEDS_NVRTC();
  const Program program = parsed(
      "%0 = input f32[9]\n%1 = aten.mul.Tensor(%0, %0)\n"
      "%2 = aten.add.Tensor(%1, -0.01)\n%3 = aten.div.Tensor(%2, %0)\n"
      "return %3\n");
  for (const Defect d :
       {Defect::ftz, Defect::fast_math, Defect::approximate_division}) {
    const auto artifact = compiled(program, for_cuda("sm_90", d));
    EXPECT_FALSE(loose_opcodes(artifact->explain("ptx")).empty());
    EXPECT_EQ(count(artifact->explain("ptx"), "^fma"),
              d == Defect::fast_math ? 1 : 0);
  }
}

TEST(CudaText, FmaOnlyWhereTheGraphHasIt) {
  ASSAY_NEEDS_NVRTC();
  const Program program = parsed(
      "%0 = input f32[9]\n%1 = aten.mul.Tensor(%0, %0)\n"
      "%2 = aten.add.Tensor(%1, -0.01)\nreturn %2\n");
  const auto sound = compiled(program, for_cuda("sm_90"));
  EXPECT_EQ(count(sound->explain("ptx"), "^fma"), 0);
  EXPECT_EQ(count(sound->explain("ptx"), "^(mul|add)\\.rn\\.f32"), 2);
  const auto fused = compiled(program, for_cuda("sm_90", Defect::contract_fma));
  EXPECT_EQ(count(fused->explain("ptx"), "^fma\\.rn\\.f32"), 1);
}

// Elementary functions have fused operations of their own. Written as products
// and sums they are none: NVRTC makes none by itself.
TEST(CudaText, FmaOnlyWhereTheMathTextHasIt) {
  ASSAY_NEEDS_NVRTC();
  const Program program = parsed(
      "%0 = input f64[9]\n%1 = aten.exp2.default(%0)\n"
      "%2 = aten.sin.default(%0)\n%3 = aten.log2.default(%0)\n"
      "return %1, %2, %3\n");
  const auto artifact = compiled(program, for_cuda("sm_90"));
  EXPECT_GT(count(artifact->explain("ptx"), "^fma\\.rn\\.f64"), 0);
  std::string text = artifact->explain("cuda");
  const std::string fused = "#define __builtin_fma __fma_rn";
  const std::size_t at = text.find(fused);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, fused.size(),
               "#define __builtin_fma(a, b, c) ((a) * (b) + (c))");
  const auto ptx =
      (*cuda_toolchain())->compile(text, "sm_90", Nvrtc::Form::ptx);
  ASSERT_TRUE(ptx.ok()) << ptx.error().message;
  EXPECT_EQ(count(*ptx, "^fma"), 0);
}

TEST(CudaText, TheCastsAreTheLedgers) {
  ASSAY_NEEDS_NVRTC();
  int casts = 0;
  for (const Program& program : all_programs()) {
    const auto artifact = compiled(program, for_cuda("sm_90"));
    ASSERT_NE(artifact, nullptr);
    // Those of the graph are the ledger's live ones, which the passes check.
    const std::set<int> live =
        casts_in(artifact->explain("graph"), "cast#(\\d+)");
    EXPECT_EQ(casts_in(artifact->explain("cuda"), "// cast#(\\d+)"), live)
        << to_text(program);
    casts += static_cast<int>(live.size());
  }
  EXPECT_GT(casts, 20);
}

// That each also shows is tested where kernels are executed.
TEST(CudaText, EachDefectChangesWhatIsLaunched) {
  ASSAY_NEEDS_NVRTC();
  const Program program = parsed(
      "%0 = input f32[33, 70]\n%1 = input f32[70, 19]\n"
      "%2 = aten.mm.default(%0, %1)\n%3 = aten.div.Tensor(%2, 3.3)\n"
      "%4 = aten.sum.dim_IntList(%0, [1], false)\nreturn %3, %4\n");
  const std::string sound =
      compiled(program, for_cuda("sm_90"))->explain("launches");
  for (const DefectRow& row : kDefects) {
    if (row.place != DefectPlace::cuda) continue;
    const auto broken = compiled(program, for_cuda("sm_90", row.defect));
    ASSERT_NE(broken, nullptr) << row.name;
    EXPECT_NE(broken->explain("launches"), sound) << row.name;
  }
}

// Thread blocks are as many as the tiles that the text's call has.
TEST(CudaText, EachTileOfAProductHasAThreadBlock) {
  struct Product {
    const char* text;
    std::int64_t batches, rows, columns;
    const char* cut;
  };
  const Product kProducts[] = {
      {"%0 = input f32[4096, 64]\n%1 = input f32[64, 4000]\n"
       "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
       1, 4096, 4000, "8, 8, 16"},
      {"%0 = input f64[2, 2000, 500]\n%1 = input f64[2, 500, 1100]\n"
       "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
       2, 2000, 1100, "8, 4, 8"},
      {"%0 = input f32[1000, 70]\n%1 = input f32[70, 1000]\n"
       "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
       1, 1000, 1000, "4, 4, 16"},
      {"%0 = input f32[500, 256]\n%1 = input f32[256, 400]\n"
       "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
       1, 500, 400, "2, 2, 32"},
      {"%0 = input f32[3, 80]\n%1 = input f32[80, 9000]\n"
       "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
       1, 3, 9000, "1, 4, 16"},
      {"%0 = input f32[9000, 80]\n%1 = input f32[80, 3]\n"
       "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
       1, 9000, 3, "4, 1, 16"},
      // A product by a vector is called as that of a row.
      {"%0 = input f32[9000, 800]\n%1 = input f32[800, 1]\n"
       "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
       1, 1, 9000, "1, 4, 16"},
      {"%0 = input f32[40, 800]\n%1 = input f32[800, 17]\n"
       "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
       1, 40, 17, "1, 1, 64"},
      {"%0 = input f32[9, 20, 50, 50]\n%1 = input f32[260, 10, 3, 3]\n"
       "%2 = aten.conv2d.default(%0, %1, none, [1, 1], [0, 0], [1, 1], 2)\n"
       "return %2\n",
       2, 130, 9 * 48 * 48, "8, 8, 16"}};
  const std::regex call(
      "a_(?:matmul|convolve_tiles)<[^,]+, \\d+, ((\\d+), (\\d+), \\d+)>\\(");
  for (const Product& p : kProducts) {
    const auto artifact = compiled(parsed(p.text), for_cuda("sm_90"));
    ASSERT_NE(artifact, nullptr);
    const std::string text = artifact->explain("cuda");
    std::smatch m;
    ASSERT_TRUE(std::regex_search(text, m, call)) << p.text;
    EXPECT_EQ(m[1], p.cut) << p.text;
    const auto tiles = [](std::int64_t n, const std::string& own) {
      const std::int64_t lines = 16 * std::stoi(own);
      return (n + lines - 1) / lines;
    };
    const auto plan = nlohmann::json::parse(artifact->explain("launches"));
    EXPECT_EQ(plan["launches"][0]["grid"][0],
              p.batches * tiles(p.rows, m[2]) * tiles(p.columns, m[3]))
        << p.text;
  }
}

// Which products tensor cores compute, and in which tiles: the rule of
// product_cut.h.
TEST(CudaText, TensorCoresHaveTheProductsOfHalves) {
  ASSAY_NEEDS_NVRTC();
  struct Product {
    const char* text;
    const char* target;
    const char* cut;  // of the call; empty: other arithmetic
    std::int64_t blocks, threads, shared;
  };
  const Product kProducts[] = {
      {"%0 = input bf16[4096, 512]\n%1 = input bf16[512, 4000]\n", "sm_90",
       "128, 128, 64, 3, 2, 2, 0, 1", 32 * 32, 128, 96 << 10},
      {"%0 = input bf16[4096, 512]\n%1 = input bf16[512, 4000]\n", "sm_120",
       "128, 128, 64, 3, 2, 2, 0, 1", 32 * 32, 128, 96 << 10},
      {"%0 = input f16[9000, 64]\n%1 = input f16[64, 256] strides[1, 64]\n",
       "sm_80", "128, 128, 64, 3, 2, 2, 0, 0", 71 * 2, 128, 96 << 10},
      {"%0 = input f16[64, 512] strides[1, 64]\n%1 = input f16[512, 4000]\n",
       "sm_90", "64, 64, 64, 3, 2, 2, 1, 1", 63, 128, 48 << 10},
      {"%0 = input f16[3, 65]\n%1 = input f16[65, 1000]\n", "sm_90",
       "16, 64, 64, 3, 1, 4, 2, 1", 16, 128, 30 << 10},
      {"%0 = input f16[1000, 64]\n%1 = input f16[64, 1]\n", "sm_90",
       "16, 64, 64, 4, 1, 4, 0, 0", 16, 128, 40 << 10},
      {"%0 = input f16[4000, 65]\n%1 = input f16[65, 1001]\n", "sm_90",
       "128, 128, 32, 3, 2, 4, 2, 3", 32 * 8, 256, 48 << 10},
      {"%0 = input bf16[40, 512]\n%1 = input bf16[512, 40]\n", "sm_75", "", 0,
       0, 0},
      {"%0 = input bf16[40, 15]\n%1 = input bf16[15, 40]\n", "sm_90", "", 0, 0,
       0},
      {"%0 = input f32[40, 64]\n%1 = input f32[64, 40]\n", "sm_90", "", 0, 0,
       0},
      {"%0 = input i8[40, 64]\n%1 = input i8[64, 40]\n", "sm_90", "", 0, 0, 0}};
  const std::regex call("a_matmul_tensor_cores<float, 64, ([^>]+)>\\(");
  for (const Product& p : kProducts) {
    const Program program = parsed(std::string(p.text) +
                                   "%2 = aten.mm.default(%0, %1)\nreturn %2\n");
    CompileOptions options = for_cuda(p.target);
    const auto artifact = compiled(program, options);
    ASSERT_NE(artifact, nullptr);
    const std::string text = artifact->explain("cuda");
    const std::string ptx = artifact->explain("ptx");
    std::smatch m;
    const bool found = std::regex_search(text, m, call);
    EXPECT_EQ(found ? m[1] : std::string(), p.cut) << p.text << p.target;
    EXPECT_EQ(count(ptx, "^mma\\.sync") > 0, found) << p.text;
    if (!found) continue;
    EXPECT_GT(count(ptx, "^ldmatrix"), 0);
    const auto launch =
        nlohmann::json::parse(artifact->explain("launches"))["launches"][0];
    EXPECT_EQ(launch["grid"][0], p.blocks) << p.text;
    EXPECT_EQ(launch["block"][0], p.threads) << p.text;
    EXPECT_EQ(launch["shared"], p.shared) << p.text;
    options.tensor_cores = TensorCores::off;
    EXPECT_EQ(count(compiled(program, options)->explain("ptx"), "^mma"), 0);
  }
}

// Where nobody else reads it, the product in f32 is not written to memory.
TEST(CudaText, AProductThatIsOnlyRoundedIsOneKernel) {
  ASSAY_NEEDS_NVRTC();
  struct Kernels {
    const char* text;
    std::size_t kernels;
  };
  constexpr Kernels kPrograms[] = {
      {"%2 = aten.mm.default(%0, %1)\nreturn %2\n", 1},
      {"%2 = aten.mm.default(%0, %1)\n%3 = aten.mm.default(%2, %1)\n"
       "return %2, %3\n",
       2},
      {"%2 = aten.mm.default(%0, %1)\n%3 = aten.t.default(%2)\n"
       "%4 = aten.neg.default(%3)\nreturn %4\n",
       2},
      // What is added is added to the product in f32.
      {"%2 = aten.addmm.default(%0, %0, %1)\nreturn %2\n", 2}};
  for (const Kernels& p : kPrograms) {
    const Program program =
        parsed(std::string("%0 = input f16[32, 32]\n%1 = input f16[32, 32]\n") +
               p.text);
    const auto launches = [&](TensorCores cores) {
      CompileOptions options = for_cuda("sm_90");
      options.tensor_cores = cores;
      const auto artifact = compiled(program, options);
      return nlohmann::json::parse(artifact->explain("launches"))["launches"];
    };
    EXPECT_EQ(launches(TensorCores::on).size(), p.kernels) << p.text;
    EXPECT_GT(launches(TensorCores::off).size(), 1u) << p.text;
  }
}

// What decides how fast a kernel is, as far as its text shows: each element is
// read once, and neighbours at once.
TEST(CudaText, TouchesMemoryAsLittleAsItCan) {
  ASSAY_NEEDS_NVRTC();
  struct Access {
    const char* text;
    const char* pattern;
    int times;
  };
  constexpr const char* kSoftmax =
      "%0 = input f32[3000, 4096]\n%1 = aten.softmax.int(%0, 1)\n"
      "return %1\n";
  constexpr const char* kTriad =
      "%0 = input f32[64, 96]\n%1 = input f32[64, 96]\n%2 = input f32[96]\n"
      "%3 = aten.mul.Tensor(%0, %1)\n%4 = aten.add.Tensor(%3, %2)\n"
      "return %4\n";
  constexpr const char* kAcross =
      "%0 = input f32[64, 96]\n%1 = input f32[96, 64]\n"
      "%2 = aten.t.default(%1)\n%3 = aten.add.Tensor(%0, %2)\nreturn %3\n";
  constexpr const char* kLayerNorm =
      "%0 = input f32[3000, 4096]\n"
      "%1 = aten.layer_norm.default(%0, [4096])\nreturn %1\n";
  constexpr Access kAccesses[] = {
      // 256 threads have 16 elements each, and softmax may store them anew.
      {kSoftmax, "^ld\\.global.*\\.v4\\.", 4},
      {kSoftmax, "^ld\\.global", 4},
      {kSoftmax, "^st\\.global.*\\.v4\\.", 8},
      {kSoftmax, "^st\\.global", 8},
      {kLayerNorm, "^ld\\.global", 4},
      {kTriad, "^ld\\.global.*\\.v4\\.", 3},
      {kTriad, "^ld\\.global", 3},
      {kTriad, "^st\\.global\\.v4\\.", 1},
      // 4 points of each thread: x, and y on its way through shared memory.
      {kAcross, "^ld\\.global", 8},
      {kAcross, "^st\\.shared", 4},
      {kAcross, "^ld\\.shared", 4},
  };
  for (const Access& a : kAccesses) {
    const auto artifact = compiled(parsed(a.text), for_cuda("sm_90"));
    ASSERT_NE(artifact, nullptr);
    EXPECT_EQ(count(artifact->explain("ptx"), a.pattern), a.times)
        << a.pattern << " in\n"
        << a.text;
  }
}

TEST(CudaText, BecomesMachineCode) {
  ASSAY_NEEDS_NVRTC();
  for (const NamedProgram& p : kCudaPrograms) {
    for (const std::string& target : tested_targets()) {
      const auto artifact = compiled(parsed(p.text), for_cuda(target));
      const auto cubin =
          (*cuda_toolchain())
              ->compile(artifact->explain("cuda"), target, Nvrtc::Form::cubin);
      EXPECT_TRUE(cubin.ok()) << p.name << ": " << cubin.error().message;
    }
  }
}

TEST(CudaText, E8m0IsAnInstructionWhereTheTargetHasIt) {
  ASSAY_NEEDS_NVRTC();
  const Program program =
      parsed("%0 = input f32[9]\n%1 = assay.e8m0_encode(%0)\nreturn %1\n");
  for (const std::string& target : (*cuda_toolchain())->targets()) {
    const auto artifact = compiled(program, for_cuda(target));
    ASSERT_NE(artifact, nullptr) << target;
    const bool specific = target.size() == 7 && target != "sm_90a";
    EXPECT_EQ(count(artifact->explain("ptx"),
                    "^cvt\\.rp\\.satfinite\\.ue8m0x2\\.f32$"),
              specific ? 1 : 0)
        << target;
    // ptxas has the last word on what a target has.
    const auto cubin =
        (*cuda_toolchain())
            ->compile(artifact->explain("cuda"), target, Nvrtc::Form::cubin);
    EXPECT_TRUE(cubin.ok()) << target << ": " << cubin.error().message;
  }
}

}  // namespace
}  // namespace assay::compiler
