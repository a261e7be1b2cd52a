// Products by tensor cores on the PTX machine. Their bits are not those of the
// node's order: sums are held against exact ones, within the bound that any
// order of the additions has, and against the CPU's bits where no order rounds.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "compiler/testing/cuda_testing.h"
#include "compiler/testing/emulate.h"

namespace assay::compiler {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// [B, M, K] by [B, K, N], the operands' strides as text or none.
struct Product {
  std::int64_t batches, rows, terms, columns;
  const char* left = "";
  const char* right = "";
};

// Every form of an operand: packs of terms and of lines, whole or in part, and
// elements; more terms than the stages hold, and a few; batches that share an
// operand; results of one row and of one column.
constexpr Product kProducts[] = {
    {1, 136, 200, 136},
    {2, 70, 72, 88, "strides[5184, 1, 72]", "strides[6336, 1, 72]"},
    {2, 131, 133, 130},
    {1, 40, 20, 36, "strides[960, 24, 1]", "strides[800, 40, 1]"},
    {1, 130, 40, 60, "strides[5440, 1, 136]", "strides[3000, 1, 48]"},
    {1, 33, 150, 35, "strides[4950, 1, 33]", "strides[5250, 1, 150]"},
    {1, 40, 64, 24, "strides[5120, 128, 2]", "strides[1536, 24, 1]"},
    {3, 20, 48, 24, "strides[0, 48, 1]", "strides[0, 24, 1]"},
    {2, 1, 400, 70},
    {2, 70, 400, 1},
    {1, 1, 16, 1},
    {1, 9, 17, 5},
};

Program program_of(const Product& p, const char* dtype) {
  return parsed(fmt::format(
      "%0 = input {0}[{1}, {2}, {3}] {5}\n%1 = input {0}[{1}, {3}, {4}] {6}\n"
      "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
      dtype, p.batches, p.rows, p.terms, p.columns, p.left, p.right));
}

// Elements by `draw`, and the same where a stride is 0.
template <class Draw>
std::vector<Tensor> inputs_of(const Program& program, Draw draw) {
  std::vector<Tensor> out;
  for (const TensorType& t : program.inputs) {
    out.push_back(Tensor::strided(t));
    for (std::int64_t i = 0; i < out.back().numel(); ++i) {
      out.back().set_number(i, draw());
    }
  }
  return out;
}

std::vector<Tensor> normal_inputs(const Program& program, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return inputs_of(program, [&] { return normal(random); });
}

// |got - exact| <= gamma_K sum |terms|, and half an ulp of the result's type of
// what that reaches: products are exact in f64, and so for this purpose are
// their sums, whose errors are 2^29 times smaller than the bound.
void expect_within(const Product& p, const std::vector<Tensor>& inputs,
                   const Tensor& got, const std::string& what) {
  ASSERT_EQ(got.numel(), p.batches * p.rows * p.columns) << what;
  const double u = std::ldexp(1.0, -24);
  const auto terms = static_cast<double>(p.terms);
  const double gamma = terms * u / (1 - terms * u);
  const double half_ulp = got.dtype() == DType::f16 ? 0x1p-11 : 0x1p-8;
  for (std::int64_t i = 0; i < got.numel(); ++i) {
    const std::int64_t n = i % p.columns, m = i / p.columns % p.rows;
    const std::int64_t b = i / p.columns / p.rows;
    double exact = 0, magnitude = 0;
    for (std::int64_t k = 0; k < p.terms; ++k) {
      const double term = inputs[0].number((b * p.rows + m) * p.terms + k) *
                          inputs[1].number((b * p.terms + k) * p.columns + n);
      exact += term;
      magnitude += std::fabs(term);
    }
    const double any_order = gamma * magnitude;
    ASSERT_LE(std::fabs(got.number(i) - exact),
              any_order + half_ulp * (std::fabs(exact) + any_order))
        << what << ": batch " << b << ", row " << m << ", column " << n;
  }
}

TEST(TensorCores, ProductsAreWithinTheBoundOfAnyOrder) {
  ASSAY_NEEDS_NVRTC();
  for (const Product& p : kProducts) {
    for (const char* dtype : {"f16", "bf16"}) {
      const Program program = program_of(p, dtype);
      const std::vector<Tensor> inputs = normal_inputs(program, 7);
      for (const std::string& target : tested_targets()) {
        if (target == "sm_75") continue;
        const auto artifact = compiled(program, for_cuda(target));
        ASSERT_NE(artifact, nullptr);
        EXPECT_THAT(artifact->explain("cuda"),
                    HasSubstr("a_matmul_tensor_cores<float, "));
        const Emulated run = emulate(artifact->explain("launches"), inputs);
        const std::string what = to_text(program) + " for " + target;
        EXPECT_THAT(run.faults, IsEmpty()) << what;
        ASSERT_EQ(run.outputs.size(), 1u) << what;
        expect_within(p, inputs, run.outputs[0], what);
        // Forms and tiles are the same on later targets.
        if (target == "sm_90") break;
      }
    }
  }
}

// Small integers: no order rounds, so that an element that is lost, or taken in
// twice, shows in any result.
std::vector<Tensor> integer_inputs(const Program& program) {
  std::mt19937_64 random(3);
  return inputs_of(program, [&] {
    return static_cast<double>(static_cast<int>(random() % 7) - 3);
  });
}

void expect_same(const Emulated& run, const std::vector<Tensor>& expected,
                 const std::string& what) {
  EXPECT_THAT(run.faults, IsEmpty()) << what;
  ASSERT_EQ(run.outputs.size(), expected.size()) << what;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    for (std::int64_t i = 0; i < expected[o].numel(); ++i) {
      ASSERT_EQ(run.outputs[o].number(i), expected[o].number(i))
          << what << ": element " << i << " of output " << o;
    }
  }
}

