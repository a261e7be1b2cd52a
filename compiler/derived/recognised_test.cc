// Definitions that run as something better than their words: convolutions,
// running results, windows. They are seen where they are meant to be, and every
// engine gives the same bits.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "compiler/artifact.h"
#include "compiler/graph/interpret.h"
#include "compiler/random_program.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Engine = CompileOptions::Engine;

std::unique_ptr<Artifact> compiled(const Program& program, Engine engine) {
  CompileOptions options;
  options.engine = engine;
  return compiled(program, options);
}

// Small whole numbers, of which sums and products are exact.
std::vector<Tensor> small_inputs(std::mt19937_64* random,
                                 const Program& program) {
  std::vector<Tensor> out;
  for (const TensorType& t : program.inputs) {
    out.push_back(Tensor::strided(t));
    for (std::int64_t i = 0; i < out.back().numel(); ++i) {
      out.back().set_number(i, static_cast<double>((*random)() % 7) - 3);
    }
  }
  return out;
}

// The graph's text, and what all engines give.
std::pair<std::string, std::vector<Tensor>> run(
    const Program& program, const std::vector<Tensor>& inputs) {
  const auto graph = compiled(program, Engine::graph);
  if (graph == nullptr) return {};
  const std::vector<Tensor> expected = launched(graph.get(), inputs);
  for (const Engine engine : {Engine::nest, Engine::compiled}) {
    const auto other = compiled(program, engine);
    if (other == nullptr) continue;
    const std::vector<Tensor> got = launched(other.get(), inputs);
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(same_elements(got[i], expected[i]))
          << "output " << i << "\n"
          << to_text(program) << other->explain("c++");
    }
  }
  return {graph->explain("graph"), expected};
}

TEST(Recognised, ConvolutionsGiveWhatThoseByHandGive) {
  std::mt19937_64 random(1);
  const auto pick = [&](int from, int to) {
    return from + static_cast<int>(random() %
                                   static_cast<std::uint64_t>(to - from + 1));
  };
  for (int n = 0; n < 24; ++n) {
    const int groups = n % 3 == 0 ? pick(2, 3) : 1, channels = pick(1, 3);
    const int outs = groups * pick(1, 2), h = pick(5, 9), w = pick(5, 9);
    const int r = pick(1, 3), s = pick(1, 3), pad = pick(0, 2);
    const int stride = pick(1, 3), dilation = pick(1, 2), batch = pick(1, 2);
    const char* const dtype = n % 4 == 1 ? "bf16" : n % 4 == 2 ? "f64" : "f32";
    const std::string inputs = fmt::format(
        "%0 = input {}[{}, {}, {}, {}]\n%1 = input {}[{}, {}, {}, {}]\n", dtype,
        batch, groups * channels, h, w, dtype, outs, channels, r, s);
    const auto geometry = [&](const char* last) {
      return fmt::format("[{0}, {0}], [{1}, {1}], [{2}, {2}]{3}{4}", stride,
                         pad, dilation, last, groups);
    };
    const std::string derived =
        inputs + "%2 = aten.convolution.default(%0, %1, none, " +
        geometry(", false, [0, 0], ") + ")\nreturn %2\n";
    const std::string hand = inputs +
                             "%2 = aten.conv2d.default(%0, %1, none, " +
                             geometry(", ") + ")\nreturn %2\n";
    const Program program = parsed(derived);
    const std::vector<Tensor> given = small_inputs(&random, program);
    const auto [graph, got] = run(program, given);
    EXPECT_THAT(graph, HasSubstr(" convolve ")) << derived;
    const auto by_hand = compiled(parsed(hand), Engine::graph);
    ASSERT_NE(by_hand, nullptr);
    EXPECT_TRUE(same_elements(got[0], launched(by_hand.get(), given)[0]))
        << derived;
  }
}

TEST(Recognised, AConvolutionOfOneDimensionHasARow) {
  std::mt19937_64 random(2);
  const Program program = parsed(
      "%0 = input f32[2, 4, 9]\n%1 = input f32[6, 2, 3]\n%2 = input f32[6]\n"
      "%3 = aten.conv1d.default(%0, %1, %2, [2], [1], [1], 2)\nreturn %3\n");
  const auto [graph, got] = run(program, small_inputs(&random, program));
  EXPECT_THAT(graph, HasSubstr("convolve f32[2, 6, 1, 5]"));
  EXPECT_EQ(got[0].sizes(), (Shape{2, 6, 5}));
}

