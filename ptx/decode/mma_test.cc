// mma: where each shape's elements lie, special values, rounding, refusals.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "ptx/numbers/dot.h"
#include "ptx/testing/mpfr_oracle.h"
#include "ptx/testing/testing.h"

namespace assay::ptx::testing {
namespace {

// Row or column of element i of a lane with g = lane / 4 and t = lane % 4: as
// the ISA's figures have them, shape by shape.
using Place = std::function<unsigned(unsigned g, unsigned t, unsigned i)>;
struct Layout {
  const char* opcode;
  unsigned rows, terms;
  unsigned a_bits, sum_bits;
  Place a_row, a_column, b_row, sum_row, sum_column;
};

const Place kSumRow = [](unsigned g, unsigned, unsigned i) {
  return i < 2 ? g : g + 8;
};
const Place kSumColumn = [](unsigned, unsigned t, unsigned i) {
  return 2 * t + (i & 1U);
};
const Place kGroup = [](unsigned g, unsigned, unsigned) { return g; };

std::vector<Layout> layouts() {
  auto k16_row = [](unsigned g, unsigned, unsigned i) {
    return i < 2 || (i >= 4 && i < 6) ? g : g + 8;
  };
  auto k16_column = [](unsigned, unsigned t, unsigned i) {
    return i < 4 ? 2 * t + (i & 1U) : 2 * t + (i & 1U) + 8;
  };
  auto k16_b = [](unsigned, unsigned t, unsigned i) {
    return i < 2 ? 2 * t + (i & 1U) : 2 * t + (i & 1U) + 8;
  };
  auto k8_column = [](unsigned, unsigned t, unsigned i) {
    return 2 * t + (i & 1U);
  };
  auto first_two = [](unsigned g, unsigned, unsigned i) {
    return i < 2 ? g : g + 8;
  };
  auto tf32_row = [](unsigned g, unsigned, unsigned i) {
    return i == 0 || i == 2 ? g : g + 8;
  };
  auto tf32_column = [](unsigned, unsigned t, unsigned i) {
    return i < 2 ? t : t + 4;
  };
  auto tf32_b = [](unsigned, unsigned t, unsigned i) {
    return i == 0 ? t : t + 4;
  };
  auto bytes_row = [](unsigned g, unsigned, unsigned i) {
    return i < 4 || (i >= 8 && i < 12) ? g : g + 8;
  };
  auto bytes_column = [](unsigned, unsigned t, unsigned i) {
    return i < 8 ? 4 * t + (i & 3U) : 4 * t + (i & 3U) + 16;
  };
  auto bytes_b = [](unsigned, unsigned t, unsigned i) {
    return i < 4 ? 4 * t + (i & 3U) : 4 * t + (i & 3U) + 16;
  };
  auto four = [](unsigned, unsigned t, unsigned i) { return 4 * t + (i & 3U); };
  auto thread = [](unsigned, unsigned t, unsigned) { return t; };
  std::vector<Layout> all;
  for (const char* types :
       {"f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32"}) {
    unsigned sum = types[1] == '1' ? 16 : 32;
    all.push_back({types, 16, 16, 16, sum, k16_row, k16_column, k16_b, kSumRow,
                   kSumColumn});
    all.push_back({types, 16, 8, 16, sum, first_two, k8_column, k8_column,
                   kSumRow, kSumColumn});
  }
  all.push_back({"f32.tf32.tf32.f32", 16, 4, 32, 32, tf32_row, thread, thread,
                 kSumRow, kSumColumn});
  all.push_back({"f32.tf32.tf32.f32", 16, 8, 32, 32, tf32_row, tf32_column,
                 tf32_b, kSumRow, kSumColumn});
  all.push_back({"f64.f64.f64.f64", 8, 4, 64, 64, kGroup, thread, thread,
                 kGroup, kSumColumn});
  for (const char* types :
       {"s32.s8.s8.s32", "s32.u8.s8.s32", "s32.s8.u8.s32", "s32.u8.u8.s32"}) {
    all.push_back(
        {types, 8, 16, 8, 32, kGroup, four, four, kGroup, kSumColumn});
    all.push_back(
        {types, 16, 16, 8, 32,
         [](unsigned g, unsigned, unsigned i) { return i < 4 ? g : g + 8; },
         four, four, kSumRow, kSumColumn});
    all.push_back({types, 16, 32, 8, 32, bytes_row, bytes_column, bytes_b,
                   kSumRow, kSumColumn});
  }
  return all;
}

std::string opcode(const Layout& l) {
  return "mma.sync.aligned.m" + std::to_string(l.rows) + "n8k" +
         std::to_string(l.terms) + ".row.col." + l.opcode;
}

// Bits of the matrices, row-major.
using Bits = std::vector<std::uint64_t>;
struct Product {
  Ran ran;
  Bits d;
};

// The names of `count` registers from `first` on.
std::string registers(char kind, unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i == 0 ? "%" : ", %") + std::string(1, kind) +
            std::to_string(first + i);
  return text + "}";
}

// Fragments come from memory and go there, word by word.
Product multiply(const Layout& l, const Bits& a, const Bits& b, const Bits& c,
                 const LaunchOptions& options = {},
                 const std::string& more = "") {
  unsigned word = l.sum_bits == 64 ? 64 : 32;
  char kind = word == 64 ? 'q' : 'r';
  auto each = [&](unsigned bits, unsigned elements, const Place& row,
                  const Place& column, unsigned width, auto f) {
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < elements; ++i)
        f(lane, i * bits / word, i * bits % word,
          row(lane / 4, lane % 4, i) * width + column(lane / 4, lane % 4, i));
  };
  unsigned of_a = l.rows * l.terms / 32, of_b = l.terms * 8 / 32;
  unsigned of_sum = l.rows * 8 / 32;
  unsigned words_a = of_a * l.a_bits / word, words_b = of_b * l.a_bits / word;
  unsigned words_sum = of_sum * l.sum_bits / word;
  unsigned words = words_a + words_b + words_sum;
  Bits in(std::size_t{words} * 32);
  auto fill = [&](unsigned first, const Bits& from, unsigned bits) {
    return [&in, &from, first, bits](unsigned lane, unsigned at, unsigned shift,
                                     unsigned place) {
      std::uint64_t mask =
          bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      in[(first + at) * 32 + lane] |= (from[place] & mask) << shift;
    };
  };
  each(l.a_bits, of_a, l.a_row, l.a_column, l.terms, fill(0, a, l.a_bits));
  each(l.a_bits, of_b, l.b_row, kGroup, 8, fill(words_a, b, l.a_bits));
  each(l.sum_bits, of_sum, l.sum_row, l.sum_column, 8,
       fill(words_a + words_b, c, l.sum_bits));
  Bits out(std::size_t{words_sum} * 32);
  std::string body =
      ".reg .b32 %r<32>; .reg .b64 %q<32>; .reg .pred %p<3>;\n"
      ".reg .b64 %in, %out;\n"
      "ld.param.u64 %in, [p0]; ld.param.u64 %out, [p1];\n"
      "mov.u32 %r30, %laneid; mul.wide.u32 %q31, %r30, 8;\n"
      "add.u64 %in, %in, %q31; add.u64 %out, %out, %q31;\n";
  auto name = [&](unsigned i) {
    return "%" + std::string(1, kind) + std::to_string(i);
  };
  for (unsigned i = 0; i < words; ++i)
    body += "ld.global.u" + std::to_string(word) + " " + name(i + 8) +
            ", [%in + " + std::to_string(i * 256) + "];\n";
  body += more + opcode(l) + " " + registers(kind, 0, words_sum) + ", " +
          registers(kind, 8, words_a) + ", " +
          registers(kind, 8 + words_a, words_b) + ", " +
          registers(kind, 8 + words_a + words_b, words_sum) + ";\n";
  for (unsigned i = 0; i < words_sum; ++i)
    body += (word == 32 ? "cvt.u64.u32 %q20, " + name(i) + ";\n"
                        : "mov.u64 %q20, " + name(i) + ";\n") +
            std::string("st.global.u64 [%out + ") + std::to_string(i * 256) +
            "], %q20;\n";
  Machine machine;
  Product p;
  p.ran = run(
      machine, kernel(body + "ret;", 2),
      {machine.add_constant("in", std::as_bytes(std::span(in))),
       machine.add_buffer("out", bytes_of_vector(out), Contents::undefined)},
      {{1}, {32}}, options);
  p.d.assign(std::size_t{l.rows} * 8, 0);
  each(l.sum_bits, of_sum, l.sum_row, l.sum_column, 8,
       [&](unsigned lane, unsigned at, unsigned shift, unsigned place) {
         std::uint64_t mask = l.sum_bits == 64
                                  ? ~std::uint64_t{0}
                                  : (std::uint64_t{1} << l.sum_bits) - 1;
         p.d[place] = out[at * 32 + lane] >> shift & mask;
       });
  return p;
}