// The plan of a product that is cut otherwise: with forms of operands as they
// are.
std::string recut(const Program& program, const Product& p,
                  const std::array<int, 6>& cut, std::int64_t shared) {
  const auto artifact = compiled(program, for_cuda("sm_90"));
  if (artifact == nullptr) return {};
  const std::regex call(
      "(a_matmul_tensor_cores<float, 64), \\d+, \\d+, \\d+, \\d+, \\d+, \\d+");
  std::string text = artifact->explain("cuda");
  text =
      std::regex_replace(text, call,
                         fmt::format("$1, {}, {}, {}, {}, {}, {}", cut[0],
                                     cut[1], cut[2], cut[3], cut[4], cut[5]));
  const int threads = 32 * cut[4] * cut[5];
  text = std::regex_replace(
      text,
      std::regex("__launch_bounds__\\(\\d+\\) "
                 "assay_k0"),
      fmt::format("__launch_bounds__({}) assay_k0", threads));
  const auto ptx =
      (*cuda_toolchain())->compile(text, "sm_90", Nvrtc::Form::ptx);
  if (!ptx.ok()) {
    ADD_FAILURE() << ptx.error().message;
    return {};
  }
  nlohmann::json plan = nlohmann::json::parse(artifact->explain("launches"));
  plan["modules"][0]["ptx"] = *ptx;
  auto& launch = plan["launches"][0];
  const auto tiles = [](std::int64_t n, std::int64_t of) {
    return (n + of - 1) / of;
  };
  launch["grid"][0] =
      p.batches * tiles(p.rows, cut[0]) * tiles(p.columns, cut[1]);
  launch["block"][0] = threads;
  launch["shared"] = shared;
  return plan.dump();
}