// Against the sum of the convolutions of its planes, which is what it is.
TEST(Recognised, AConvolutionOfThreeDimensionsIsOneOfTwo) {
  std::mt19937_64 random(2);
  const Program program = parsed(
      "%0 = input f32[2, 4, 7, 6, 5]\n%1 = input f32[6, 2, 3, 2, 3]\n"
      "%2 = aten.conv3d.default(%0, %1, none, [2, 1, 1], [1, 0, 1], "
      "[2, 1, 1], 2)\nreturn %2\n");
  const std::vector<Tensor> given = small_inputs(&random, program);
  const auto [graph, got] = run(program, given);
  EXPECT_THAT(graph, HasSubstr("convolve f32[6, 6, 5, 5]"));
  ASSERT_EQ(got[0].sizes(), (Shape{2, 6, 3, 5, 5}));
  const Program plane = parsed(
      "%0 = input f32[2, 4, 6, 5]\n%1 = input f32[6, 2, 2, 3]\n"
      "%2 = aten.conv2d.default(%0, %1, none, [1, 1], [0, 1], [1, 1], 2)\n"
      "return %2\n");
  const auto by_hand = compiled(plane, Engine::graph);
  ASSERT_NE(by_hand, nullptr);
  for (std::int64_t z = 0; z < 3; ++z) {
    std::vector<double> sums(2 * 6 * 25, 0);
    for (std::int64_t k = 0; k < 3; ++k) {
      const std::int64_t depth = 2 * z + 2 * k - 1;
      if (depth < 0 || depth >= 7) continue;
      Tensor x = Tensor::zeros(DType::f32, {2, 4, 6, 5});
      Tensor w = Tensor::zeros(DType::f32, {6, 2, 2, 3});
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        x.set_bits(i, given[0].bits((i / 30 * 7 + depth) * 30 + i % 30));
      }
      for (std::int64_t i = 0; i < w.numel(); ++i) {
        w.set_bits(i, given[1].bits((i / 6 * 3 + k) * 6 + i % 6));
      }
      const Tensor y = launched(by_hand.get(), {x, w})[0];
      for (std::int64_t i = 0; i < y.numel(); ++i) {
        sums[static_cast<std::size_t>(i)] += y.number(i);
      }
    }
    for (std::int64_t i = 0; i < 2 * 6 * 25; ++i) {
      EXPECT_EQ(got[0].number((i / 25 * 3 + z) * 25 + i % 25),
                sums[static_cast<std::size_t>(i)]);
    }
  }
}

// The same from a place to all that a weight takes it to.
Tensor spread(const Tensor& x, const Tensor& w, std::int64_t stride,
              std::int64_t pad, std::int64_t more, std::int64_t dilation,
              std::int64_t groups) {
  const Shape &in = x.sizes(), &taps = w.sizes();
  const auto extent = [&](std::size_t d) {
    return (in[d] - 1) * stride - 2 * pad + dilation * (taps[d] - 1) + 1 + more;
  };
  Tensor out =
      Tensor::zeros(x.dtype(), {in[0], taps[1] * groups, extent(2), extent(3)});
  const auto place = [](const Shape& s, std::int64_t a, std::int64_t b,
                        std::int64_t c, std::int64_t d) {
    return ((a * s[1] + b) * s[2] + c) * s[3] + d;
  };
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const std::int64_t column = i % in[3], row = i / in[3] % in[2];
    const std::int64_t c = i / in[3] / in[2] % in[1];
    for (std::int64_t k = 0; k < taps[1] * taps[2] * taps[3]; ++k) {
      const std::int64_t q = k / taps[3] / taps[2];
      const std::int64_t h = k / taps[3] % taps[2], v = k % taps[3];
      const std::int64_t y = row * stride + h * dilation - pad;
      const std::int64_t z = column * stride + v * dilation - pad;
      if (y < 0 || y >= extent(2) || z < 0 || z >= extent(3)) continue;
      const std::int64_t at = place(out.sizes(), i / in[3] / in[2] / in[1],
                                    c / (in[1] / groups) * taps[1] + q, y, z);
      out.set_number(
          at, out.number(at) + x.number(i) * w.number(place(taps, c, q, h, v)));
    }
  }
  return out;
}

