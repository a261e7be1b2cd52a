// Floating-point arithmetic against MPFR: every rounding mode, on random and
// on special operands.
#include <array>
#include <cstring>
#include <random>

#include "ptx/lanes/lanes.h"
#include "ptx/testing/evaluate.h"
#include "ptx/testing/mpfr_oracle.h"

namespace assay::ptx::testing {
namespace {

struct Arithmetic {
  std::string op;
  std::size_t operands;
  int (*exact)(mpfr_ptr, mpfr_ptr, mpfr_ptr, mpfr_ptr, mpfr_rnd_t);
};

const std::array kOperations = {
    Arithmetic{"add", 2,
               [](mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr, mpfr_rnd_t m) {
                 return mpfr_add(r, a, b, m);
               }},
    Arithmetic{"sub", 2,
               [](mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr, mpfr_rnd_t m) {
                 return mpfr_sub(r, a, b, m);
               }},
    Arithmetic{"mul", 2,
               [](mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr, mpfr_rnd_t m) {
                 return mpfr_mul(r, a, b, m);
               }},
    Arithmetic{"fma", 3,
               [](mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr c,
                  mpfr_rnd_t m) { return mpfr_fma(r, a, b, c, m); }},
    Arithmetic{"div", 2,
               [](mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr, mpfr_rnd_t m) {
                 return mpfr_div(r, a, b, m);
               }},
    Arithmetic{"rcp", 1,
               [](mpfr_ptr r, mpfr_ptr a, mpfr_ptr, mpfr_ptr, mpfr_rnd_t m) {
                 return mpfr_ui_div(r, 1, a, m);
               }},
    Arithmetic{"sqrt", 1,
               [](mpfr_ptr r, mpfr_ptr a, mpfr_ptr, mpfr_ptr, mpfr_rnd_t m) {
                 return mpfr_sqrt(r, a, m);
               }},
};

struct Kind {
  std::string type;
  Ieee format;
  char letter;
  std::uint64_t nan;
};

struct Mode {
  std::string name;
  mpfr_rnd_t mpfr;
};
const std::array kModes = {Mode{".rn", MPFR_RNDN}, Mode{".rz", MPFR_RNDZ},
                           Mode{".rm", MPFR_RNDD}, Mode{".rp", MPFR_RNDU}};

// Operands that make results cancel, overflow and underflow: exponents close
// to one another, at the ends of the range, and specials.
std::uint64_t operand(Ieee f, std::mt19937_64& random) {
  std::uint64_t mask =
      f.width() == 64 ? ~0ULL : (std::uint64_t{1} << f.width()) - 1;
  std::uint64_t bits = random() & mask;
  int fraction = f.precision - 1;
  std::uint64_t field_mask = ((std::uint64_t{1} << f.exponent_bits) - 1)
                             << fraction;
  switch (random() % 8) {
    case 0: {  // near 1
      auto field = static_cast<std::uint64_t>(f.bias() + 2) - random() % 5;
      return (bits & ~field_mask) | (field << fraction);
    }
    case 1:
      return bits & ~field_mask;  // subnormal
    case 2:
      return bits | (field_mask & ~(std::uint64_t{1} << fraction));
    case 3: {
      // Few bits: ties.
      std::uint64_t low = (std::uint64_t{1} << (fraction / 2 + 1)) - 1;
      return bits & ~low;
    }
    case 4:
      if (random() % 4 == 0)
        return (bits & (std::uint64_t{1} << (f.width() - 1))) |
               (random() % 2 == 0 ? field_mask : 0);
      return bits;
    default:
      return bits;
  }
}

void compare(const Arithmetic& a, const Kind& k, const Mode& m,
             std::size_t count, const std::string& prefix = "") {
  std::mt19937_64 random(7);
  Inputs in(a.operands);
  for (auto& list : in)
    for (std::size_t i = 0; i < count; ++i)
      list.push_back(operand(k.format, random));
  std::string l(1, k.letter);
  std::string code = a.op + m.name + "." + k.type + " %" + l + "0";
  for (std::size_t i = 1; i <= a.operands; ++i)
    code += ", %" + l + std::to_string(i);
  Evaluated got = evaluate(prefix + code + ";", in, "sm_100");
  ASSERT_EQ(got.error, "") << code;
  Mpfr x[3];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t o = 0; o < a.operands; ++o)
      decode(k.format, in[o][i], x[o]);
    std::uint64_t want =
        rounded(k.format, m.mpfr, k.nan, [&](mpfr_ptr r, mpfr_rnd_t mode) {
          return a.exact(r, x[0], x[1], x[2], mode);
        });
    // mul and fma of zeros, and infinities, have their signs from MPFR, too.
    ASSERT_EQ(got.values[i], want)
        << code << std::hex << " 0x" << in[0][i] << " 0x"
        << (a.operands > 1 ? in[1][i] : 0) << " 0x"
        << (a.operands > 2 ? in[2][i] : 0) << ": 0x" << got.values[i]
        << " instead of 0x" << want;
  }
}