TEST(TensorCores, EveryTileGivesTheSame) {
  ASSAY_NEEDS_NVRTC();
  struct Cut {
    std::array<int, 6> cut;
    bool elements;  // fits operands that come by elements
  };
  constexpr Cut kCuts[] = {
      {{128, 256, 64, 3, 2, 4}, false}, {{256, 128, 64, 3, 4, 2}, false},
      {{128, 128, 64, 3, 2, 2}, false}, {{128, 64, 64, 3, 2, 2}, false},
      {{64, 64, 64, 3, 2, 2}, false},   {{16, 64, 64, 4, 1, 4}, false},
      {{64, 16, 64, 4, 4, 1}, false},   {{128, 128, 32, 3, 2, 4}, true},
      {{64, 64, 32, 3, 2, 2}, true},    {{64, 64, 32, 2, 2, 2}, true},
      {{16, 64, 64, 3, 1, 4}, true},    {{64, 16, 64, 3, 4, 1}, true}};
  for (const Product& p : kProducts) {
    // As the text calls it, a product by a vector is one of a row.
    if (p.columns == 1) continue;
    const Program program = program_of(p, "f16");
    const bool elements = std::regex_search(
        compiled(program, for_cuda("sm_90"))->explain("cuda"),
        std::regex("a_matmul_tensor_cores<[^>]*(2|3)(, \\d)?>"));
    const std::vector<Tensor> inputs = integer_inputs(program);
    const std::vector<Tensor> expected =
        launched(compiled(program, {}).get(), inputs);
    for (const Cut& c : kCuts) {
      if (elements && !c.elements) continue;
      const std::int64_t shared =
          std::int64_t{c.cut[0] + c.cut[1]} * c.cut[2] * 2 * c.cut[3];
      const std::string plan = recut(program, p, c.cut, shared);
      if (plan.empty()) continue;
      expect_same(emulate(plan, inputs), expected,
                  fmt::format("{}", fmt::join(c.cut, ", ")) + " of\n" +
                      to_text(program));
    }
  }
}

// What is not finite stays in its row and column, and padding adds nothing.
TEST(TensorCores, SpecialValuesStayWhereTheyBelong) {
  ASSAY_NEEDS_NVRTC();
  const double inf = std::numeric_limits<double>::infinity();
  for (const Product& p : kProducts) {
    if (p.left[0] != 0 && p.left[8] == '0') continue;
    const Program program = program_of(p, "bf16");
    std::vector<Tensor> inputs = integer_inputs(program);
    inputs[0].set_number(p.terms - 1, inf);
    inputs[0].set_number(inputs[0].numel() - 1, std::nan(""));
    inputs[1].set_number(inputs[1].numel() - 1, -inf);
    const std::vector<Tensor> expected =
        launched(compiled(program, {}).get(), inputs);
    const auto artifact = compiled(program, for_cuda("sm_90"));
    const Emulated run = emulate(artifact->explain("launches"), inputs);
    EXPECT_THAT(run.faults, IsEmpty());
    for (std::int64_t i = 0; i < expected[0].numel(); ++i) {
      const double want = expected[0].number(i), got = run.outputs[0].number(i);
      ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
          << to_text(program) << i << ": " << got << " and not " << want;
    }
  }
}

TEST(TensorCores, ARowHasTheSameBitsAlone) {
  ASSAY_NEEDS_NVRTC();
  const auto product = [](const std::string& left, const std::string& right) {
    return parsed("%0 = input bf16" + left + "\n%1 = input bf16" + right +
                  "\n%2 = aten.mm.default(%0, %1)\nreturn %2\n");
  };
  for (const std::int64_t columns : {1, 50}) {
    const std::string right = fmt::format("[91, {}]", columns);
    const Program all = product("[130, 91]", right);
    const std::vector<Tensor> inputs = normal_inputs(all, 2);
    const Emulated together =
        emulate(compiled(all, for_cuda("sm_90"))->explain("launches"), inputs);
    const Program one = product("[1, 91]", right);
    for (const std::int64_t row : {0, 77, 129}) {
      std::vector<Tensor> alone = normal_inputs(one, 2);
      alone[1] = inputs[1];
      for (std::int64_t k = 0; k < 91; ++k) {
        alone[0].set_bits(k, inputs[0].bits(row * 91 + k));
      }
      const Emulated run =
          emulate(compiled(one, for_cuda("sm_90"))->explain("launches"), alone);
      for (std::int64_t n = 0; n < columns; ++n) {
        EXPECT_EQ(run.outputs[0].bits(n),
                  together.outputs[0].bits(row * columns + n));
      }
    }
  }
}