TEST(Recognised, TransposedConvolutionsAreThoseOfTheirPhases) {
  std::mt19937_64 random(3);
  const auto pick = [&](int from, int to) {
    return from + static_cast<int>(random() %
                                   static_cast<std::uint64_t>(to - from + 1));
  };
  for (int n = 0; n < 24; ++n) {
    const int groups = n % 3 == 0 ? pick(2, 3) : 1, outs = pick(1, 3);
    const int channels = groups * pick(1, 2), h = pick(1, 6), w = pick(2, 6);
    const int r = pick(1, 4), s = pick(1, 4), batch = pick(1, 2);
    const int dilation = n % 4 == 3 ? 2 : 1;
    const int stride = n % 8 == 3 ? 1 : pick(1, 3);
    const int more = stride > 1 ? pick(0, 1) : 0;
    const int pad = std::min({pick(0, 2), (r - 1) / 2, (s - 1) / 2});
    const char* const dtype = n % 4 == 1 ? "f64" : "f32";
    const Program program = parsed(fmt::format(
        "%0 = input {0}[{1}, {2}, {3}, {4}]\n"
        "%1 = input {0}[{2}, {5}, {6}, {7}]\n"
        "%2 = aten.convolution.default(%0, %1, none, [{8}, {8}], [{9}, {9}], "
        "[{10}, {10}], true, [{11}, {11}], {12})\nreturn %2\n",
        dtype, batch, channels, h, w, outs, r, s, stride, pad, dilation, more,
        groups));
    const std::vector<Tensor> given = small_inputs(&random, program);
    const auto [graph, got] = run(program, given);
    EXPECT_EQ(graph.find(" convolve ") != std::string::npos,
              stride == 1 || dilation == 1)
        << to_text(program);
    EXPECT_TRUE(same_elements(got[0], spread(given[0], given[1], stride, pad,
                                             more, dilation, groups)))
        << to_text(program);
  }
}

// No tap of a phase stands beside those that are not its own, or between them.
TEST(Recognised, TransposedConvolutionsKeepInfinitiesApart) {
  const Program program = parsed(
      "%0 = input f32[1, 1, 5]\n%1 = input f32[1, 1, 3]\n%2 = input f32[1]\n"
      "%3 = aten.conv_transpose1d.default(%0, %1, %2, [2], [1], [1])\n"
      "return %3\n");
  std::mt19937_64 random(10);
  std::vector<Tensor> given = small_inputs(&random, program);
  for (std::int64_t i = 0; i < 3; ++i) given[1].set_number(i, 1);
  given[0].set_number(2, std::numeric_limits<double>::infinity());
  const auto [graph, got] = run(program, given);
  EXPECT_THAT(graph, HasSubstr(" convolve "));
  ASSERT_EQ(got[0].numel(), 10);
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(std::isfinite(got[0].number(i)), i < 3 || i > 5) << i;
    EXPECT_FALSE(std::isnan(got[0].number(i))) << i;
  }
  const Program dilated = parsed(
      "%0 = input f32[1, 1, 5]\n%1 = input f32[1, 1, 3]\n%2 = input f32[1]\n"
      "%3 = aten.conv_transpose1d.default(%0, %1, %2, [1], [0], [0], 1, [2])\n"
      "return %3\n");
  const auto [same, apart] = run(dilated, given);
  EXPECT_THAT(same, HasSubstr(" convolve "));
  ASSERT_EQ(apart[0].numel(), 9);
  for (std::int64_t i = 0; i < 9; ++i) {
    const bool met = i == 2 || i == 4 || i == 6;
    EXPECT_EQ(std::isfinite(apart[0].number(i)), !met) << i;
  }
}

// A greatest element begins with -inf, which is the least i64 and no greater.
TEST(Recognised, MinusInfinityIsTheLeastInteger) {
  const Program program = parsed(
      "%0 = input i64[2]\n%1 = input bool[]\n"
      "%2 = aten.masked_scatter.default(%0, %1, %0)\nreturn %2\n");
  std::vector<Tensor> given = {Tensor::zeros(DType::i64, {2}),
                               Tensor::zeros(DType::boolean, {})};
  given[0].set_number(0, -0x1p63);
  given[1].set_number(0, 1);
  const auto [graph, got] = run(program, given);
  EXPECT_TRUE(same_elements(got[0], given[0]));
}