// An integer as an element of the type that stands at place `k` of the types.
std::uint64_t element(const Layout& l, unsigned k, int v) {
  std::string types = l.opcode;
  for (; k > 0; --k) types = types.substr(types.find('.') + 1);
  std::string type = types.substr(0, types.find('.'));
  if (type == "f64") return std::bit_cast<std::uint64_t>(double(v));
  if (type == "bf16") return std::bit_cast<std::uint32_t>(float(v)) >> 16;
  if (type == "f16") return narrow(v, {.format = Format::f16});
  if (type == "f32" || type == "tf32")
    return std::bit_cast<std::uint32_t>(float(v));
  return static_cast<std::uint64_t>(v);
}

TEST(Mma, EveryShapeHasItsElementsWhereTheIsaPutsThem) {
  std::mt19937 random(1);
  for (const Layout& l : layouts()) {
    auto draw = [&](unsigned k) {
      bool is_signed = l.opcode[4 + 3 * (k - 1)] != 'u';
      int v = static_cast<int>(random() % 23);
      return is_signed ? v - 11 : v;
    };
    std::vector<int> a, b, c;
    for (unsigned i = 0; i < l.rows * l.terms; ++i) a.push_back(draw(1));
    for (unsigned i = 0; i < 8 * l.terms; ++i) b.push_back(draw(2));
    for (unsigned i = 0; i < 8 * l.rows; ++i)
      c.push_back(static_cast<int>(random() % 101) - 50);
    auto bits = [&](unsigned k, const std::vector<int>& of) {
      Bits out;
      for (int v : of) out.push_back(element(l, k, v));
      return out;
    };
    Product p = multiply(l, bits(1, a), bits(2, b), bits(3, c));
    ASSERT_EQ(p.ran.refused, "") << opcode(l);
    ASSERT_TRUE(p.ran.report.ok()) << p.ran.report.faults[0].text();
    for (unsigned r = 0; r < l.rows; ++r)
      for (unsigned n = 0; n < 8; ++n) {
        int sum = c[r * 8 + n];
        for (unsigned k = 0; k < l.terms; ++k)
          sum += a[r * l.terms + k] * b[k * 8 + n];
        ASSERT_EQ(p.d[r * 8 + n],
                  element(l, 0, sum) & (l.sum_bits == 16   ? 0xffffU
                                        : l.sum_bits == 32 ? 0xffffffffU
                                                           : ~std::uint64_t{}))
            << opcode(l) << " row " << r << " column " << n << " is " << sum;
      }
    bool counts = l.sum_bits != 64 && l.opcode[0] == 'f';
    EXPECT_EQ(p.ran.report.approximate.size(), counts ? 1U : 0U) << opcode(l);
  }
}

