// Functions of two numbers from a spec's text to the one admissible element.
#include <gtest/gtest.h>

#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

struct Row {
  const char* expression;
  DType dtype;
  double a, b;
  double expected;  // NaN: nothing else
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const Row kRows[] = {
    {"fmod(a[i...], b[i...])", DType::f32, 1e20, 3, 2},
    {"fmod(a[i...], b[i...])", DType::f16, -7.5, 2, -1.5},
    {"fmod(a[i...], b[i...])", DType::f64, kInfinity, 2, kNan},
    {"remainder(a[i...], b[i...])", DType::f16, -7.5, 2, 0.5},
    {"remainder(a[i...], b[i...])", DType::f32, -0x1p-60, 1, 1},
    {"remainder(a[i...], b[i...])", DType::f32, -5.5, kInfinity, kInfinity},
    {"remainder(a[i...], b[i...])", DType::i8, -128, -1, 0},
    {"remainder(a[i...], b[i...])", DType::i64, 0x1p62, -3, -2},
    // The least integer over -1 wraps.
    {"floor(a[i...] / b[i...])", DType::i32, -0x1p31, -1, -0x1p31},
    // 1 over 0.1 of f32, which is more than a tenth.
    {"floor(a[i...] / b[i...])", DType::f32, 1, 0.1, 9},
    // 289 is half way between two elements of bf16.
    {"pow(a[i...], b[i...])", DType::bf16, 17, 2, 288},
    {"pow(a[i...], b[i...])", DType::f32, -8, 3, -512},
    {"pow(a[i...], b[i...])", DType::f64, -8, 0.5, kNan},
    {"pow(a[i...], b[i...])", DType::f64, 1, kNan, 1},
    {"pow(a[i...], b[i...])", DType::u8, 7, 9, 40353607 % 256},
    {"hypot(a[i...], b[i...])", DType::f16, 3, -4, 5},
    {"hypot(a[i...], b[i...])", DType::f32, kNan, -kInfinity, kInfinity},
    {"atan2(a[i...], b[i...])", DType::f32, -0.0, 1, -0.0},
    {"nextafter(a[i...], b[i...], T)", DType::bf16, 1, 9, 1 + 0x1p-7},
    {"round_even(a[i...]) + 0 * b[i...]", DType::f32, 2.5, 1, 2},
    {"bit_and(a[i...], b[i...])", DType::i16, -2, 7, 6},
    {"bit_xor(a[i...], b[i...])", DType::u8, 255, 129, 126},
    {"bit_or(a[i...], b[i...])", DType::i64, -0x1p62, 0x1p20, -0x1p62 + 0x1p20},
    {"lgamma(a[i...]) * b[i...]", DType::f32, -2, 1, kInfinity},
    {"tgamma(a[i...]) * b[i...]", DType::f64, 20, 1, 121645100408832000},
};

std::string spec_of(const char* expression, DType t) {
  return "op: f\naten: aten.f.default\ndoc: a test\nparams:\n"
         "  a: {tensor: T, shape: [A...]}\n  b: {tensor: T2, shape: [A...]}\n"
         "dtypes: {T: [" +
         std::string(dtype_name(t)) +
         "], T2: T}\nresult: {dtype: T, shape: shape(a)}\nvalue: {V1: "
         "\"out[i...] "
         "= " +
         expression + "\"}\naccuracy:\n  A1: {bound: " +
         (is_float(t) ? "correctly_rounded" : "exact") +
         "}\ncases:\n  C1: {shapes: [{A: [3]}]}\n";
}

TEST(BinaryGolden, OneElementIsAdmissible) {
  for (const Row& row : kRows) {
    const language::SpecSet specs =
        specs_of({spec_of(row.expression, row.dtype)});
    const std::string type = std::string(dtype_name(row.dtype)) + "[1]\n";
    const Result<Golden> g = Oracle(specs).golden(
        program_of("%0 = input " + type + "%1 = input " + type +
                   "%2 = aten.f.default(%0, %1)\nreturn %2\n"),
        {tensor_of(row.dtype, {1}, {row.a}),
         tensor_of(row.dtype, {1}, {row.b})},
        {});
    ASSERT_TRUE(g) << row.expression << ": " << g.error().message;
    const ElementSet& e = g->outputs[0].elements[0];
    const Tensor expected = tensor_of(row.dtype, {1}, {row.expected});
    ASSERT_EQ(e.has_values, !std::isnan(row.expected)) << row.expression;
    EXPECT_EQ(e.nan, std::isnan(row.expected)) << row.expression;
    if (!e.has_values) continue;
    EXPECT_EQ(e.lo, e.hi) << row.expression << " of " << row.a;
    EXPECT_EQ(e.lo, expected.bits(0)) << row.expression << " of " << row.a;
  }
}

}  // namespace
}  // namespace assay::reference