// NaN is not zero.
TEST(Recognised, NaNIsATrueBool) {
  const Program program = parsed(
      "%0 = input bool[2]\n%1 = aten.full_like.default(%0, nan)\n"
      "return %1\n");
  const auto [graph, got] = run(program, {Tensor::zeros(DType::boolean, {2})});
  EXPECT_EQ(got[0].number(0), 1);
}

TEST(Recognised, RunningResultsAreThoseOfTheirWords) {
  std::mt19937_64 random(4);
  const Shape shapes[] = {{37},       {3, 20}, {19, 5}, {2, 9, 17},
                          {4, 3, 33}, {25, 1}, {1, 7},  {2, 0}};
  for (const Shape& shape : shapes) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      for (const char* dtype : {"f32", "i32", "f16"}) {
        const Program program = parsed(fmt::format(
            "%0 = input {}[{}]\n%1 = aten.cumsum.default(%0, {})\nreturn %1\n",
            dtype, fmt::join(shape, ", "), d));
        const std::vector<Tensor> given = small_inputs(&random, program);
        const auto [graph, got] = run(program, given);
        ASSERT_EQ(got.size(), 1u);
        if (got[0].numel() == 0) continue;
        EXPECT_THAT(graph, HasSubstr(" scan.sum "));
        const std::int64_t inner =
            std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(d) + 1,
                            shape.end(), std::int64_t{1}, std::multiplies<>());
        for (std::int64_t i = 0; i < got[0].numel(); ++i) {
          const bool first = i / inner % shape[d] == 0;
          const double before = first ? 0 : got[0].number(i - inner);
          EXPECT_EQ(got[0].number(i), before + given[0].number(i));
        }
      }
    }
  }
}

TEST(Recognised, RunningResultsOfOtherKindsAndLayouts) {
  std::mt19937_64 random(5);
  for (const char* text :
       {"%0 = input f32[5, 18] strides[1, 5]\n"
        "%1 = aten.cumsum.default(%0, 1)\nreturn %1\n",
        "%0 = input f64[6, 19]\n%1 = aten.cummax.default(%0, 1)\n"
        "%2 = getitem(%1, 1)\nreturn %1, %2\n",
        "%0 = input bf16[6, 19]\n%1 = aten.cummin.default(%0, 0)\n"
        "%2 = getitem(%1, 1)\nreturn %1, %2\n",
        "%0 = input f32[3, 19]\n%1 = aten.cumprod.default(%0, 1)\n"
        "return %1\n",
        // Beside a product, whose text has files of its own.
        "%0 = input f32[20, 20]\n%1 = aten.cumsum.default(%0, 0)\n"
        "%2 = aten.mm.default(%1, %0)\nreturn %2\n"}) {
    const Program program = parsed(text);
    for (const auto& given :
         {small_inputs(&random, program), random_inputs(&random, program)}) {
      const auto [graph, got] = run(program, given);
      EXPECT_THAT(graph, HasSubstr(" scan.")) << text;
    }
  }
}

// Keys in every dimension, keys for whole rows, and keys that name no place.
TEST(Recognised, TermsGoToThePlacesThatAreNamed) {
  std::mt19937_64 random(7);
  const struct {
    const char* text;
    std::int64_t places;
  } kPrograms[] = {
      {"%0 = input f32[5, 7]\n%1 = input i64[40]\n%2 = input f32[40, 7]\n"
       "%3 = aten.index_add.default(%0, 0, %1, %2)\nreturn %3\n",
       5},
      {"%0 = input bf16[3, 9]\n%1 = input i32[17]\n%2 = input bf16[3, 17]\n"
       "%3 = aten.index_add.default(%0, 1, %1, %2, alpha=2)\nreturn %3\n",
       9},
      {"%0 = input f64[6, 8]\n%1 = input i64[6, 20]\n"
       "%2 = input f64[6, 20]\n"
       "%3 = aten.scatter_add.default(%0, 1, %1, %2)\nreturn %3\n",
       8},
      // The source and the index are larger than what they are put in.
      {"%0 = input i32[4, 300]\n%1 = input i64[20, 290]\n"
       "%2 = input i32[21, 300]\n"
       "%3 = aten.scatter_add.default(%0, 0, %1, %2)\nreturn %3\n",
       4},
      {"%0 = input f32[33]\n%1 = input i64[16]\n"
       "%2 = aten.scatter.value(%0, 0, %1, 2.5)\nreturn %2\n",
       33},
      {"%0 = input f32[18, 5]\n%1 = input i64[18]\n"
       "%2 = aten.embedding_dense_backward.default(%0, %1, 6, 2, true)\n"
       "return %2\n",
       6},
  };
  for (const auto& p : kPrograms) {
    const Program program = parsed(p.text);
    std::vector<Tensor> given = small_inputs(&random, program);
    for (Tensor& t : given) {
      const bool index = &t == &given[1];
      for (std::int64_t i = 0; index && i < t.numel(); ++i) {
        t.set_integer(i, static_cast<std::int64_t>(random() % 1000) % p.places);
      }
    }
    const auto [graph, got] = run(program, given);
    EXPECT_THAT(graph, HasSubstr(" scatter.sum ")) << p.text;
  }
}