const Layout& layout_of(const std::string& name) {
  static const std::vector<Layout>* const kAll =
      new std::vector<Layout>(layouts());
  for (const Layout& l : *kAll)
    if (opcode(l) == name) return l;
  throw std::runtime_error("no layout of " + name);
}

// Row 0 by column 0 and an accumulator, the others being zeros.
std::uint64_t one_sum(const Layout& l, const Bits& a, const Bits& b,
                      std::uint64_t c,
                      Approximation which = Approximation::nominal) {
  Bits all_a(std::size_t{l.rows} * l.terms), all_b(std::size_t{8} * l.terms);
  Bits all_c(std::size_t{8} * l.rows);
  for (std::size_t k = 0; k < a.size(); ++k) {
    all_a[k] = a[k];
    all_b[k * 8] = b[k];
  }
  all_c[0] = c;
  LaunchOptions options;
  options.approximation = which;
  Product p = multiply(l, all_a, all_b, all_c, options);
  EXPECT_EQ(p.ran.refused, "");
  return p.d[0];
}

TEST(Mma, SpecialValues) {
  const Layout& bf16 =
      layout_of("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  const Layout& f16 =
      layout_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  const Layout& halves =
      layout_of("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16");
  const Layout& tf32 =
      layout_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  const Layout& f64 =
      layout_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64");
  struct Case {
    const Layout& l;
    Bits a, b;
    std::uint64_t c, d;
  };
  const Case kCases[] = {
      // Infinity, and what has no answer.
      {bf16, {0x7f80}, {0x3f80}, 0, 0x7f800000},
      {bf16, {0xff80, 0x3f80}, {0x3f80, 0x3f80}, 0x3f800000, 0xff800000},
      {bf16, {0x7f80}, {0x0000}, 0, 0x7fffffff},
      {bf16, {0x7f80, 0xff80}, {0x3f80, 0x3f80}, 0, 0x7fffffff},
      {bf16, {0x7f80}, {0x3f80}, 0xff800000, 0x7fffffff},
      {bf16, {0x7fc1}, {0x0000}, 0, 0x7fffffff},
      {bf16, {0x3f80}, {0x3f80}, 0xffc00001, 0x7fffffff},
      {halves, {0x7c00}, {0x3c00}, 0x3c00, 0x7c00},
      {halves, {0x7c00}, {0x0000}, 0, 0x7fff},
      // Overflow of the sum alone: it is rounded once.
      {bf16, {0x7f7f}, {0x7f7f}, 0, 0x7f800000},
      {bf16, {0x7f7f, 0xff7f}, {0x7f7f, 0x7f7f}, 0x3f800000, 0x3f800000},
      {f16, {0x7bff}, {0x7bff}, 0, 0x4f7fc004},
      {halves, {0x7bff}, {0x3c01}, 0, 0x7c00},
      // Subnormals are numbers.
      {f16, {0x0001}, {0x3c00}, 0, 0x33800000},
      {f16, {0x0001}, {0x0001}, 0, 0x27800000},
      {bf16, {0x0001}, {0x3f80}, 0, 0x00010000},
      {bf16, {0x0001}, {0x0001}, 0, 0x00000000},
      {bf16, {0x0001, 0x0001}, {0x3f00, 0x3f00}, 1, 0x00010001},
      {halves, {0x0001}, {0x3c00}, 0x0001, 0x0002},
      // Zeros: only a sum of nothing but -0 is one.
      {bf16, {}, {}, 0x80000000, 0x00000000},
      {bf16, {0x3f80}, {0x3f80}, 0xbf800000, 0x00000000},
      // Of tf32 the lower 13 bits are not read.
      {tf32, {0x3f801fff}, {0x3f800000}, 0, 0x3f800000},
      {tf32, {0x3f802000}, {0x3f800000}, 0, 0x3f802000},
      // A tie of the exact sum, and what breaks it.
      {f16, {0x3c00}, {0x0c00}, 0x3f800000, 0x3f800800},
      {bf16, {0x3380}, {0x3f80}, 0x3f800000, 0x3f800000},
      {bf16, {0x3380, 0x0080}, {0x3f80, 0x0080}, 0x3f800000, 0x3f800001},
      {bf16, {0x3380, 0x8080}, {0x3f80, 0x0080}, 0x3f800000, 0x3f800000},
      {bf16, {0x7f00, 0xff00, 0x0080}, {0x7f00, 0x7f00, 0x0080}, 0, 0},
      {f64,
       {0x3ff0000000000001},
       {0x3ff0000000000001},
       0xbff0000000000002,
       0x3970000000000000},
      {f64, {0x7ff0000000000000}, {0}, 0, 0x7fffffffffffffff},
  };
  for (const Case& c : kCases)
    EXPECT_EQ(one_sum(c.l, c.a, c.b, c.c), c.d)
        << opcode(c.l) << " of " << std::hex << (c.a.empty() ? 0 : c.a[0]);
  // All sixteen products and the accumulator are -0.
  EXPECT_EQ(one_sum(bf16, Bits(16, 0x8000), Bits(16, 0x3f80), 0x80000000),
            0x80000000U);
}

TEST(Mma, IntegersWrapOrSaturate) {
  Layout l = layout_of("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32");
  EXPECT_EQ(one_sum(l, {255}, {127}, 0x7fffffff), 0x80007e80U);
  EXPECT_EQ(one_sum(l, {255}, {0x80}, 0x80000000), 0x7fff8080U);
  std::string text =
      ".reg .b32 %r<16>; mov.b32 %r0, 0;\n"
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32"
      " {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r6}, "
      "{%r8, %r9, %r10, %r11}; ret;";
  EXPECT_TRUE(Program::load(kernel(text))->check("k").ok());
}

// Sums whose terms cancel and whose exponents lie far apart, by MPFR; and the
// ends of what any order may give around them.
TEST(Mma, SumsAreRoundedOnce) {
  std::mt19937_64 random(5);
  struct Kind {
    Ieee ieee;
    Format format;
    unsigned spread;
  };
  const Kind kKinds[] = {{kF16, Format::f16, 30},
                         {kBf16, Format::bf16, 30},
                         {kBf16, Format::bf16, 250}};
  unsigned differ = 0;
  for (const Kind& kind : kKinds) {
    for (const auto& sum :
         {std::pair{Format::f32, kF32}, std::pair{Format::f16, kF16}}) {
      // Lambdas of clang 14 capture no structured bindings.
      const Format sum_format = sum.first;
      const Ieee sum_ieee = sum.second;
      for (int i = 0; i < 3000; ++i) {
        auto draw = [&](Ieee f, unsigned spread) {
          std::uint64_t top = (std::uint64_t{1} << f.exponent_bits) - 2;
          std::uint64_t field = std::min<std::uint64_t>(
              top, f.bias() - std::min<std::uint64_t>(f.bias(), spread / 2) +
                       random() % (spread + 1));
          std::uint64_t fraction =
              random() % (std::uint64_t{1} << (f.precision - 1));
          return (random() & 1U) << (f.width() - 1) |
                 field << (f.precision - 1) | fraction;
        };
        unsigned count = 1 + static_cast<unsigned>(random() % 16);
        std::vector<double> a, b;
        Mpfr exact(900), magnitude(900), x, y, product(200);
        std::uint64_t c = draw(sum_ieee, kind.spread);
        decode(sum_ieee, c, x);
        mpfr_set(exact, x, MPFR_RNDN);
        mpfr_abs(magnitude, x, MPFR_RNDU);
        double start = mpfr_get_d(x, MPFR_RNDN);
        for (unsigned k = 0; k < count; ++k) {
          // Now and then the product before it, taken away.
          bool cancels = k > 0 && random() % 4 == 0;
          std::uint64_t bits = draw(kind.ieee, kind.spread);
          decode(kind.ieee, bits, x);
          decode(kind.ieee, draw(kind.ieee, kind.spread), y);
          a.push_back(cancels ? -a.back() : mpfr_get_d(x, MPFR_RNDN));
          b.push_back(cancels ? b.back() : mpfr_get_d(y, MPFR_RNDN));
          mpfr_set_d(x, a.back(), MPFR_RNDN);
          mpfr_set_d(y, b.back(), MPFR_RNDN);
          mpfr_mul(product, x, y, MPFR_RNDN);
          mpfr_add(exact, exact, product, MPFR_RNDN);
          mpfr_abs(product, product, MPFR_RNDN);
          mpfr_add(magnitude, magnitude, product, MPFR_RNDU);
        }
        auto with = [&](Approximation which) {
          return dot(a.data(), b.data(), count, start, sum_format, which);
        };
        std::uint32_t nominal = with(Approximation::nominal);
        ASSERT_EQ(nominal, rounded(sum_ieee, MPFR_RNDN, 0,
                                   [&](mpfr_ptr r, mpfr_rnd_t mode) {
                                     return mpfr_set(r, exact, mode);
                                   }));
        double low = widen(sum_format, with(Approximation::lowest));
        double high = widen(sum_format, with(Approximation::highest));
        double middle = widen(sum_format, nominal);
        ASSERT_TRUE(low <= middle && middle <= high);
        differ += low < high ? 1 : 0;
        // gamma of as many roundings as there are additions.
        double u = std::ldexp(1.0, -sum_ieee.precision);
        double bound =
            count * u / (1 - count * u) * mpfr_get_d(magnitude, MPFR_RNDU);
        double near = mpfr_get_d(exact, MPFR_RNDN);
        if (std::isinf(low) || std::isinf(high)) continue;
        int least = sum_format == Format::f16 ? -25 : -150;
        double half = std::max(std::ldexp(std::fabs(near), -sum_ieee.precision),
                               std::ldexp(1.0, least));
        ASSERT_LE(near - low, std::max(bound * 1.0001, half));
        ASSERT_LE(high - near, std::max(bound * 1.0001, half));
      }
    }
  }
  EXPECT_GT(differ, 9000U);
}

// Integers times one power of two, few enough bits of them: any order is exact.
TEST(Mma, WhereNothingIsRoundedThereIsOneResult) {
  double a[16], b[16];
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    double sum = std::ldexp(double(random() % 4096), -20);
    double start = sum;
    for (unsigned k = 0; k < 16; ++k) {
      a[k] = double(random() % 511) - 255;
      b[k] = std::ldexp(double(random() % 511) - 255, -10);
      sum += a[k] * b[k];
    }
    start = std::ldexp(std::floor(std::ldexp(start, 10)), -10);
    for (auto which : {Approximation::nominal, Approximation::lowest,
                       Approximation::highest})
      EXPECT_EQ(dot(a, b, 16, start, Format::f32, which),
                dot(a, b, 16, start, Format::f32, Approximation::nominal));
  }
  const Layout& l =
      layout_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  // 1 and twice 7/8 of 2^-24: one after the other these are lost.
  Bits left = {0x3c00, 0x0001, 0x0001}, right = {0x3c00, 0x3b00, 0x3b00};
  EXPECT_EQ(one_sum(l, left, right, 0, Approximation::lowest), 0x3f800000U);
  EXPECT_EQ(one_sum(l, left, right, 0), 0x3f800001U);
  EXPECT_EQ(one_sum(l, left, right, 0, Approximation::highest), 0x3f800001U);
}