TEST(Float, RoundsInEveryMode) {
  for (const Kind& k : {Kind{"f32", kF32, 'r', 0x7fffffff},
                        Kind{"f64", kF64, 'q', 0x7fffffffffffffff}})
    for (const Arithmetic& a : kOperations)
      for (const Mode& m : kModes) compare(a, k, m, 6000);
}

TEST(Float, HasNoModeByDefault) {
  for (const char* op : {"add", "sub", "mul"})
    for (const Arithmetic& a : kOperations)
      if (a.op == op)
        compare(a, {"f32", kF32, 'r', 0x7fffffff}, {"", MPFR_RNDN}, 2000);
}

TEST(Float, SixteenBitsRoundOnce) {
  for (const Kind& k :
       {Kind{"f16", kF16, 'h', 0x7fff}, Kind{"bf16", kBf16, 'h', 0x7fff}})
    for (std::size_t i = 0; i < 4; ++i)
      compare(kOperations.at(i), k, {".rn", MPFR_RNDN}, 100'000);
}

// The same elements in pairs: the machine may not mix the halves up.
TEST(Float, PackedIsByElement) {
  struct Packed {
    const char* type;
    const char* single;
    char letter;
    unsigned bits;
    Ieee format;
  };
  std::mt19937_64 random(3);
  for (Packed p : {Packed{"f16x2", "f16", 'r', 16, kF16},
                   Packed{"bf16x2", "bf16", 'r', 16, kBf16},
                   Packed{"f32x2", "f32", 'q', 32, kF32}}) {
    char single = p.bits == 16 ? 'h' : 'r';
    for (std::string op : {"add.rn", "sub.rn", "mul.rn", "fma.rn"}) {
      Inputs whole(3);
      Inputs low(3);
      Inputs high(3);
      for (int i = 0; i < 500; ++i)
        for (std::size_t o = 0; o < 3; ++o) {
          low[o].push_back(operand(p.format, random));
          high[o].push_back(operand(p.format, random));
          whole[o].push_back(high[o].back() << p.bits | low[o].back());
        }
      auto code = [&](const std::string& type, char letter) {
        std::string l(1, letter);
        return op + "." + type + " %" + l + "0, %" + l + "1, %" + l + "2" +
               (op == "fma.rn" ? ", %" + l + "3;" : ";");
      };
      auto all = evaluate(code(p.type, p.letter), whole, "sm_100");
      auto a = evaluate(code(p.single, single), low, "sm_100");
      auto b = evaluate(code(p.single, single), high, "sm_100");
      ASSERT_EQ(all.error + a.error + b.error, "");
      for (std::size_t i = 0; i < all.values.size(); ++i)
        ASSERT_EQ(all.values[i], b.values[i] << p.bits | a.values[i]);
    }
  }
}

TEST(Float, BothBuildsOfTheLanesAgree) {
  if (best_lanes_build() == LanesBuild::baseline)
    GTEST_SKIP() << "this CPU has the baseline alone";
  std::mt19937_64 random(5);
  alignas(64) std::byte start[4096];
  for (std::byte& b : start) b = static_cast<std::byte>(random());
  Operation op;
  op.d = 2048;
  op.a = 512;
  op.b = 1024;
  op.c = 1536;
  for (int round = 0; round < 200; ++round) {
    op.imm = round % 2 == 0 ? 0x7c00 : random() & 3U;
    std::uint32_t mask =
        round % 3 == 0 ? kAllLanes : static_cast<std::uint32_t>(random());
    for (std::byte& b : start) b = static_cast<std::byte>(random());
    for (unsigned i = 0; i < static_cast<unsigned>(Lane::count); ++i) {
      alignas(64) std::byte one[4096];
      alignas(64) std::byte two[4096];
      std::memcpy(one, start, sizeof one);
      std::memcpy(two, start, sizeof two);
      lanes_of(LanesBuild::baseline, static_cast<Lane>(i))(one, op, mask);
      lanes_of(LanesBuild::v3, static_cast<Lane>(i))(two, op, mask);
      ASSERT_EQ(std::memcmp(one, two, sizeof one), 0) << "Lane " << i;
    }
  }
}

}  // namespace
}  // namespace assay::ptx::testing
