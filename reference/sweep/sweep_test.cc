// The sweeps' loops against MPFR: wherever they claim to know, they agree.
#include "reference/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "core/program_text.h"
#include "reference/sweep/function_specs.h"
#include "suite/language/load.h"

namespace assay::reference {
namespace {

const language::SpecSet& specs() {
  static const language::LoadResult loaded =
      language::load_specs(std::string(ASSAY_SOURCE_DIR) + "/specs");
  return loaded.specs;
}

Sweep open_sweep(const language::SpecSet& set, const std::string& op, DType t) {
  Result<Sweep> s = Sweep::open(set, {op, t, {}});
  if (!s) throw std::runtime_error(s.error().message);
  return *s;
}

// How many lanes of each block are looked at.
constexpr std::size_t kLanes = 64;

// Where blocks begin: all over the formats, and where functions leave their
// domains, overflow, underflow and change sign.
std::set<std::uint64_t> telling_blocks(const Sweep& sweep) {
  std::set<std::uint64_t> starts;
  const std::uint64_t last = sweep.inputs() - kLanes;
  const auto add = [&](std::uint64_t bits) {
    const std::uint64_t at = bits < kLanes / 2 ? 0 : bits - kLanes / 2;
    starts.insert(std::min(at, last));
  };
  std::uint64_t seed = 88172645463325252;
  for (int i = 0; i < 6; ++i) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    add(seed % sweep.inputs());
  }
  if (sweep.operands() > 1) return starts;
  for (const double x :
       {0.0, 0x1p-140, 0x1p-126, 1e-4, 0.5, 1.0, 1.4616321, 2.0, 3.5, 11.0,
        35.04, 88.72, 89.42, 104.0, 1e10, 3e38}) {
    const std::uint64_t bits = encode_float(sweep.dtype(), x);
    add(bits);
    add(bits | sign_bit_mask(sweep.dtype()));
  }
  add(positive_infinity_bits(sweep.dtype()));
  return starts;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void expect_same(const Sweep& sweep, std::uint64_t first, const BlockResult& a,
                 const BlockResult& b) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    ASSERT_EQ(a.hard[i], b.hard[i]);
    if (a.hard[i] == kUnspecified) continue;
    ASSERT_TRUE(same(a.rounded[i], b.rounded[i]))
        << "input " << std::hex << first + i << ": " << a.rounded[i]
        << ", MPFR " << b.rounded[i];
    const double size = std::fabs(b.middle(i));
    // Where either of two numbers is right there is no one middle.
    const bool open = a.exact.hi[i] - a.exact.lo[i] > 0x1p-20 * size;
    if (!open && std::isfinite(size) && size > 0x1p-900 && size < 0x1p900) {
      ASSERT_LE(std::fabs(a.middle(i) - b.middle(i)), 0x1p-40 * size)
          << sweep.name() << " " << std::hex << first + i;
    }
  }
}

// All engines against one account by MPFR.
void expect_agreement(const Sweep& sweep) {
  const auto slow = SweepOracle::make(sweep, nullptr);
  ASSERT_TRUE(slow.ok());
  const std::set<std::uint64_t> starts = telling_blocks(sweep);
  std::vector<std::unique_ptr<BlockResult>> right;
  for (const std::uint64_t first : starts) {
    right.push_back(std::make_unique<BlockResult>());
    const Status s = (*slow)->golden(first, kLanes, right.back().get());
    ASSERT_TRUE(s.ok()) << s.error().message;
  }
  const auto block = std::make_unique<BlockResult>();
  for (const Engine& engine : engines()) {
    SCOPED_TRACE(sweep.name() + " by " + engine.name);
    const auto fast = SweepOracle::make(sweep, &engine);
    ASSERT_TRUE(fast.ok());
    EXPECT_EQ((*fast)->slow(), "");
    auto expected = right.begin();
    for (const std::uint64_t first : starts) {
      const Status s = (*fast)->golden(first, kLanes, block.get());
      ASSERT_TRUE(s.ok()) << s.error().message;
      expect_same(sweep, first, *block, **expected++);
    }
    // The loops have to do the work.
    EXPECT_LT((*fast)->decided_by_mpfr(), starts.size() * kLanes / 4);
  }
}

TEST(Sweep, LoopsAgreeWithMpfrOnEveryFunction) {
  for (const std::string& name : function_names()) {
    expect_agreement(open_sweep(function_specs(), name, DType::f32));
    expect_agreement(open_sweep(function_specs(), name, DType::bf16));
  }
}

TEST(Sweep, LoopsAgreeWithMpfrOnOperations) {
  for (const char* op :
       {"sigmoid", "silu", "relu", "rsqrt", "reciprocal", "ceil", "trunc",
        "abs", "neg", "gelu", "tanh", "mish"}) {
    for (const DType t : {DType::f32, DType::f16, DType::bf16}) {
      expect_agreement(open_sweep(specs(), op, t));
    }
  }
}

