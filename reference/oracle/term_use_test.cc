// Which terms of an entry decide anything, and which decide too much.
#include "reference/oracle/term_use.h"

#include <gtest/gtest.h>

#include "reference/testing/test_specs.h"

namespace assay::reference {
namespace {

// What the one entry of an operation is good for, at these elements of f32.
TermUse use_of(const std::string& value, const std::string& accuracy,
               const std::vector<double>& x, DType t = DType::f32) {
  const language::SpecSet specs = specs_of({unary_spec("op", value, accuracy)});
  const auto n = static_cast<std::int64_t>(x.size());
  const Program p = program_of("%0 = input " + std::string(dtype_name(t)) +
                               "[" + std::to_string(n) +
                               "]\n%1 = aten.op.default(%0)\nreturn %1\n");
  const Result<TermUses> uses = term_uses(specs, p, {tensor_of(t, {n}, x)});
  if (!uses || uses->size() != 1) {
    ADD_FAILURE() << (uses ? "no entry" : uses.error().message);
    return {};
  }
  return uses->begin()->second;
}

TEST(TermUse, CountsZerosThatComeWithOneSign) {
  const std::string any = "bound: exact, zero_sign: any";
  EXPECT_EQ(use_of("x[i...]", any, {0.0, -0.0, 1, -2}).zero_sign, 2u);
  EXPECT_EQ(use_of("x[i...]", any, {1, -2}).zero_sign, 0u);
  EXPECT_EQ(use_of("x[i...]", any, {1, -2}).elements, 2u);
  // Either zero is right without it.
  EXPECT_EQ(use_of("0 * x[i...] + either(0, -0.0)", any, {-1}).zero_sign, 0u);
}

TEST(TermUse, CountsElementsThatAbsMakesWider) {
  const std::string both = "ulp: 2, abs: 0.001";
  EXPECT_EQ(use_of("x[i...]", both, {1e-3, 1, 1e6, 1e7}).abs, 2u);
  EXPECT_EQ(use_of("x[i...]", both, {1e6, 1e7}).abs, 0u);
  EXPECT_EQ(use_of("x[i...]", "ulp: 2, abs: 0", {1e-3, 1}).abs, 0u);
  // Alone it is the bound.
  EXPECT_EQ(use_of("x[i...]", "abs: 0.001", {1e-3, 1}).abs, 0u);
}

TEST(TermUse, CountsBoundsThatReachTheEndOfTheFormat) {
  EXPECT_EQ(use_of("x[i...]", "abs: 1e39", {1, -5, 1e30}).overflow, 3u);
  EXPECT_EQ(use_of("x[i...]", "ulp: 4e7", {1, -5, 1.7e38}).overflow, 1u);
  // Within the last binade a few units reach it, as they should.
  EXPECT_EQ(use_of("x[i...]", "ulp: 2", {3.4028234e38, 1}).overflow, 0u);
  EXPECT_EQ(use_of("x[i...] * 2", "ulp: 2", {3e38, -3e38}).overflow, 0u);
}

// The tolerance of the fast engine is infinite here, that of more digits 2^-50
// of what cancels.
TEST(TermUse, ABoundPassesByNumbersThatNoDoubleHolds) {
  const std::string bound =
      "abs: \"abs(x[i...] * 4 - x[i...] * 3) * eps(f64)\"";
  const double x = 1.5e308;
  EXPECT_EQ(use_of("x[i...] - x[i...]", bound, {x}, DType::f64).overflow, 0u);
}

TEST(TermUse, CountsNumbersBesideAZeroThatIsOne) {
  const std::string both = "ulp: 1, abs: 0.001";
  const std::string dead = "where(abs(x[i...]) > 0.5, x[i...] - 0.5, 0)";
  EXPECT_EQ(use_of(dead, both, {0.1, -0.2, 3, 4}).beside_zero, 2u);
  // Next to the end of the dead zone nothing says on which side x lies.
  EXPECT_EQ(use_of(dead, both, {0.49999997, 3}).beside_zero, 0u);
  // What cancels may leave a rest.
  EXPECT_EQ(use_of("(x[i...] + 1) - (x[i...] + 1)", both, {0.1, 3}).beside_zero,
            0u);
}

}  // namespace
}  // namespace assay::reference
