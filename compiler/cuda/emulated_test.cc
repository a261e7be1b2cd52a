// The CUDA text on the PTX machine against the contract graph and the C++ text,
// byte for byte; and each defect of CUDA code through it. Tensor cores, whose
// bits are others, have tensor_cores_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "compiler/graph/interpret.h"
#include "compiler/random_program.h"
#include "compiler/testing/cuda_testing.h"
#include "compiler/testing/emulate.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CompileOptions in_order(const std::string& target,
                        std::optional<Defect> defect = {}) {
  CompileOptions options = for_cuda(target, defect);
  options.tensor_cores = TensorCores::off;
  return options;
}

Emulated run_cuda(const Program& program, const std::vector<Tensor>& inputs,
                  const std::string& target,
                  std::optional<Defect> defect = {}) {
  const auto artifact = compiled(program, in_order(target, defect));
  if (artifact == nullptr) return {};
  return emulate(artifact->explain("launches"), inputs);
}

std::vector<Tensor> run_graph(const Program& program,
                              const std::vector<Tensor>& inputs) {
  const Result<Imported> imported = import_program(program);
  if (!imported.ok()) {
    ADD_FAILURE() << imported.error().message;
    return {};
  }
  std::vector<Tensor> all = interpret(imported->body, inputs);
  all.resize(imported->outputs.size());
  return all;
}

std::vector<Tensor> run_cpu(const Program& program,
                            std::vector<Tensor> inputs) {
  const auto artifact = compiled(program, {});
  if (artifact == nullptr) return {};
  const auto refs = [](std::vector<Tensor>& tensors) {
    std::vector<TensorRef> out;
    for (Tensor& t : tensors) {
      const std::int64_t start = t.offset * size_bytes(t.dtype());
      out.push_back(
          {t.type, t.storage->data() + static_cast<std::size_t>(start)});
    }
    return out;
  };
  std::vector<Tensor> outputs;
  for (const Type& t : artifact->outputs()) {
    outputs.push_back(Tensor::zeros(t.dtype, t.sizes));
  }
  const auto failure = artifact->launch(refs(inputs), refs(outputs));
  if (failure) ADD_FAILURE() << failure->refusal.message;
  return outputs;
}

void expect_same(const Emulated& got, const std::vector<Tensor>& expected,
                 const std::string& what) {
  EXPECT_THAT(got.faults, IsEmpty()) << what;
  EXPECT_THAT(got.approximate, IsEmpty()) << what;
  ASSERT_EQ(got.outputs.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(same_elements(got.outputs[i], expected[i]))
        << "output " << i << ", " << what;
  }
}

// Indices of a gather stay in range: refusing others is the guards' work.
std::vector<Tensor> some_inputs(const Program& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> inputs = random_inputs(&random, program);
  for (Tensor& t : inputs) {
    if (t.dtype() != DType::i64) continue;
    for (std::int64_t i = 0; i < t.numel(); ++i)
      t.set_number(i, static_cast<double>(i % 10));
  }
  return inputs;
}

TEST(Emulated, KernelsOfEveryKindGiveTheBitsOfTheCpu) {
  ASSAY_NEEDS_NVRTC();
  for (const NamedProgram& p : kCudaPrograms) {
    const Program program = parsed(p.text);
    const std::vector<Tensor> inputs = some_inputs(program, 7);
    const std::vector<Tensor> expected = run_cpu(program, inputs);
    for (const std::string& target : tested_targets()) {
      expect_same(run_cuda(program, inputs, target), expected,
                  std::string(p.name) + " for " + target);
    }
  }
}

// A product, or a convolution as one: so many matrices of rows by columns.
struct CutProduct {
  std::int64_t batches, rows, columns;
  const char* text;
};