// What only accepts more than one answer is not computed.
TEST(Recognised, ProductsOfAnyOrderAreProducts) {
  std::mt19937_64 random(8);
  for (const char* text :
       {"%0 = input f32[3, 40]\n%1 = aten.prod.dim_int(%0, 1)\nreturn %1\n",
        "%0 = input bf16[40, 3]\n%1 = aten.prod.default(%0)\nreturn %1\n",
        "%0 = input f64[3, 40]\n%1 = aten.cumprod.default(%0, 1)\n"
        "return %1\n"}) {
    const Program program = parsed(text);
    const auto [graph, got] = run(program, random_inputs(&random, program));
    EXPECT_THAT(graph, Not(HasSubstr("maximum"))) << graph;
    EXPECT_THAT(graph, Not(HasSubstr(" ? "))) << graph;
  }
}

// The squares of a mean's distances are beyond f32; elements are not.
TEST(Recognised, SumsWithSquaresAloneAreInDoubles) {
  std::mt19937_64 random(9);
  const Program program = parsed(
      "%0 = input f32[3, 200]\n%1 = input f32[200]\n"
      "%2 = aten.layer_norm.default(%0, [200], %1, %1)\nreturn %2\n");
  std::vector<Tensor> given = small_inputs(&random, program);
  for (std::int64_t i = 0; i < 200; ++i) {
    given[0].set_number(i, given[0].number(i) * 1e30);
  }
  const auto [graph, got] = run(program, given);
  EXPECT_THAT(graph, HasSubstr("f64[3]"));
  double greatest = 0;
  for (std::int64_t i = 0; i < 200; ++i) {
    greatest = std::max(greatest, got[0].number(i));
  }
  EXPECT_GT(greatest, 0.5);
  EXPECT_LT(greatest, 50);
}

