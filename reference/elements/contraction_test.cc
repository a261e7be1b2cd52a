// Sums of products against a naive evaluation in exact arithmetic.
#include "reference/elements/contraction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/elements/accuracy.h"
#include "reference/golden/admits.h"
#include "reference/testing/test_specs.h"

namespace assay::reference {
namespace {

constexpr int kExact = 3000;

Tensor random_tensor(RandomNumbers& random, DType t, Shape sizes,
                     bool with_zeros = false) {
  Tensor x = Tensor::zeros(t, std::move(sizes));
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const bool zero = with_zeros && random.integer(0, 3) == 0;
    x.set_number(
        i, zero ? (random.integer(0, 1) ? 0.0 : -0.0) : random.uniform(-2, 2));
  }
  return x;
}

// The first term begins the sum: the sum of a single -0 is -0, not +0 + -0.
struct Naive {
  Mp sum;
  double magnitude = 0;
  double terms = 0;
  std::vector<double> products;  // NaN where one is no double

  void add(double a, double b) {
    const double r = a * b;
    products.push_back(std::fma(a, b, -r) == 0 ? r : std::nan(""));
    const Mp p = product(exact<Mp>(a), exact<Mp>(b)).down;
    sum = terms == 0 ? p : reference::sum(sum, p).down;
    magnitude += std::fabs(a * b);
    terms += 1;
  }

