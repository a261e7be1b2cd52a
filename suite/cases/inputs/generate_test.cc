#include "suite/cases/inputs/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "core/special_values.h"
#include "suite/language/syntax/parse_expr.h"

namespace assay::cases {
namespace {

Operand operand_of(language::Generator g, DType t, Shape sizes,
                   std::uint64_t seed = 7) {
  Operand p;
  p.dtype = t;
  p.sizes = std::move(sizes);
  p.data = std::make_shared<const language::Generator>(std::move(g));
  p.seed = seed;
  return p;
}

language::Generator two(language::Generator::Kind kind, double a, double b) {
  language::Generator g;
  g.kind = kind;
  g.a = a;
  g.b = b;
  return g;
}

language::Literal number(double v) {
  language::Literal l;
  l.number = v;
  return l;
}

std::vector<double> numbers(const Operand& p) {
  const Tensor t = generate(p);
  std::vector<double> out;
  for (std::int64_t n = 0; n < t.numel(); ++n) out.push_back(t.number(n));
  return out;
}

TEST(Generate, NormalIsFixedForEver) {
  // Recorded outputs and known failures refer to these very inputs.
  const Operand p = operand_of(two(language::Generator::Kind::normal, 0, 1),
                               DType::f32, {4}, 1);
  EXPECT_EQ(generate_bits(p),
            (std::vector<std::uint64_t>{0x3fb6510a, 0xbf1e7082, 0xbf173c7d,
                                        0x3fb76b8b}));
}

TEST(Generate, SameSeedSameBitsOtherSeedOthers) {
  for (const auto kind :
       {language::Generator::Kind::normal, language::Generator::Kind::uniform,
        language::Generator::Kind::log_uniform,
        language::Generator::Kind::integers}) {
    const language::Generator g = two(kind, -5, 50);
    const auto first = generate_bits(operand_of(g, DType::f64, {100}, 1));
    EXPECT_EQ(first, generate_bits(operand_of(g, DType::f64, {100}, 1)));
    EXPECT_NE(first, generate_bits(operand_of(g, DType::f64, {100}, 2)));
  }
}

TEST(Generate, NormalHasItsMoments) {
  const auto v = numbers(operand_of(
      two(language::Generator::Kind::normal, 3, 2), DType::f64, {100000}));
  double sum = 0, squares = 0;
  for (const double x : v) sum += x;
  const double mean = sum / static_cast<double>(v.size());
  for (const double x : v) squares += (x - mean) * (x - mean);
  EXPECT_NEAR(mean, 3, 0.03);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(v.size())), 2, 0.03);
}

TEST(Generate, UniformStaysInItsRangeAndReachesItsEnds) {
  const auto v = numbers(operand_of(
      two(language::Generator::Kind::uniform, -1, 3), DType::f64, {10000}));
  const auto [lo, hi] = std::minmax_element(v.begin(), v.end());
  EXPECT_GE(*lo, -1);
  EXPECT_LT(*lo, -0.99);
  EXPECT_LT(*hi, 3);
  EXPECT_GT(*hi, 2.99);
}

TEST(Generate, LogUniformCoversEveryExponentAndBothSigns) {
  const auto v = numbers(operand_of(
      two(language::Generator::Kind::log_uniform, -3, 2), DType::f32, {1000}));
  std::set<int> exponents;
  std::set<bool> signs;
  for (const double x : v) {
    exponents.insert(std::ilogb(x));
    signs.insert(x < 0);
  }
  EXPECT_EQ(exponents, (std::set<int>{-3, -2, -1, 0, 1}));
  EXPECT_EQ(signs.size(), 2u);
}

TEST(Generate, IntegersFillTheirRangeWithinTheDtype) {
  for (const auto& [t, lo, hi] :
       {std::tuple{DType::i64, -3, 3}, std::tuple{DType::u8, 0, 3},
        std::tuple{DType::f16, -3, 3}}) {
    std::set<double> seen;
    for (const double v : numbers(operand_of(
             two(language::Generator::Kind::integers, -3, 3), t, {500}))) {
      seen.insert(v);
    }
    EXPECT_EQ(*seen.begin(), lo);
    EXPECT_EQ(*seen.rbegin(), hi);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(hi - lo + 1));
  }
}

TEST(Generate, EveryDefaultIsVariedInEveryDtype) {
  for (const DType t : kAllDTypes) {
    Operand p = operand_of({}, t, {200});
    p.data = default_generator(t);
    const auto v = numbers(p);
    EXPECT_GE(std::set<double>(v.begin(), v.end()).size(),
              t == DType::boolean ? 2u : 10u)
        << dtype_name(t);
  }
}