// Lines of few elements and of many, few that are asked for and many, ties and
// NaN, each way and in each type that lines are ordered in.
TEST(Recognised, LinesAreSorted) {
  std::mt19937_64 random(11);
  for (const char* const dtype :
       {"f32", "f64", "i64", "i32", "i8", "bf16", "u8", "bool"}) {
    for (const auto& [sizes, dim] :
         {std::pair{Shape{3, 7}, 1}, std::pair{Shape{2, 130, 3}, 1},
          std::pair{Shape{300}, 0}, std::pair{Shape{1, 40}, 0},
          std::pair{Shape{}, 0}}) {
      for (const char* const down : {"false", "true"}) {
        const Program program = parsed(fmt::format(
            "%0 = input {}[{}]\n"
            "%1 = aten.sort.default(%0, {}, {})\n%2 = getitem(%1, 1)\n"
            "return %1, %2\n",
            dtype, fmt::join(sizes, ", "), dim, down));
        std::vector<Tensor> given = random_inputs(&random, program);
        for (std::int64_t i = 0; i < given[0].numel(); i += 3) {
          if (is_float(given[0].dtype())) {
            given[0].set_number(i, i % 2 == 0 ? 0.0 : -0.0);
          }
          if (i % 4 == 1 && is_float(given[0].dtype())) {
            given[0].set_number(i, std::nan(""));
          }
        }
        const auto [graph, got] = run(program, given);
        EXPECT_THAT(graph, HasSubstr(" order i64")) << to_text(program);
        // What stands where the index says, and no index twice.
        const Shape lines =
            sizes.empty()       ? Shape{1, 1, 1}
            : sizes.size() == 3 ? sizes
            : dim == 0 ? Shape{1, sizes[0], sizes.size() > 1 ? sizes[1] : 1}
                       : Shape{sizes[0], sizes[1], 1};
        for (std::int64_t i = 0; i < got[0].numel(); ++i) {
          const std::int64_t line = i / lines[2] / lines[1] * lines[1];
          const auto at = [&](std::int64_t place) {
            return (line + place) * lines[2] + i % lines[2];
          };
          const std::int64_t from = got[1].integer(i);
          ASSERT_TRUE(from >= 0 && from < lines[1]);
          EXPECT_EQ(got[0].bits(i), given[0].bits(at(from)));
          const std::int64_t place = i / lines[2] % lines[1];
          if (place == 0) continue;
          const double x = given[0].number(at(got[1].integer(at(place - 1))));
          const double y = given[0].number(at(from));
          const bool is_down = down[0] == 't';
          const bool before = is_down ? x > y || (x != x && y == y)
                                      : x < y || (y != y && x == x);
          const bool same = x == y || (x != x && y != y);
          EXPECT_TRUE(before || (same && got[1].integer(at(place - 1)) < from))
              << to_text(program) << i << " " << x << " " << y;
        }
      }
    }
  }
}

TEST(Recognised, TheFirstOfLinesAreThoseOfSortedLines) {
  std::mt19937_64 random(12);
  for (const int k : {0, 1, 10, 70, 130}) {
    for (const char* const largest : {"false", "true"}) {
      const std::string input = "%0 = input f32[3, 130, 2]\n";
      const auto first = [&](int output) {
        return parsed(input +
                      fmt::format("%1 = aten.topk.default(%0, {}, 1, {})\n"
                                  "%2 = getitem(%1, 1)\nreturn %{}\n",
                                  k, largest, output + 1));
      };
      const auto all = [&](int output) {
        return parsed(
            input +
            fmt::format("%1 = aten.sort.default(%0, 1, {})\n"
                        "%2 = getitem(%1, 1)\n"
                        "%3 = aten.slice.Tensor(%{}, 1, 0, {})\nreturn %3\n",
                        largest, output + 1, k));
      };
      for (const int output : {0, 1}) {
        const std::vector<Tensor> given = random_inputs(&random, first(output));
        EXPECT_TRUE(same_elements(run(first(output), given).second[0],
                                  run(all(output), given).second[0]))
            << k << largest << output;
      }
    }
  }
}

// Where extremes stand, by algorithms and by definition: the elements there are
// the same, as indices of ties need not be.
TEST(Recognised, ExtremesStandWhereTheirIndicesSay) {
  std::mt19937_64 random(13);
  for (const char* const text :
       {"%0 = input f32[3, 40]\n%1 = aten.cummax.default(%0, 1)\n",
        "%0 = input i64[40, 3]\n%1 = aten.cummin.default(%0, 0)\n",
        "%0 = input bf16[2, 17, 3]\n%1 = aten.cummin.default(%0, 1)\n"}) {
    const Program program =
        parsed(std::string(text) + "%2 = getitem(%1, 1)\nreturn %1, %2\n");
    const bool last =
        program.inputs[0].sizes.size() == 2 && program.inputs[0].sizes[0] == 3;
    const std::int64_t inner = last ? 1 : 3;
    const std::int64_t n = last                                  ? 40
                           : program.inputs[0].sizes.size() == 3 ? 17
                                                                 : 40;
    const std::vector<Tensor> given = random_inputs(&random, program);
    const auto [graph, got] = run(program, given);
    EXPECT_THAT(graph, HasSubstr(" scan.maximum i64")) << graph;
    for (std::int64_t i = 0; i < got[0].numel(); ++i) {
      const std::int64_t at = got[1].integer(i), here = i / inner % n;
      ASSERT_TRUE(at >= 0 && at <= here);
      EXPECT_EQ(got[0].bits(i), given[0].bits(i + (at - here) * inner)) << text;
    }
  }
}