// Half of all inputs lie where the exponential of a double overflows. Branches
// that are not taken there may divide by zero (in the bounds of silu and mish)
// or multiply infinity by it (erfcx).
TEST(Sweep, FarTailsNeedNoMpfr) {
  const auto block = std::make_unique<BlockResult>();
  for (const char* op :
       {"sigmoid", "softplus", "tanh", "silu", "mish", "special_erfcx"}) {
    const Sweep sweep = open_sweep(specs(), op, DType::f32);
    const auto oracle = SweepOracle::make(sweep, &engines().front());
    ASSERT_TRUE(oracle.ok());
    for (const double x : {-1e3, -1e10, -3e38, 1e5, 3e38}) {
      const std::uint64_t first = encode_float(DType::f32, x);
      const Status s = (*oracle)->golden(first, kLanes, block.get());
      ASSERT_TRUE(s.ok()) << s.error().message;
    }
    EXPECT_EQ((*oracle)->decided_by_mpfr(), 0u) << op;
  }
}

TEST(Sweep, LoopsAgreeWithMpfrOnPairs) {
  for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum",
                         "pow", "atan2", "hypot", "fmod", "remainder"}) {
    for (const DType t : {DType::f16, DType::bf16}) {
      const Sweep sweep = open_sweep(specs(), op, t);
      EXPECT_EQ(sweep.inputs(), std::uint64_t{1} << 32);
      expect_agreement(sweep);
    }
  }
}

// Where elements() gives one element for many inputs, each of them has it.
// Returns for how many blocks that was a number.
int common_blocks(const Sweep& sweep) {
  const auto oracle = SweepOracle::make(sweep, &engines().front());
  EXPECT_TRUE(oracle.ok());
  EXPECT_EQ((*oracle)->slow(), "");
  const auto common = std::make_unique<BlockResult>();
  const auto each = std::make_unique<BlockResult>();
  constexpr std::uint64_t kBinade = 1 << 23;
  int count = 0;
  // Both ends of every binade and two places within.
  for (std::uint64_t at = 0; at < sweep.inputs(); at += kBinade) {
    for (const std::uint64_t offset :
         {std::uint64_t{0}, kBinade / 3 / kBlock * kBlock,
          kBinade * 2 / 3 / kBlock * kBlock, kBinade - kBlock}) {
      const std::uint64_t first = at + offset;
      const Status s = (*oracle)->elements(first, 1, common.get());
      if (!s) {
        ADD_FAILURE() << s.error().message;
        return count;
      }
      if (!common->common || std::isnan(common->rounded[0])) continue;
      ++count;
      EXPECT_TRUE((*oracle)->golden(first, kBlock, each.get()).ok());
      for (std::size_t i = 0; i < kBlock; ++i) {
        if (same(common->rounded[0], each->rounded[i])) continue;
        ADD_FAILURE() << sweep.name() << " input " << std::hex << first + i
                      << ": " << common->rounded[0] << ", not "
                      << each->rounded[i];
        return count;
      }
    }
  }
  return count;
}

TEST(Sweep, WhatIsCommonToASpanIsEachInputsOwn) {
  std::set<std::string> none;
  for (const std::string& name : function_names()) {
    const Sweep sweep = open_sweep(function_specs(), name, DType::f32);
    if (common_blocks(sweep) == 0) none.insert(name);
  }
  for (const char* op : {"sigmoid", "silu", "relu", "ceil", "trunc", "sign",
                         "gelu", "softplus", "sinc", "logit"}) {
    const int common = common_blocks(open_sweep(specs(), op, DType::f32));
    if (common == 0) none.insert(op);
  }
  // Neighbours of these have numbers of their own, or cannot be told to share.
  EXPECT_EQ(none, (std::set<std::string>{"acosh", "asin", "asinh", "atanh",
                                         "cbrt", "cos", "log", "log10", "log1p",
                                         "log2", "logit", "rsqrt", "sin",
                                         "sinc", "sqrt", "tan"}));
}

TEST(Sweep, SaysWhatCannotBeSwept) {
  struct Case {
    const char* op;
    DType t;
    const char* text;
  };
  for (const Case& c :
       {Case{"nothing", DType::f32, "no operation is called"},
        Case{"add", DType::f32, "32 bits"}, Case{"exp", DType::f64, "32 bits"},
        Case{"mm", DType::f16, "pointwise"},
        Case{"cat", DType::f16, "pointwise"}}) {
    const Result<Sweep> s = Sweep::open(specs(), {c.op, c.t, {}});
    ASSERT_FALSE(s.ok()) << c.op;
    EXPECT_NE(s.error().message.find(c.text), std::string::npos)
        << s.error().message;
  }
}

TEST(Sweep, InputsAreTheOperandsPatterns) {
  const Sweep pairs = open_sweep(specs(), "add", DType::bf16);
  const std::vector<Tensor> t = pairs.tensors(0x12348000, 3);
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t[0].bits(2), 0x1234u);
  EXPECT_EQ(t[1].bits(2), 0x8002u);
  EXPECT_EQ(pairs.operand(0x12348002, 0), 0x1234u);
  EXPECT_EQ(pairs.operand(0x12348002, 1), 0x8002u);
}

}  // namespace
}  // namespace assay::reference
