// MPFR and Arb agree on every function; a function that is a little off does
// not pass. The command `assay certify-oracle` compares millions of inputs.
#include "reference/certify/certify.h"

#include <gtest/gtest.h>

#include "core/float_bits.h"
#include "reference/certify/boundaries.h"

namespace assay::reference {
namespace {

std::vector<Elementary> all_functions() {
  std::vector<Elementary> all;
  for (int i = 0; i < kElementaryFunctions; ++i) {
    all.push_back(static_cast<Elementary>(i));
  }
  return all;
}

TEST(Certify, MpfrAndArbAgree) {
  for (const Elementary f : all_functions()) {
    for (const DType t : {DType::f32, DType::f64}) {
      const Certificate c = certify(f, t, 64, 2, nullptr);
      EXPECT_GT(c.compared, 100u) << elementary_name(f);
      EXPECT_EQ(c.disagreements, 0u)
          << elementary_name(f) << " " << dtype_name(t) << " at " << std::hex
          << c.examples.front().input << ": MPFR "
          << c.examples.front().mpfr.value_or(~0ull) << ", Arb "
          << c.examples.front().arb.value_or(~0ull);
    }
  }
}

TEST(Certify, TellsAFunctionFromItsNeighbour) {
  // sinh and tanh differ everywhere but next to zero.
  const std::uint64_t half = encode_float(DType::f32, 0.5);
  EXPECT_NE(rounded_by_mpfr(Elementary::sinh, DType::f32, half),
            rounded_by_arb(Elementary::tanh, DType::f32, half));
}

struct Known {
  RealFunction f;
  DType t;
  std::string_view what;
  double before;  // the element on this side of the boundary
};

bool solved(const Known& k) {
  for (const Boundary& b : solve_boundaries(k.f, k.t)) {
    if (b.what == k.what && (decode_float(k.t, b.before) == k.before ||
                             decode_float(k.t, b.after) == k.before)) {
      return true;
    }
  }
  return false;
}

// Published thresholds of binary64, binary32 and binary16.
TEST(Boundaries, AreWhereTheyAreKnownToBe) {
  const std::vector<Known> known = {
      {Elementary::exp, DType::f32, "overflow", 0x1.62e42ep+6},
      {Elementary::exp, DType::f32, "underflow", -0x1.9fe368p+6},
      // Both between two places of the grid.
      {Elementary::exp, DType::f64, "subnormal", -0x1.6232bdd7abcd3p+9},
      {Elementary::exp, DType::f64, "subnormal", -0x1.74910d52d3052p+9},
      {Elementary::tanh, DType::f32, "saturation", 0x1.205966p+3},
      {RealFunction::rsqrt(), DType::f32, "sign", -0.0},
      {Elementary::exp2, DType::f32, "overflow", 128},
      {Elementary::exp2, DType::f32, "underflow", -150},
      {Elementary::exp10, DType::f32, "overflow", 0x1.344134p+5},
      {Elementary::sinh, DType::f32, "overflow", 0x1.65a9f8p+6},
      {Elementary::log, DType::f32, "sign", 1},
      {Elementary::acosh, DType::f32, "domain", 1},
      {Elementary::asin, DType::f32, "domain", 1},
      {Elementary::tgamma, DType::f32, "overflow", 0x1.18521ep+5},
      {Elementary::exp, DType::f16, "overflow", 0x1.62cp+3}};
  for (const Known& k : known) {
    EXPECT_TRUE(solved(k)) << k.f.name() << " " << k.what;
  }
}

TEST(Boundaries, LieBetweenNeighbours) {
  constexpr DType t = DType::f16;
  for (const Elementary f : all_functions()) {
    for (const Boundary& b : solve_boundaries(f, t)) {
      EXPECT_EQ(ordinal(t, b.after) - ordinal(t, b.before), 1);
    }
  }
}

}  // namespace
}  // namespace assay::reference