// Operations that come down to a product.
TEST(TensorCores, OtherCallsComeToThem) {
  ASSAY_NEEDS_NVRTC();
  constexpr const char* kCalls[] = {
      "%0 = input f16[20, 40]\n%1 = input f16[40, 24]\n%2 = input f16[24]\n"
      "%3 = aten.addmm.default(%2, %0, %1)\nreturn %3\n",
      "%0 = input f16[2, 9, 150]\n%1 = input f16[2, 150, 19]\n"
      "%2 = input f16[2, 1, 19]\n"
      "%3 = aten.baddbmm.default(%2, %0, %1)\nreturn %3\n",
      "%0 = input f16[3, 5, 72]\n%1 = input f16[19, 72]\n%2 = input f16[19]\n"
      "%3 = aten.linear.default(%0, %1, %2)\nreturn %3\n",
      "%0 = input f16[2, 3, 5, 72]\n%1 = input f16[3, 72, 9]\n"
      "%2 = aten.matmul.default(%0, %1)\n%3 = aten.relu.default(%2)\n"
      "return %2, %3\n"};
  for (const char* text : kCalls) {
    const Program program = parsed(text);
    const std::vector<Tensor> inputs = integer_inputs(program);
    const auto artifact = compiled(program, for_cuda("sm_90"));
    EXPECT_THAT(artifact->explain("ptx"), HasSubstr("mma.sync")) << text;
    expect_same(emulate(artifact->explain("launches"), inputs),
                launched(compiled(program, {}).get(), inputs), text);
  }
}

TEST(TensorCores, DefectsShow) {
  ASSAY_NEEDS_NVRTC();
  const Product p = {1, 33, 400, 24};
  const Program program = program_of(p, "f16");
  const std::vector<Tensor> inputs = integer_inputs(program);
  const std::vector<Tensor> expected =
      launched(compiled(program, {}).get(), inputs);
  const auto run = [&](Defect d) {
    const auto artifact = compiled(program, for_cuda("sm_90", d));
    return emulate(artifact->explain("launches"), inputs);
  };
  EXPECT_THAT(run(Defect::missing_barrier).faults,
              Contains(AnyOf(StartsWith("race"), StartsWith("uninitialised"))));
  EXPECT_THAT(run(Defect::early_reuse).faults, Contains(StartsWith("race")));
  for (const Defect d : {Defect::wrong_shared_index, Defect::lose_last_term}) {
    const Emulated bad = run(d);
    bool same = true;
    for (std::int64_t i = 0; i < expected[0].numel(); ++i) {
      same &= bad.outputs[0].bits(i) == expected[0].bits(i);
    }
    EXPECT_FALSE(same) << static_cast<int>(d);
  }
  // A wait for one group too few.
  const auto artifact = compiled(program, for_cuda("sm_90"));
  std::string text = artifact->explain("cuda");
  const std::string wait = "a_await_copies<kStages - 2>();";
  for (std::size_t at = text.find(wait); at != std::string::npos;
       at = text.find(wait, at + 1)) {
    text.replace(at, wait.size(), "a_await_copies<kStages - 1>();");
  }
  const auto ptx =
      (*cuda_toolchain())->compile(text, "sm_90", Nvrtc::Form::ptx);
  ASSERT_TRUE(ptx.ok()) << ptx.error().message;
  nlohmann::json plan = nlohmann::json::parse(artifact->explain("launches"));
  plan["modules"][0]["ptx"] = *ptx;
  EXPECT_THAT(emulate(plan.dump(), inputs).faults, Not(IsEmpty()));
}

}  // namespace
}  // namespace assay::compiler