// Products for which no tile is too large, and that no tile divides, or all:
// more terms than two blocks of the order, operands with their last two
// dimensions in either order, each size of element.
constexpr CutProduct kCutProducts[] = {
    {2, 131, 130,
     "%0 = input f32[2, 131, 133]\n%1 = input f32[2, 133, 130]\n"
     "%2 = aten.bmm.default(%0, %1)\nreturn %2\n"},
    {1, 128, 128,
     "%0 = input f32[128, 64] strides[1, 128]\n"
     "%1 = input f32[64, 128] strides[1, 64]\n"
     "%2 = aten.mm.default(%0, %1)\nreturn %2\n"},
    {1, 70, 9,
     "%0 = input bf16[70, 65]\n%1 = input bf16[9, 65]\n"
     "%2 = aten.linear.default(%0, %1)\nreturn %2\n"},
    {1, 9, 70,
     "%0 = input f64[9, 150] strides[1, 9]\n%1 = input f64[150, 70]\n"
     "%2 = aten.mm.default(%0, %1)\nreturn %2\n"},
    {1, 35, 33,
     "%0 = input i64[35, 70]\n%1 = input i64[70, 33]\n"
     "%2 = aten.mm.default(%0, %1)\nreturn %2\n"},
    {1, 35, 33,
     "%0 = input i8[35, 70]\n%1 = input i8[70, 33]\n"
     "%2 = aten.mm.default(%0, %1)\nreturn %2\n"},
    {2, 9, 84,
     "%0 = input f32[2, 30, 9, 11]\n%1 = input f32[18, 15, 3, 3]\n"
     "%2 = aten.conv2d.default(%0, %1, none, [2, 1], [2, 0], [1, 2], 2)\n"
     "return %2\n"},
    {1, 17, 60,
     "%0 = input f64[3, 70, 5, 4] strides[1400, 1, 280, 70]\n"
     "%1 = input f64[17, 70, 1, 1]\n"
     "%2 = aten.conv2d.default(%0, %1)\nreturn %2\n"}};

// The program's plan, but with its product cut in the way that `cut` says, into
// tiles of so many rows and columns.
std::string recut(const CutProduct& p, const std::string& target,
                  const std::string& cut, const Shape& tile) {
  const auto artifact = compiled(parsed(p.text), in_order(target));
  if (artifact == nullptr) return {};
  std::string text = artifact->explain("cuda");
  const std::regex call(
      "(a_(?:matmul|convolve_tiles)<[^,]+, \\d+), \\d+, \\d+, \\d+>");
  EXPECT_TRUE(std::regex_search(text, call)) << p.text;
  text = std::regex_replace(text, call, "$1, " + cut + ">");
  const auto ptx = (*cuda_toolchain())->compile(text, target, Nvrtc::Form::ptx);
  if (!ptx.ok()) {
    ADD_FAILURE() << ptx.error().message;
    return {};
  }
  nlohmann::json plan = nlohmann::json::parse(artifact->explain("launches"));
  plan["modules"][0]["ptx"] = *ptx;
  const auto tiles = [](std::int64_t n, std::int64_t of) {
    return (n + of - 1) / of;
  };
  plan["launches"][0]["grid"][0] =
      p.batches * tiles(p.rows, tile[0]) * tiles(p.columns, tile[1]);
  return plan.dump();
}

TEST(Emulated, HoweverAProductIsCutItHasTheBitsOfTheCpu) {
  ASSAY_NEEDS_NVRTC();
  struct Tried {
    const char* cut;
    Shape tile;
    bool wide;  // also for elements of 64 bits
  };
  const Tried kTried[] = {
      {"8, 8, 16", {128, 128}, false}, {"8, 4, 8", {128, 64}, true},
      {"4, 4, 16", {64, 64}, true},    {"2, 2, 32", {32, 32}, true},
      {"1, 4, 16", {16, 64}, true},    {"4, 1, 16", {64, 16}, true},
      {"1, 1, 64", {16, 16}, true},    {"2, 2, 16", {32, 32}, true},
      {"1, 1, 16", {16, 16}, true}};
  for (const CutProduct& p : kCutProducts) {
    const Program program = parsed(p.text);
    const std::vector<Tensor> inputs = some_inputs(program, 3);
    const std::vector<Tensor> expected = run_cpu(program, inputs);
    for (const Tried& t : kTried) {
      if (!t.wide && size_bytes(program.inputs[0].dtype) > 4) continue;
      const std::string plan = recut(p, "sm_90", t.cut, t.tile);
      if (plan.empty()) continue;
      expect_same(emulate(plan, inputs), expected,
                  std::string(t.cut) + " of\n" + p.text);
    }
  }
}