// Kernels of their own between the ends, of rows that are long enough.
TEST(Recognised, PiecesAreReadWhereTheyLie) {
  std::mt19937_64 random(14);
  const struct {
    const char* call;
    const char* piece;  // what the nest says of the longest
  } kPrograms[] = {
      {"roll.default(%0, [7], [3])", "< 41\n"},
      {"roll.default(%0, [-5, 2], [3, 2])", "< 43\n"},
      {"reflection_pad2d.default(%0, [3, 2, 1, 2])", "< 48\n"},
      {"replication_pad2d.default(%0, [3, -2, 1, 2])", "< 46\n"},
      {"constant_pad_nd.default(%0, [2, 1, 1, 0], 0.5)", "< 48\n"},
      {"repeat.default(%0, [1, 2, 1, 3])", "< 48\n"},
  };
  for (const auto& p : kPrograms) {
    for (const char* const dtype : {"f32", "bf16", "i64"}) {
      const Program program = parsed(
          fmt::format("%0 = input {}[2, 3, 5, 48]\n%1 = aten.{}\nreturn %1\n",
                      dtype, p.call));
      const auto nest = compiled(program, Engine::nest);
      ASSERT_NE(nest, nullptr);
      run(program, random_inputs(&random, program));
      EXPECT_THAT(nest->explain("nest"), HasSubstr(p.piece)) << p.call;
    }
  }
}

// Of the sum of a column, not of each of its elements.
TEST(Recognised, FunctionsOfSumsAreComputedOnceForEach) {
  std::mt19937_64 random(15);
  const Program program = parsed(
      "%0 = input f32[40, 30]\n%1 = aten.log_softmax.int(%0, 0)\nreturn %1\n");
  const auto [graph, got] = run(program, random_inputs(&random, program));
  EXPECT_THAT(graph, ::testing::ContainsRegex("map.log f32\\[(1, )?30\\]"));
}

// Of several elements for one place the last.
TEST(Recognised, ElementsGoWhereTheirIndicesSay) {
  std::mt19937_64 random(16);
  for (const char* const dtype : {"f32", "i32", "bf16"}) {
    const Program program = parsed(
        fmt::format("%0 = input {0}[3, 20, 2]\n%1 = input i64[3, 30, 2]\n"
                    "%2 = input {0}[3, 31, 3]\n"
                    "%3 = aten.scatter.src(%0, 1, %1, %2)\nreturn %3\n",
                    dtype));
    std::vector<Tensor> given = small_inputs(&random, program);
    for (std::int64_t i = 0; i < given[1].numel(); ++i) {
      given[1].set_integer(i, static_cast<std::int64_t>(random() % 17));
    }
    const auto [graph, got] = run(program, given);
    EXPECT_THAT(graph, HasSubstr(" scatter.last ")) << graph;
    Tensor expected = given[0];
    expected.storage =
        std::make_shared<std::vector<std::byte>>(*given[0].storage);
    for (std::int64_t i = 0; i < given[1].numel(); ++i) {
      const std::int64_t line = i / 60, k = i / 2 % 30, j = i % 2;
      expected.set_bits((line * 20 + given[1].integer(i)) * 2 + j,
                        given[2].bits((line * 31 + k) * 3 + j));
    }
    EXPECT_TRUE(same_elements(got[0], expected)) << dtype;
  }
}

// Windows that reach beyond their plane, and such that do not.
TEST(Recognised, WindowsAreWrittenOut) {
  std::mt19937_64 random(6);
  for (const char* text :
       {"%0 = input f32[2, 3, 20, 18]\n"
        "%1 = aten.max_pool2d_with_indices.default(%0, [3, 3], [2, 2], "
        "[1, 1])\n%2 = getitem(%1, 1)\nreturn %1, %2\n",
        "%0 = input f16[1, 2, 24, 24]\n"
        "%1 = aten.max_pool2d_with_indices.default(%0, [2, 2])\n"
        "%2 = getitem(%1, 1)\nreturn %1\n",
        "%0 = input f32[2, 3, 20, 18]\n"
        "%1 = aten.avg_pool2d.default(%0, [3, 3], [1, 1], [1, 1])\n"
        "return %1\n"}) {
    const Program program = parsed(text);
    run(program, random_inputs(&random, program));
  }
}

}  // namespace
}  // namespace assay::compiler