TEST(Mma, NeedsTheWholeWarp) {
  const Layout& l =
      layout_of("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32");
  Product p = multiply(l, Bits(128), Bits(64), Bits(128), {},
                       "setp.lt.u32 %p1, %r30, 16;\n@%p1 ");
  EXPECT_TRUE(p.ran.has(FaultKind::bad_barrier));
}

TEST(Mma, WhatIsUndefinedReachesItsRowsAndColumns) {
  // Lane 5 has row 1 of a: that row of the result is undefined, lane 9 stores
  // row 2.
  std::string body =
      ".reg .b32 %r<32>; .reg .b64 %q<4>; .reg .pred %p<3>;\n"
      "ld.param.u64 %q1, [p0]; mov.u32 %r30, %laneid;\n"
      "mov.b32 %r2, 0; mov.b32 %r4, 0; mov.b32 %r5, 0;\n"
      "setp.ne.u32 %p1, %r30, 5; @%p1 mov.b32 %r1, 0;\n"
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
      "{%r10, %r11}, {%r1, %r2}, {%r4}, {%r5, %r5};\n"
      "setp.eq.u32 %p2, %r30, LANE;\n"
      "@%p2 st.global.u32 [%q1], %r10; ret;";
  for (unsigned lane : {4U, 6U, 7U, 9U}) {
    std::vector<std::uint32_t> out(1);
    Machine machine;
    std::string text = body;
    text.replace(text.find("LANE"), 4, std::to_string(lane));
    Ran r = run(
        machine, kernel(text),
        {machine.add_buffer("out", bytes_of_vector(out), Contents::undefined)},
        {{1}, {32}});
    EXPECT_EQ(r.refused, "");
    EXPECT_EQ(r.has(FaultKind::uninitialised), lane != 9) << lane;
  }
}