  // Are all terms multiples of what the last of `precision` bits counts in a
  // number as large as all of them together?
  bool is_exact(int precision) const {
    const int e = std::ilogb(magnitude);
    const bool power = std::ldexp(1.0, e) == magnitude;
    const double unit = std::ldexp(1.0, (power ? e : e + 1) - precision);
    return std::all_of(products.begin(), products.end(), [unit](double x) {
      return std::remainder(x, unit) == 0;
    });
  }
};

// The set that gamma_h * sum |terms| gives, or up to 2^-15 part of it more:
// kWider, and as much again for tolerances and magnitudes being rounded up.
void expect_dot(const ElementSet& e, DType t, const Naive& n, double height) {
  const DType in = opmath(t);
  const FloatFormat f = float_format(in);
  if (n.magnitude > 0 && n.is_exact(f.precision)) height = 0;
  const double u = std::ldexp(1.0, -f.precision);
  const double gamma = height * u / (1 - height * u);
  const auto ends = [&](double widening) {
    if (n.magnitude == 0) {
      // A sum may start from +0.
      return std::pair{nearest_bits(t, n.sum), std::uint64_t{0}};
    }
    const Mp d = exact<Mp>(gamma * n.magnitude * widening);
    const Mp low = sum(n.sum, negated(d)).down;
    const Mp high = sum(n.sum, d).up;
    if (t == in) {
      return std::pair{bits_at_or_above(t, low), bits_at_or_below(t, high)};
    }
    return std::pair{nearest_bits(t, low), nearest_bits(t, high)};
  };
  const auto [low, high] = ends(1);
  const auto [low_most, high_most] = ends(1 + 2 * kWider);
  const auto place = [t](std::uint64_t bits) { return ordinal(t, bits); };
  ASSERT_LE(place(e.lo), place(low));
  ASSERT_GE(place(e.lo), place(low_most));
  ASSERT_GE(place(e.hi), place(high));
  ASSERT_LE(place(e.hi), place(high_most));
}

TEST(Contraction, BatchedProductsAreNaiveSums) {
  RandomNumbers random(41);
  const PrecisionScope precision(kExact);
  for (const DType t : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    const std::int64_t b = 2, m = 3, k = 17, n = 4;
    const Tensor x = random_tensor(random, t, {b, m, k}, true);
    const Tensor y = random_tensor(random, t, {b, k, n}, true);
    const std::string name(dtype_name(t));
    const Golden g = golden_of("%0 = input " + name + "[2, 3, 17]\n" +
                                   "%1 = input " + name + "[2, 17, 4]\n" +
                                   "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
                               {x, y});
    for (std::int64_t i = 0; i < b * m * n; ++i) {
      Naive naive;
      const std::int64_t batch = i / (m * n);
      for (std::int64_t j = 0; j < k; ++j) {
        naive.add(x.number(i / n * k + j),
                  y.number((batch * k + j) * n + i % n));
      }
      expect_dot(g.outputs[0].elements[static_cast<std::size_t>(i)], t, naive,
                 static_cast<double>(k) + 1);
    }
  }
}

TEST(Contraction, ConvolutionsWithStridePaddingAndGroups) {
  RandomNumbers random(42);
  const PrecisionScope precision(kExact);
  struct Config {
    std::int64_t n, c, h, w, o, groups, r, s, sy, sx, py, px;
  };
  for (const Config& q : {Config{2, 4, 5, 6, 6, 2, 3, 3, 1, 1, 1, 1},
                          Config{1, 2, 7, 4, 3, 1, 2, 3, 2, 1, 2, 3},
                          Config{1, 3, 4, 4, 3, 3, 1, 1, 3, 2, 0, 0},
                          Config{1, 1, 1, 1, 1, 1, 3, 3, 1, 1, 1, 1}}) {
    const Tensor x =
        random_tensor(random, DType::f32, {q.n, q.c, q.h, q.w}, true);
    const Tensor w =
        random_tensor(random, DType::f32, {q.o, q.c / q.groups, q.r, q.s});
    const auto list = [](std::initializer_list<std::int64_t> l) {
      std::string text;
      for (const std::int64_t v : l) {
        text += (text.empty() ? "" : ", ") + std::to_string(v);
      }
      return "[" + text + "]";
    };
    const Golden g = golden_of(
        "%0 = input f32" + list({q.n, q.c, q.h, q.w}) + "\n%1 = input f32" +
            list({q.o, q.c / q.groups, q.r, q.s}) +
            "\n%2 = aten.conv.default(%0, %1, " + list({q.sy, q.sx}) + ", " +
            list({q.py, q.px}) + ", " + std::to_string(q.groups) +
            ")\nreturn %2\n",
        {x, w});
    const std::int64_t oh = (q.h + 2 * q.py - q.r) / q.sy + 1;
    const std::int64_t ow = (q.w + 2 * q.px - q.s) / q.sx + 1;
    ASSERT_EQ(g.outputs[0].type.sizes, (Shape{q.n, q.o, oh, ow}));
    const std::int64_t per_group = q.c / q.groups;
    std::size_t at = 0;
    for (std::int64_t n = 0; n < q.n; ++n) {
      for (std::int64_t o = 0; o < q.o; ++o) {
        for (std::int64_t yy = 0; yy < oh; ++yy) {
          for (std::int64_t xx = 0; xx < ow; ++xx) {
            Naive naive;
            for (std::int64_t c = 0; c < per_group; ++c) {
              for (std::int64_t r = 0; r < q.r; ++r) {
                for (std::int64_t s = 0; s < q.s; ++s) {
                  const std::int64_t row = yy * q.sy + r - q.py;
                  const std::int64_t column = xx * q.sx + s - q.px;
                  const bool padding =
                      row < 0 || row >= q.h || column < 0 || column >= q.w;
                  const std::int64_t channel =
                      o / (q.o / q.groups) * per_group + c;
                  // Padding is zeros, and what they are multiplied with
                  // decides the sign of a sum of nothing but zeros.
                  naive.add(
                      padding
                          ? 0.0
                          : x.number(((n * q.c + channel) * q.h + row) * q.w +
                                     column),
                      w.number(((o * per_group + c) * q.r + r) * q.s + s));
                }
              }
            }
            expect_dot(g.outputs[0].elements[at++], DType::f32, naive,
                       static_cast<double>(per_group * q.r * q.s) + 1);
          }
        }
      }
    }
  }
}

// What padding meets is multiplied by zero, whatever else is in the window.
TEST(Contraction, PaddingMeetsAnInfiniteWeight) {
  Tensor x = Tensor::zeros(DType::f32, {1, 1, 2, 2});
  Tensor w = Tensor::zeros(DType::f32, {1, 1, 2, 2});
  for (std::int64_t i = 0; i < 4; ++i) {
    x.set_number(i, 1);
    w.set_number(i, i == 3 ? std::numeric_limits<double>::infinity() : 1);
  }
  const Golden g = golden_of(
      "%0 = input f32[1, 1, 2, 2]\n%1 = input f32[1, 1, 2, 2]\n"
      "%2 = aten.conv.default(%0, %1, [1, 1], [1, 1], 1)\nreturn %2\n",
      {x, w});
  ASSERT_EQ(g.outputs[0].type.sizes, (Shape{1, 1, 3, 3}));
  for (std::size_t i = 0; i < 9; ++i) {
    const bool outside = i / 3 == 2 || i % 3 == 2;
    const std::uint64_t bits = outside ? quiet_nan_bits(DType::f32)
                                       : positive_infinity_bits(DType::f32);
    EXPECT_TRUE(admits(g.outputs[0].elements[i], DType::f32, bits)) << i;
  }
}

TEST(Contraction, WindowsThatDependOnTheOutputIndex) {
  RandomNumbers random(43);
  const PrecisionScope precision(kExact);
  const Tensor x = random_tensor(random, DType::f32, {11});
  const Golden g = golden_of(
      "%0 = input f32[11]\n%1 = aten.pool.default(%0, 4)\nreturn %1\n", {x});
  for (std::int64_t y = 0; y < 4; ++y) {
    Naive naive;
    for (std::int64_t i = y * 11 / 4; i < ((y + 1) * 11 + 3) / 4; ++i) {
      naive.add(x.number(i), 1);
    }
    const double terms = naive.terms;
    naive.sum = quotient(naive.sum, exact<Mp>(terms)).down;
    naive.magnitude /= terms;
    for (double& p : naive.products) p /= terms;
    expect_dot(g.outputs[0].elements[static_cast<std::size_t>(y)], DType::f32,
               naive, terms + 1);
  }
}

TEST(Contraction, SmallIntegersAreSummedExactly) {
  // Products of f16 with few bits: the sums are exact and so are the ends.
  const Golden g = golden_of(
      "%0 = input i32[1, 2, 3]\n%1 = input i32[1, 3, 1]\n"
      "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
      {tensor_of(DType::i32, {1, 2, 3}, {1, 2, 3, 100000, -100000, 7}),
       tensor_of(DType::i32, {1, 3, 1}, {4, 5, 6})});
  EXPECT_EQ(g.precision, 53);
  EXPECT_EQ(g.outputs[0].elements[0].lo, 32u);
  EXPECT_EQ(g.outputs[0].elements[1].lo,
            static_cast<std::uint32_t>(-100000 + 42));
}

TEST(Contraction, NonFiniteTermsFollowIeee) {
  const double inf = kInfinity;
  const Golden g = golden_of(
      "%0 = input f32[1, 4, 2]\n%1 = input f32[1, 2, 1]\n"
      "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
      {tensor_of(DType::f32, {1, 4, 2}, {inf, 1, inf, -inf, 0.0, 5, 1, 1}),
       tensor_of(DType::f32, {1, 2, 1}, {1, 1})});
  const auto& e = g.outputs[0].elements;
  EXPECT_EQ(e[0].lo, 0x7f800000u);
  EXPECT_FALSE(e[0].nan);
  EXPECT_TRUE(e[1].nan && !e[1].has_values);
  EXPECT_TRUE(admits(e[2], DType::f32, 0x40a00000));
  EXPECT_TRUE(admits(e[3], DType::f32, 0x40000000));
}

TEST(Contraction, PartialOverflowIsAdmittedWhereItCanHappen) {
  const double big = 3e38;
  const Golden g = golden_of(
      "%0 = input f32[3, 3]\n%1 = aten.sum.default(%0, [1])\nreturn %1\n",
      {tensor_of(DType::f32, {3, 3},
                 {big, big, -big, big, -big, 1, big, 1, 1})});
  const auto& e = g.outputs[0].elements;
  // big + big - big may overflow to +inf, in no order to -inf or NaN.
  EXPECT_TRUE(admits(e[0], DType::f32, 0x7f800000));
  EXPECT_FALSE(admits(e[0], DType::f32, 0xff800000));
  EXPECT_FALSE(e[0].nan);
  EXPECT_FALSE(admits(e[1], DType::f32, 0x7f800000));
  EXPECT_FALSE(admits(e[2], DType::f32, 0x7f800000));
}

// Whatever the order, no partial sum of these is rounded: one lost element, or
// one that is added twice, is an error.
TEST(Contraction, IntegersThatFitTheSignificandHaveOneSum) {
  const auto sum_of = [](std::vector<double> x, DType t = DType::f32) {
    const auto n = static_cast<std::int64_t>(x.size());
    const Golden g =
        golden_of(fmt::format("%0 = input {}[1, {}]\n"
                              "%1 = aten.sum.default(%0, [1])\nreturn %1\n",
                              dtype_name(t), n),
                  {tensor_of(t, {1, n}, x)});
    return g.outputs[0].elements[0];
  };
  const auto single = [](const ElementSet& e) { return e.lo == e.hi; };
  for (const std::size_t n : {1, 7, 64, 1000, 16384}) {
    EXPECT_TRUE(single(sum_of(std::vector<double>(n, 1)))) << n;
    EXPECT_TRUE(single(sum_of(std::vector<double>(n, -0.375)))) << n;
    EXPECT_FALSE(n > 1 && single(sum_of(std::vector<double>(n, 0.1)))) << n;
  }
  EXPECT_TRUE(single(sum_of({0x1p23, -1, 0, 0x1p22})));
  // 2^24 and 1 together need 25 bits: some order rounds.
  EXPECT_FALSE(single(sum_of({0x1p24, 1, 1, 1})));
  // f16 is summed in f32 and rounded once.
  EXPECT_TRUE(single(sum_of(std::vector<double>(3000, 3), DType::f16)));
  const std::int64_t k = 4096;
  std::vector<double> a, b;
  for (std::int64_t i = 0; i < k; ++i) {
    a.push_back(static_cast<double>(i % 7 - 3));
    b.push_back(static_cast<double>(i % 5 - 2) / 4);
  }
  const Golden g = golden_of(
      "%0 = input f32[1, 1, 4096]\n%1 = input f32[1, 4096, 1]\n"
      "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
      {tensor_of(DType::f32, {1, 1, k}, a),
       tensor_of(DType::f32, {1, k, 1}, b)});
  EXPECT_TRUE(single(g.outputs[0].elements[0]));
}

// What other sums of the same operand are made of does not matter.
TEST(Contraction, EachSumHasAGrainOfItsOwn) {
  const auto sums_of = [](const std::vector<double>& x, std::int64_t columns) {
    const auto rows = static_cast<std::int64_t>(x.size()) / columns;
    return golden_of(fmt::format("%0 = input f32[{}, {}]\n"
                                 "%1 = aten.sum.default(%0, [1])\n"
                                 "return %1\n",
                                 rows, columns),
                     {tensor_of(DType::f32, {rows, columns}, x)})
        .outputs[0]
        .elements;
  };
  const auto single = [](const ElementSet& e) { return e.lo == e.hi; };
  const auto e = sums_of({1, 2, 3, 0.1, 0.2, 0.3, 0x1p23, 0, 0x1p22}, 3);
  EXPECT_TRUE(single(e[0]));
  EXPECT_FALSE(single(e[1]));
  EXPECT_TRUE(single(e[2]));
  const Packed p = pack({Set<double>::of(3), Set<double>::of(0x1p-40),
                         Set<double>::of(0.5), Set<double>::of(0.0)});
  const Walk ones{&packed_one(), 0, {0}};
  EXPECT_EQ(grain_of_terms({&p, 0, {2}}, ones, {2}, 3.5, 24), -1);
  EXPECT_EQ(grain_of_terms({&p, 0, {1}}, ones, {2}, 3.1, 24), kNoGrain);
  EXPECT_EQ(grain_of_terms({&p, 3, {0}}, ones, {2}, 0, 24), kAllGrains);
  // Two loops, the inner over columns.
  const Walk square{&p, 0, {2, 1}};
  EXPECT_EQ(grain_of_terms(square, {&packed_one(), 0, {0, 0}}, {2, 2}, 4, 53),
            -40);
}

// A sum may start from +0.
TEST(Contraction, NegativeZerosSumToEitherZero) {
  const Golden g = golden_of(
      "%0 = input f32[3, 2]\n%1 = aten.sum.default(%0, [1])\nreturn %1\n",
      {tensor_of(DType::f32, {3, 2}, {-0.0, -0.0, -0.0, 0.0, 1, -1})});
  const auto& e = g.outputs[0].elements;
  EXPECT_TRUE(admits(e[0], DType::f32, 0) &&
              admits(e[0], DType::f32, 1u << 31));
  EXPECT_FALSE(admits(e[1], DType::f32, 1u << 31));
  EXPECT_FALSE(admits(e[2], DType::f32, 1u << 31));
}

// Random sets, random members: the sum of the members' products is inside.
TEST(Contraction, SetsHoldTheSumsOfTheirMembers) {
  RandomNumbers random(44);
  const PrecisionScope precision(kExact);
  for (int round = 0; round < 3000; ++round) {
    const int n = random.integer(1, 9);
    std::vector<Set<double>> a, b;
    Mp total = exact<Mp>(0.0);
    for (int i = 0; i < n; ++i) {
      const auto make = [&](bool point) {
        const double lo = random.uniform(-3, 3);
        const double hi = point ? lo : lo + random.uniform(0, 1);
        Real<double> low = Real<double>::of(lo);
        Real<double> high = Real<double>::of(hi);
        if (random.integer(0, 1)) {
          low.b = std::min(hi, lo + 1e-3 * random.uniform(0, 1));
        }
        return point ? Set<double>::of(lo) : Set<double>::range(low, high);
      };
      a.push_back(make(round % 3 == 0));
      b.push_back(make(round % 3 != 1));
      const auto member = [&](const Set<double>& s) {
        return s.lo.b + (s.hi.a - s.lo.b) * random.uniform(0, 1);
      };
      const double x = std::min(member(a.back()), a.back().hi.a);
      const double y = std::min(member(b.back()), b.back().hi.a);
      total = sum(total, product(exact<Mp>(x), exact<Mp>(y)).down).down;
    }
    const Packed p = pack(a);
    const Packed q = pack(b);
    const ContractionResult r = contract({&p, 0, {1}}, {&q, 0, {1}}, {n});
    ASSERT_FALSE(r.by_terms);
    ASSERT_LE(mpfr_cmp_d(total.get(), r.value.lo.a) < 0, false);
    ASSERT_LE(mpfr_cmp_d(total.get(), r.value.hi.b) > 0, false);
    // The term by term evaluation encloses the same end points.
    Set<double> slow = multiply(a[0], b[0]);
    for (int i = 1; i < n; ++i) {
      slow = add(slow, multiply(a[static_cast<std::size_t>(i)],
                                b[static_cast<std::size_t>(i)]));
    }
    ASSERT_LE(std::max(slow.lo.a, r.value.lo.a),
              std::min(slow.lo.b, r.value.lo.b));
    ASSERT_LE(std::max(slow.hi.a, r.value.hi.a),
              std::min(slow.hi.b, r.value.hi.b));
  }
}

}  // namespace
}  // namespace assay::reference
