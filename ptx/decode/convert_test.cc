// cvt: all sixteen-bit inputs, every rounding, every pair of types.
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "ptx/numbers/format.h"
#include "ptx/testing/evaluate.h"
#include "ptx/testing/mpfr_oracle.h"

namespace assay::ptx::testing {
namespace {

std::vector<std::uint64_t> all_halves() {
  std::vector<std::uint64_t> all(0x10000);
  for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

// `want(bits)` for each input.
template <class F>
void compare(const std::string& code, const std::vector<std::uint64_t>& in,
             F want, const std::string& target = "sm_100a") {
  Evaluated got = evaluate(code, {in}, target);
  ASSERT_EQ(got.error, "") << code;
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(got.values[i], want(in[i]))
        << code << std::hex << " of 0x" << in[i];
}

struct Mode {
  std::string name;
  std::string integral;
  mpfr_rnd_t mpfr;
};
const std::array kModes = {
    Mode{"rn", "rni", MPFR_RNDN}, Mode{"rz", "rzi", MPFR_RNDZ},
    Mode{"rm", "rmi", MPFR_RNDD}, Mode{"rp", "rpi", MPFR_RNDU}};

struct Kind {
  std::string name;
  Ieee format;
  std::string letter;
  std::uint64_t nan;
};
const Kind kHalf{"f16", kF16, "h", 0x7fff};
const Kind kBrain{"bf16", kBf16, "h", 0x7fff};
const Kind kSingle{"f32", kF32, "r", 0x7fffffff};
const Kind kDouble{"f64", kF64, "q", 0x7fffffffffffffff};

std::uint64_t convert(const Kind& to, mpfr_rnd_t mode, const Kind& from,
                      std::uint64_t bits) {
  Mpfr x;
  decode(from.format, bits, x);
  return rounded(to.format, mode, to.nan,
                 [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_set(r, x, m); });
}

TEST(Convert, WidensEverySixteenBitNumber) {
  for (const Kind& from : {kHalf, kBrain})
    for (const Kind& to : {kSingle, kDouble})
      compare("cvt." + to.name + "." + from.name + " %" + to.letter + "0, %h1;",
              all_halves(),
              [&](std::uint64_t b) { return convert(to, MPFR_RNDN, from, b); });
}

TEST(Convert, RoundsBetweenSixteenBitFormats) {
  for (const Mode& m : kModes) {
    compare("cvt." + m.name + ".bf16.f16 %h0, %h1;", all_halves(),
            [&](std::uint64_t b) { return convert(kBrain, m.mpfr, kHalf, b); });
    compare("cvt." + m.name + ".f16.bf16 %h0, %h1;", all_halves(),
            [&](std::uint64_t b) { return convert(kHalf, m.mpfr, kBrain, b); });
  }
}

// Inputs around every element and midpoint of a sixteen-bit format.
std::vector<std::uint64_t> singles_around_halves(unsigned shift) {
  std::vector<std::uint64_t> in;
  std::mt19937 random(9);
  for (std::uint32_t i = 0; i < 60'000; ++i) {
    std::uint32_t b = random();
    std::uint32_t unit = std::uint32_t{1} << shift;
    switch (i % 5) {
      case 0:
        b &= ~(unit - 1);
        break;
      case 1:
        b = (b & ~(unit - 1)) | unit / 2;
        break;
      case 2:
        b = (b & ~(unit - 1)) | (unit / 2 + 1);
        break;
      case 3:
        b = (b & ~(unit - 1)) | (unit / 2 - 1);
        break;
      default:
        break;
    }
    // Half of them in the range of f16.
    if (i % 2 == 0)
      b = (b & 0x8fffffffU) | 0x30000000U | (random() & 0x8000000U);
    in.push_back(b);
  }
  return in;
}

TEST(Convert, NarrowsSingles) {
  for (const Mode& m : kModes)
    for (const Kind& to : {kHalf, kBrain})
      compare("cvt." + m.name + "." + to.name + ".f32 %h0, %r1;",
              singles_around_halves(to.name == "f16" ? 13 : 16),
              [&](std::uint64_t b) { return convert(to, m.mpfr, kSingle, b); });
}

TEST(Convert, NarrowsDoubles) {
  std::mt19937_64 random(4);
  std::vector<std::uint64_t> in;
  for (int i = 0; i < 40'000; ++i) {
    double x = std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52,
                          static_cast<int>(random() % 340) - 170);
    if (i % 3 == 0) x = static_cast<float>(x);
    if (i % 4 == 0) x = std::ldexp(std::round(std::ldexp(x, 11)), -11);
    in.push_back(std::bit_cast<std::uint64_t>(i % 2 == 0 ? x : -x));
  }
  for (std::uint64_t special :
       {0x7ff0000000000000ULL, 0x7ff8000000000000ULL, 0x0ULL, 0x1ULL})
    in.push_back(special);
  for (const Mode& m : kModes)
    for (const Kind& to : {kHalf, kBrain, kSingle})
      compare(
          "cvt." + m.name + "." + to.name + ".f64 %" + to.letter + "0, %q1;",
          in, [&](std::uint64_t b) { return convert(to, m.mpfr, kDouble, b); });
}

TEST(Convert, RoundsToIntegralValues) {
  for (const Mode& m : kModes) {
    for (const Kind& k : {kHalf, kBrain})
      compare("cvt." + m.integral + "." + k.name + "." + k.name + " %h0, %h1;",
              all_halves(), [&](std::uint64_t b) {
                Mpfr x;
                decode(k.format, b, x);
                return rounded(k.format, m.mpfr, k.nan,
                               [&](mpfr_ptr r, mpfr_rnd_t mode) {
                                 Mpfr whole;
                                 mpfr_rint(whole, x, mode);
                                 return mpfr_set(r, whole, MPFR_RNDN);
                               });
              });
    std::mt19937_64 random(2);
    for (const Kind& k : {kSingle, kDouble}) {
      std::vector<std::uint64_t> in;
      for (int i = 0; i < 5000; ++i) {
        double x = std::ldexp(static_cast<double>(random() >> 50),
                              -static_cast<int>(random() % 16));
        if (i % 2 == 0) x = -x;
        in.push_back(k.name == "f32"
                         ? std::bit_cast<std::uint32_t>(static_cast<float>(x))
                         : std::bit_cast<std::uint64_t>(x));
      }
      compare("cvt." + m.integral + "." + k.name + "." + k.name + " %" +
                  k.letter + "0, %" + k.letter + "1;",
              in, [&](std::uint64_t b) {
                Mpfr x;
                decode(k.format, b, x);
                return rounded(k.format, m.mpfr, k.nan,
                               [&](mpfr_ptr r, mpfr_rnd_t mode) {
                                 return mpfr_rint(r, x, mode), 0;
                               });
              });
    }
  }
}

TEST(Convert, RoundsIntegers) {
  std::mt19937_64 random(6);
  std::vector<std::uint64_t> in = {
      0,          1,          ~0ULL, 1ULL << 63, (1ULL << 63) - 1,
      0x80000000, 0x7fffffff, 65519, 65520};
  for (int i = 0; i < 4000; ++i) in.push_back(random() >> (random() % 64));
  for (const Mode& m : kModes)
    for (const Kind& to : {kHalf, kBrain, kSingle, kDouble})
      for (unsigned bits : {8U, 16U, 32U, 64U})
        for (bool is_s : {false, true}) {
          std::string type = (is_s ? "s" : "u") + std::to_string(bits);
          std::string from = bits == 64 ? "%q1" : bits == 32 ? "%r1" : "%h1";
          compare("cvt." + m.name + "." + to.name + "." + type + " %" +
                      to.letter + "0, " + from + ";",
                  in, [&](std::uint64_t b) {
                    unsigned shift = 64 - bits;
                    Mpfr x;
                    if (is_s)
                      mpfr_set_sj(
                          x, static_cast<std::int64_t>(b << shift) >> shift,
                          MPFR_RNDN);
                    else
                      mpfr_set_uj(x, b << shift >> shift, MPFR_RNDN);
                    return rounded(to.format, m.mpfr, to.nan,
                                   [&](mpfr_ptr r, mpfr_rnd_t mode) {
                                     return mpfr_set(r, x, mode);
                                   });
                  });
        }
}

TEST(Convert, RoundsToIntegersAndClamps) {
  for (const Mode& m : kModes)
    for (const Kind& from : {kHalf, kBrain})
      for (unsigned bits : {8U, 16U, 32U, 64U})
        for (bool is_s : {false, true}) {
          std::string type = (is_s ? "s" : "u") + std::to_string(bits);
          std::string to = bits == 64 ? "%q0" : bits == 32 ? "%r0" : "%h0";
          compare(
              "cvt." + m.integral + "." + type + "." + from.name + " " + to +
                  ", %h1;",
              all_halves(), [&](std::uint64_t b) -> std::uint64_t {
                Mpfr x;
                decode(from.format, b, x);
                std::uint64_t top = 1ULL << (bits - 1);
                std::uint64_t all = ~0ULL >> (64 - bits);
                std::uint64_t mask =
                    bits == 8 ? 0xffff : all;  // of the register
                if (mpfr_nan_p(static_cast<mpfr_ptr>(x)))
                  return bits == 64 ? top : 0;
                mpfr_rint(x, x, m.mpfr);
                if (is_s) {
                  Mpfr limit;
                  mpfr_set_uj(limit, top, MPFR_RNDN);
                  if (mpfr_cmp(x, limit) >= 0) return top - 1;
                  mpfr_neg(limit, limit, MPFR_RNDN);
                  if (mpfr_cmp(x, limit) <= 0) return (0 - top) & mask;
                  return static_cast<std::uint64_t>(mpfr_get_sj(x, MPFR_RNDN)) &
                         mask;
                }
                if (mpfr_sgn(static_cast<mpfr_ptr>(x)) <= 0) return 0;
                Mpfr limit;
                mpfr_set_uj(limit, all, MPFR_RNDN);
                if (mpfr_cmp(x, limit) >= 0) return all;
                return mpfr_get_uj(x, MPFR_RNDN);
              });
        }
}

TEST(Convert, TurnsNanOfDoublesIntoTheTopBit) {
  check({"cvt.rzi.s32.f64 %r0, %q1;", {0x7ff8000000000000}, 0x80000000});
  check({"cvt.rzi.u64.f32 %q0, %r1;", {0x7fc00000}, 1ULL << 63});
  check({"cvt.rzi.u32.f32 %r0, %r1;", {0x7fc00000}, 0});
  check({"cvt.rzi.s64.f64 %q0, %q1;", {0xc3e0000000000001}, 1ULL << 63});
  check({"cvt.rni.s32.f32 %r0, %r1;", {0x4f000000}, 0x7fffffff});
}

TEST(Convert, PairsAndModifiers) {
  std::uint64_t one = 0x3f800000;
  std::uint64_t two = 0xc0000000;
  for (const Case& c : {
           Case{"cvt.rn.f16x2.f32 %r0, %r1, %r2;", {one, two}, 0x3c00c000},
           Case{"cvt.rn.bf16x2.f32 %r0, %r1, %r2;", {one, two}, 0x3f80c000},
           Case{"cvt.rn.relu.f16x2.f32 %r0, %r1, %r2;", {one, two}, 0x3c000000},
           Case{"cvt.rz.relu.bf16.f32 %h0, %r1;", {0x7fc00000}, 0x7fff},
           Case{"cvt.rn.satfinite.f16.f32 %h0, %r1;", {0x7f800000}, 0x7bff},
           Case{"cvt.rn.satfinite.bf16x2.f32 %r0, %r1, %r2;",
                {0xff800000, 0x7fc00000},
                0xff7f7fff},
           Case{"cvt.rna.tf32.f32 %r0, %r1;", {0x3f801000}, 0x3f802000},
           Case{"cvt.rna.satfinite.tf32.f32 %r0, %r1;",
                {0x7f800000},
                0x7f7fe000},
           Case{"cvt.rn.tf32.f32 %r0, %r1;", {0x3f801000}, 0x3f800000},
           Case{"cvt.rz.relu.tf32.f32 %r0, %r1;", {two}, 0},
           Case{"cvt.u16.u8 %r0, %h1;", {0x1ff}, 0xff},
           Case{"cvt.f32.f32 %r0, %r1;", {one}, one},
       })
    check(c);
}

struct Narrow {
  std::string name;
  Format format;
  unsigned step;
};
const std::array kNarrow = {
    Narrow{"e4m3x2", Format::e4m3, 8}, Narrow{"e5m2x2", Format::e5m2, 8},
    Narrow{"e2m1x2", Format::e2m1, 4}, Narrow{"e2m3x2", Format::e2m3, 8},
    Narrow{"e3m2x2", Format::e3m2, 8}};

// numbers/format_test.cc judges narrow() and widen() themselves; here it is
// which half goes where, and every code both ways.
TEST(Convert, NarrowFormatsBothWays) {
  for (const Narrow& n : kNarrow) {
    bool four = n.step == 4;
    std::string up = "cvt.rn.f16x2." + n.name + " %r0, ";
    up = four ? "{ .reg .b8 %b; cvt.u8.u32 %b, %r1; " + up + "%b; }"
              : up + "%h1;";
    std::vector<std::uint64_t> codes;
    std::uint64_t mask =
        n.format == Format::e2m3 || n.format == Format::e3m2 ? 0x3f3f : 0xffff;
    for (std::uint64_t i = 0; i < (four ? 0x100U : 0x10000U); ++i)
      codes.push_back(i & mask);
    compare(up, codes, [&](std::uint64_t b) {
      std::uint32_t part = four ? 0xf : 0xff;
      auto low = static_cast<std::uint32_t>(b) & part;
      auto high = static_cast<std::uint32_t>(b >> n.step) & part;
      return std::uint64_t{narrow(widen(n.format, high), {Format::f16})} << 16 |
             narrow(widen(n.format, low), {Format::f16});
    });
    std::string down = "cvt.rn.satfinite." + n.name + ".f16x2 ";
    down = four ? "{ .reg .b8 %b; " + down + "%b, %r1; cvt.u32.u8 %r0, %b; }"
                : down + "%h0, %r1;";
    std::vector<std::uint64_t> pairs;
    for (std::uint64_t h = 0; h < 0x10000; ++h)
      pairs.push_back(h << 16 | ((h * 40'503) & 0xffff));
    compare(down, pairs, [&](std::uint64_t b) {
      NarrowOptions o{n.format, RoundTo::nearest_even, true, false};
      auto one = [&](std::uint64_t h) {
        return std::uint64_t{narrow(
            widen(Format::f16, static_cast<std::uint32_t>(h & 0xffff)), o)};
      };
      return one(b >> 16) << n.step | one(b);
    });
  }
  check({"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;",
         {0x3f800000, 0x43f00000},
         0x387e,
         "sm_89"});
  check({"cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %r1, %r2;",
         {0xbf800000, 0x40000000},
         0x0040,
         "sm_90"});
  check({"cvt.rn.relu.f16x2.e4m3x2 %r0, %h1;", {0xb838}, 0x3c00, "sm_90"});
}

TEST(Convert, ExponentsOfTheFoundingCase) {
  std::string up = "cvt.rp.satfinite.ue8m0x2.f32 %h0, %r1, %r2;";
  check({up, {0x3f800001, 0x3f800000}, 0x807f, "sm_100a"});
  check({up, {0, 0x7fc00000}, 0x00ff, "sm_120f"});
  check({up, {0x7f800000, 0xc0000000}, 0xfe80, "sm_103a"});
  check({"cvt.rz.ue8m0x2.f32 %h0, %r1, %r2;",
         {0x3fffffff, 0x7f800000},
         0x7fff,
         "sm_100f"});
  check({"cvt.rp.ue8m0x2.bf16x2 %h0, %r1;", {0x3f813f80}, 0x807f, "sm_100a"});
  check({"cvt.rn.bf16x2.ue8m0x2 %r0, %h1;", {0x807f}, 0x40003f80, "sm_100a"});
  // As ptxas: notes of the ISA on targets.
  for (const char* target : {"sm_90a", "sm_100", "sm_120"}) {
    Evaluated got = evaluate(up, {{0}, {0}}, target);
    EXPECT_NE(got.error.find("unsupported: cvt.rp.satfinite.ue8m0x2.f32"),
              std::string::npos)
        << target << got.error;
  }
  EXPECT_NE(evaluate("cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", {{0}, {0}},
                     "sm_80")
                .error.find("sm_89"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::ptx::testing