TEST(Mma, RefusesWhatThereIsNot) {
  auto refusal = [](const std::string& opcode, const std::string& target,
                    const std::string& d = "{%r0, %r1, %r2, %r3}",
                    const std::string& a = "{%r4, %r5}") {
    auto program =
        Program::load(kernel(".reg .b32 %r<16>;\n" + opcode + " " + d + ", " +
                                 a + ", {%r6}, {%r8, %r9, %r10, %r11}; ret;",
                             1, target));
    Status s = program->check("k");
    return s.ok() ? std::string() : s.error().message;
  };
  const std::string k8 = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
  EXPECT_EQ(refusal(k8, "sm_75"), "");
  EXPECT_EQ(refusal(k8, "sm_70"),
            "unsupported: " + k8 +
                " (PTX line 7): it requires sm_75 or later, and this is sm_70");
  for (const char* later :
       {"m16n8k8.row.col.f32.bf16.bf16.f32",
        "m16n8k4.row.col.f32.tf32.tf32.f32", "m16n8k16.row.col.f32.f16.f16.f32",
        "m16n8k16.row.col.s32.s8.s8.s32"})
    EXPECT_NE(refusal(std::string("mma.sync.aligned.") + later, "sm_75")
                  .find("requires sm_80"),
              std::string::npos)
        << later;
  for (const char* no :
       {"m16n8k8.col.row.f32.f16.f16.f32", "m16n8k8.row.col.f32.f16.bf16.f32",
        "m16n8k8.row.col.f16.bf16.bf16.f16", "m16n8k8.row.col.f32.f16.f16.f16",
        "m16n8k4.row.col.f32.bf16.bf16.f32", "m16n8k32.row.col.f32.f16.f16.f32",
        "m8n8k4.row.col.f32.f16.f16.f32", "m16n8k32.row.col.f32.e4m3.e4m3.f32",
        "m16n8k8.row.col.satfinite.f32.f16.f16.f32",
        "m16n8k8.row.col.f32.f16.f16"})
    EXPECT_NE(refusal(std::string("mma.sync.aligned.") + no, "sm_90"), "")
        << no;
  EXPECT_NE(refusal("mma.m16n8k8.row.col.f32.f16.f16.f32", "sm_90"), "");
  EXPECT_NE(refusal(k8, "sm_90", "{%r0, %r1}"), "");
  EXPECT_NE(refusal(k8, "sm_90", "{%r0, %r1, %r2, %r3}", "%r4"), "");
}

}  // namespace
}  // namespace assay::ptx::testing