TEST(Generate, RealsBecomeElementsOfIntegersAndBool) {
  for (const DType t : {DType::u8, DType::i32, DType::u64, DType::boolean}) {
    const auto v = numbers(
        operand_of(two(language::Generator::Kind::normal, 0, 500), t, {500}));
    const auto [lo, hi] = std::minmax_element(v.begin(), v.end());
    EXPECT_GE(*lo, static_cast<double>(integer_min(t)));
    EXPECT_LE(*hi, static_cast<double>(integer_max(t)));
    EXPECT_NE(*lo, *hi);
  }
}

TEST(Generate, RegularSequences) {
  using V = std::vector<double>;
  EXPECT_EQ(numbers(operand_of(two(language::Generator::Kind::arange, 2, 0.5),
                               DType::f32, {2, 2})),
            (V{2, 2.5, 3, 3.5}));
  EXPECT_EQ(numbers(operand_of(two(language::Generator::Kind::linspace, -1, 1),
                               DType::f32, {5})),
            (V{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(numbers(operand_of(two(language::Generator::Kind::linspace, -1, 1),
                               DType::f32, {1})),
            (V{-1}));
  const auto powers =
      numbers(operand_of(two(language::Generator::Kind::powers_of_two, -149, 0),
                         DType::f32, {277}));
  EXPECT_EQ(powers.front(), 0x1p-149);
  EXPECT_EQ(powers.back(), 0x1p127);
  EXPECT_EQ(powers[149], 1);
}

TEST(Generate, NextMovesEachElement) {
  language::Generator g = two(language::Generator::Kind::powers_of_two, 0, 0);
  g.next = -1;
  const auto v = numbers(operand_of(g, DType::f32, {3}));
  for (int n = 0; n < 3; ++n) {
    const auto power = std::ldexp(1.0F, n);
    EXPECT_EQ(v[static_cast<std::size_t>(n)], std::nextafter(power, 0.0F));
  }
}

TEST(Generate, FormulaSeesItsIndices) {
  language::Generator g;
  g.kind = language::Generator::Kind::formula;
  g.formula = *language::parse_expr("(j*4 + i) / 7");
  g.formula_index = {"i", "j"};
  const auto v = numbers(operand_of(g, DType::f32, {4, 5}));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      EXPECT_EQ(v[static_cast<std::size_t>(i * 5 + j)],
                static_cast<float>(j * 4 + i) / 7.0F);
    }
  }
}

TEST(Generate, AllBitsHoldsEveryPatternOnce) {
  language::Generator g;
  g.kind = language::Generator::Kind::all_bits;
  const auto bits = generate_bits(operand_of(g, DType::bf16, {65536}));
  EXPECT_EQ(std::set<std::uint64_t>(bits.begin(), bits.end()).size(), 65536u);
}

TEST(Generate, SpecialValuesAreThereInEveryFloat) {
  for (const DType t :
       {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e5m2}) {
    const auto list = special_values(t);
    const std::set<std::uint64_t> bits(list.begin(), list.end());
    EXPECT_EQ(bits.size(), list.size()) << "each once";
    const std::uint64_t one = encode_float(t, 1.0);
    const std::uint64_t inf = positive_infinity_bits(t);
    for (const std::uint64_t wanted :
         {encode_float(t, 0.0), encode_float(t, -0.0), inf,
          encode_float(t, -INFINITY), quiet_nan_bits(t), inf - 1,
          std::uint64_t{1}, one, one + 1, one - 1, encode_float(t, -1.0),
          encode_float(t, std::ldexp(1.0, float_format(t).emin)),
          encode_float(t, std::ldexp(1.0, float_format(t).emin)) - 1}) {
      EXPECT_TRUE(bits.contains(wanted)) << dtype_name(t) << " " << wanted;
    }
    // Short lists keep what hides mistakes best.
    const auto brief = brief_special_values(t);
    const std::set<std::uint64_t> kept(brief.begin(), brief.end());
    for (const std::uint64_t wanted :
         {inf, quiet_nan_bits(t), encode_float(t, -0.0), inf - 1}) {
      EXPECT_TRUE(kept.contains(wanted));
    }
  }
}

TEST(Generate, SpecialIntegersStayInTheirDtype) {
  for (const DType t : kAllDTypes) {
    if (!is_integer(t)) continue;
    std::set<std::int64_t> places;
    for (const std::uint64_t bits : special_values(t)) {
      EXPECT_EQ(bits & ~width_mask(t), 0u);
      places.insert(integer_place(t, bits));
    }
    const auto at = [t](std::uint64_t bits) {
      return integer_place(t, bits & width_mask(t));
    };
    EXPECT_EQ(places.size(), special_values(t).size());
    EXPECT_EQ(*places.begin(), at(static_cast<std::uint64_t>(integer_min(t))));
    EXPECT_EQ(*places.rbegin(), at(integer_max(t)));
    EXPECT_TRUE(places.contains(at(0)) && places.contains(at(1)));
    for (const int e : {53, 62, 63}) {
      const std::uint64_t power = std::uint64_t{1} << e;
      for (const std::uint64_t v : {power - 1, power, power + 1}) {
        if (v > integer_max(t)) continue;
        EXPECT_TRUE(places.contains(at(v))) << dtype_name(t) << " " << v;
      }
    }
  }
}

TEST(Generate, CrossMeetsEveryPair) {
  language::Generator g;
  g.kind = language::Generator::Kind::special;
  const std::int64_t m = cross_size(g, DType::f16, false);
  const std::int64_t n = cross_size(g, DType::u8, false);
  Operand a = operand_of(g, DType::f16, {m * n});
  Operand b = operand_of(g, DType::u8, {m * n});
  a.spread = b.spread = Spread::cross;
  b.cross_stride = m;
  const auto left = generate_bits(a), right = generate_bits(b);
  std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::size_t k = 0; k < left.size(); ++k) {
    pairs.emplace(left[k], right[k]);
  }
  EXPECT_EQ(pairs.size(), static_cast<std::size_t>(m * n));
}