// Rows over their greatest element, which is moderate, or so great or small
// that its reciprocal does not do; with quotients that are subnormal, zeros,
// and what is not finite in some of them.
TEST(Emulated, QuotientsByWhatARowHasAreThoseOfDivision) {
  ASSAY_NEEDS_NVRTC();
  constexpr std::int64_t kRow = 2048;
  const Program program = parsed(
      "%0 = input f32[90, 2048]\n%1 = aten.amax.default(%0, [1], true)\n"
      "%2 = aten.div.Tensor(%0, %1)\nreturn %2\n");
  std::mt19937_64 random(11);
  Tensor x = Tensor::zeros(DType::f32, {90, kRow});
  const auto set = [&](std::int64_t row, std::int64_t i, std::uint32_t bits) {
    x.set_bits(row * kRow + i, bits);
  };
  const auto below = [&](std::uint32_t bits) {
    return static_cast<std::uint32_t>(random() % (bits + 1));
  };
  constexpr int kExponents[] = {-149, -130, -41, -40, -39, -1, 0,
                                1,    15,   59,  60,  61,  126};
  for (std::int64_t row = 0; row < 90; ++row) {
    const int exponent =
        kExponents[static_cast<std::size_t>(row) % std::size(kExponents)];
    const auto most = static_cast<std::uint32_t>(
        encode_float(DType::f32, std::ldexp(1.0, exponent)) |
        (below(0x7fffff)));
    const bool near = row % 2 == 0;  // so that no quotient is small
    for (std::int64_t i = 0; i < kRow; ++i) {
      const std::uint32_t fall = near ? below(0x7ffffff) : below(most);
      const std::uint32_t sign = i % 3 == 0 ? 0x80000000u : 0;
      set(row, i, sign | (most - std::min(most, fall)));
    }
    set(row, row, most);
    set(row, 1000, 0);
    set(row, 1001, 0x80000000u);
  }
  set(82, 5, 0x7f800000u);
  set(84, 5, 0xff800000u);
  set(86, 5, 0x7fc00000u);
  const auto artifact = compiled(program, for_cuda("sm_90"));
  ASSERT_NE(artifact, nullptr);
  EXPECT_THAT(artifact->explain("cuda"), HasSubstr("= a_quotient_by("));
  const std::vector<Tensor> expected = run_graph(program, {x});
  for (const std::string& target : tested_targets()) {
    expect_same(run_cuda(program, {x}, target), expected, target);
  }
}

int programs_to_try() {
  const char* n = std::getenv("ASSAY_TWIN_PROGRAMS");
  return n != nullptr ? std::atoi(n) : 60;
}

TEST(Emulated, RandomProgramsGiveTheBitsOfTheGraph) {
  ASSAY_NEEDS_NVRTC();
  const std::vector<std::string> targets = tested_targets();
  for (int seed = 0; seed < programs_to_try(); ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const Program program = random_program(&random, 4 + seed % 14);
    const std::vector<Tensor> inputs = random_inputs(&random, program);
    const std::string& target =
        targets[static_cast<std::size_t>(seed) % targets.size()];
    expect_same(run_cuda(program, inputs, target), run_graph(program, inputs),
                "seed " + std::to_string(seed) + "\n" + to_text(program));
  }
}

// Every code of e8m0_encode, by the instruction and by bits: each power of two
// and its neighbours, and what is not finite.
TEST(Emulated, E8m0EncodeIsTheSameByInstructionAndByBits) {
  ASSAY_NEEDS_NVRTC();
  std::vector<std::uint64_t> bits = {0,           0x80000000u, 0x7f800000u,
                                     0xff800000u, 0x7fc00000u, 0x7f800001u,
                                     0xffffffffu};
  for (int k = -149; k <= 127; ++k) {
    const std::uint64_t power = encode_float(DType::f32, std::ldexp(1.0, k));
    for (const int step : {-1, 0, 1}) {
      bits.push_back(power + static_cast<std::uint64_t>(step));
      bits.push_back(bits.back() | 0x80000000u);
    }
  }
  const auto n = static_cast<std::int64_t>(bits.size());
  Tensor x = Tensor::zeros(DType::f32, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    x.set_bits(i, bits[static_cast<std::size_t>(i)]);
  }
  const Program program = parsed("%0 = input f32[" + std::to_string(n) +
                                 "]\n%1 = assay.e8m0_encode(%0)\nreturn %1\n");
  const std::vector<Tensor> expected = run_graph(program, {x});
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = std::fabs(x.number(i));
    double code = std::isnan(v) ? 255 : v > 0x1p127 ? 254 : 0;
    if (v > 0x1p-127 && v <= 0x1p127) {
      int k = 0;
      const bool power = std::frexp(v, &k) == 0.5;
      code = k - (power ? 1 : 0) + 127;
    }
    ASSERT_EQ(expected[0].number(i), code) << x.number(i);
  }
  for (const std::string& target : tested_targets()) {
    expect_same(run_cuda(program, {x}, target), expected, target);
  }
}

// What a defect shows as: a fault that the machine names, other bits, or an
// instruction whose bits are the hardware's own.
struct Revealing {
  Defect defect;
  const char* text;
  const char* as;
};

constexpr const char* kProduct =
    "%0 = input f32[33, 70]\n%1 = input f32[70, 19]\n"
    "%2 = aten.mm.default(%0, %1)\nreturn %2\n";
// Of rows that threads cannot hold, that a block holds, and that a team does.
constexpr const char* kLongRow =
    "%0 = input f32[70001]\n%1 = aten.log_softmax.int(%0, 0)\nreturn %1\n";
constexpr const char* kHeldRow =
    "%0 = input f32[9001]\n%1 = aten.layer_norm.default(%0, [9001])\n"
    "return %1\n";
constexpr const char* kTeamsRow =
    "%0 = input f32[200]\n%1 = aten.sum.default(%0)\nreturn %1\n";
constexpr const char* kColumns =
    "%0 = input f32[5000, 40]\n%1 = aten.softmax.int(%0, 0)\n"
    "return %1\n";
constexpr const char* kTwoMosts =
    "%0 = input f32[3001]\n%1 = aten.amax.default(%0, [0])\n"
    "%2 = aten.amin.default(%0, [0])\nreturn %1, %2\n";
constexpr const char* kAcross =
    "%0 = input f32[70, 40]\n%1 = input f32[40, 70]\n"
    "%2 = aten.t.default(%0)\n%3 = aten.add.Tensor(%1, %2)\nreturn %3\n";
constexpr const char* kSumOfSums =
    "%0 = input f32[2500000]\n%1 = aten.sum.default(%0)\nreturn %1\n";
constexpr const char* kQuotient =
    "%0 = input f32[9]\n%1 = aten.mul.Tensor(%0, 1e-39)\n"
    "%2 = aten.div.Tensor(%1, 3.3)\nreturn %2\n";

constexpr Revealing kRevealing[] = {
    {Defect::missing_barrier, kProduct, "race"},
    {Defect::missing_barrier, kLongRow, "race"},
    {Defect::missing_barrier, kHeldRow, "bits"},
    {Defect::missing_barrier, kColumns, "race"},
    {Defect::missing_barrier, kSumOfSums, "race"},
    {Defect::early_reuse, kProduct, "race"},
    {Defect::early_reuse, kLongRow, "race"},
    {Defect::early_reuse, kTwoMosts, "race"},
    {Defect::early_reuse, kColumns, "race"},
    {Defect::missing_barrier, kAcross, "race"},
    {Defect::unguarded_tail, kAcross, "out of bounds"},
    {Defect::wrong_lane_mask, kLongRow, "bits"},
    {Defect::wrong_lane_mask, kHeldRow, "bits"},
    {Defect::wrong_lane_mask, kTeamsRow, "bits"},
    {Defect::wrong_lane_mask, kColumns, "bits"},
    {Defect::wrong_shared_index, kProduct, "bits"},
    {Defect::wrong_shared_index, kLongRow, "bits"},
    {Defect::wrong_shared_index, kHeldRow, "bits"},
    {Defect::unguarded_tail, kQuotient, "out of bounds"},
    {Defect::unordered_atomics, kTeamsRow, "bits"},
    {Defect::tf32, kProduct, "bits"},
    {Defect::ftz, kQuotient, "bits"},
    {Defect::fast_math, kQuotient, "div.approx.ftz.f32"},
    {Defect::approximate_division, kQuotient, "div.full.f32"},
};

// All that a broken run shows.
std::set<std::string> signs(const Emulated& run,
                            const std::vector<Tensor>& expected) {
  std::set<std::string> out(run.approximate.begin(), run.approximate.end());
  for (const std::string& f : run.faults) out.insert(f.substr(0, f.find(':')));
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    if (!same_elements(run.outputs[i], expected[i])) out.insert("bits");
  }
  return out;
}

TEST(Emulated, EachDefectShows) {
  ASSAY_NEEDS_NVRTC();
  for (const DefectRow& row : kDefects) {
    if (row.place != DefectPlace::cuda) continue;
    int shown = 0;
    for (const Revealing& r : kRevealing) {
      if (r.defect != row.defect) continue;
      const Program program = parsed(r.text);
      std::vector<Tensor> inputs;
      std::mt19937_64 random(5);
      std::normal_distribution<double> normal;
      for (const TensorType& t : program.inputs) {
        inputs.push_back(Tensor::zeros(t.dtype, t.sizes));
        for (std::int64_t i = 0; i < inputs.back().numel(); ++i) {
          inputs.back().set_number(i, normal(random));
        }
      }
      const std::vector<Tensor> expected = run_graph(program, inputs);
      expect_same(run_cuda(program, inputs, "sm_90"), expected, r.text);
      const Emulated bad = run_cuda(program, inputs, "sm_90", r.defect);
      EXPECT_THAT(signs(bad, expected), Contains(std::string(r.as)))
          << row.name << " in\n"
          << r.text;
      ++shown;
    }
    EXPECT_GT(shown, 0) << row.name;
  }
}

}  // namespace
}  // namespace assay::compiler