TEST(Generate, SparsePutsOneValueInEachRow) {
  language::Generator g;
  g.kind = language::Generator::Kind::values;
  g.values = {number(INFINITY), number(-INFINITY)};
  Operand p = operand_of(g, DType::f32, {6, 9});
  p.spread = Spread::sparse;
  const auto v = numbers(p);
  std::set<int> places;
  for (int row = 0; row < 6; ++row) {
    int found = 0;
    for (int column = 0; column < 9; ++column) {
      const double x = v.at(static_cast<std::size_t>(row) * 9 +
                            static_cast<std::size_t>(column));
      if (!std::isinf(x)) continue;
      ++found;
      places.insert(column);
      EXPECT_EQ(x < 0, row % 2 == 1);
    }
    EXPECT_EQ(found, 1) << "row " << row;
  }
  EXPECT_GT(places.size(), 2u) << "in front and at the end";
}

TEST(Generate, PokesReplaceElements) {
  Operand p = operand_of(two(language::Generator::Kind::integers, 0, 3),
                         DType::i64, {5});
  const auto before = numbers(p);
  language::Literal least;
  least.integral = true;
  least.integer = std::numeric_limits<std::int64_t>::min();
  p.pokes = {{2, least, "least"}};
  const auto after = numbers(p);
  for (std::size_t n = 0; n < 5; ++n) {
    EXPECT_EQ(after[n], n == 2 ? -0x1p63 : before[n]);
  }
}

TEST(CheckPlan, SaysWhatCannotBeMade) {
  const auto message = [](const Operand& p) {
    const Status s = check_operand(p);
    return s ? std::string() : s.error().message;
  };
  language::Generator values;
  values.kind = language::Generator::Kind::values;
  EXPECT_EQ(message(operand_of(values, DType::f32, {3})),
            "`values` needs at least one value");
  values.values = {number(0.5)};
  EXPECT_EQ(message(operand_of(values, DType::f32, {3})), "");
  EXPECT_EQ(message(operand_of(values, DType::i32, {3})),
            "0.500000 is no element of i32");
  language::Generator all;
  all.kind = language::Generator::Kind::all_bits;
  EXPECT_EQ(message(operand_of(all, DType::f32, {3})),
            "all_bits is for 8- and 16-bit types, not f32");
  language::Generator formula;
  formula.kind = language::Generator::Kind::formula;
  formula.formula = *language::parse_expr("i + rank");
  formula.formula_index = {"i"};
  EXPECT_EQ(message(operand_of(formula, DType::f32, {3, 3})),
            "the formula names 1 indices for a tensor of rank 2");
  EXPECT_NE(message(operand_of(formula, DType::f32, {3})).find("'rank'"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::cases
