// Which acceptance sets tell right from wrong, and how many of a case's
// elements need not.
#include "reference/golden/vacuity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/testing/test_specs.h"

namespace assay::reference {
namespace {

using testing::HasSubstr;

std::string vacuity_of(const language::SpecSet& specs, const std::string& text,
                       const std::vector<Tensor>& inputs,
                       double share = language::kVacuousShare) {
  const Program p = program_of(text);
  Result<Golden> g = Oracle(specs).golden(p, inputs);
  EXPECT_TRUE(g.ok());
  return g ? vacuity(*g, p, inputs, share) : g.error().message;
}

std::string unary(const std::string& op, DType t, std::size_t n) {
  return "%0 = input " + std::string(dtype_name(t)) + "[" + std::to_string(n) +
         "]\n%1 = aten." + op + ".default(%0)\nreturn %1\n";
}

// `few` elements of the second kind, the others of the first, all different.
Tensor mixed(DType t, std::size_t total, double first, std::size_t few,
             double second) {
  std::vector<double> x;
  for (std::size_t i = 0; i < total; ++i) {
    x.push_back((i < few ? second : first) * (1 + static_cast<double>(i) / 64));
  }
  return tensor_of(t, {static_cast<std::int64_t>(total)}, x);
}

TEST(Vacuity, FindsBoundsAndInputsThatTellNothing) {
  const language::SpecSet& specs = test_specs();
  std::vector<double> x;
  for (int i = 0; i < 40; ++i) x.push_back(i - 19.5);
  const Tensor input = tensor_of(DType::f32, {40}, x);
  EXPECT_THAT(vacuity_of(specs, unary("loose", DType::f32, 40), {input}),
              HasSubstr("admits zero"));
  EXPECT_THAT(vacuity_of(specs, unary("one", DType::f32, 40), {input}),
              HasSubstr("every element"));
  EXPECT_EQ(vacuity_of(specs,
                       "%0 = input f32[40]\n%1 = aten.exp.default(%0)\n"
                       "%2 = aten.gt.default(%0, 0)\nreturn %1, %2\n",
                       {input}),
            "");
  // A cast to an integer truncates to zero: that is the answer, not a chance.
  EXPECT_EQ(vacuity_of(specs,
                       "%0 = input f32[40]\n%1 = aten.div.default(%0, 16)\n"
                       "%2 = aten.cast.default(%1, dtype=i32)\nreturn %2\n",
                       {input}),
            "");
}

TEST(Vacuity, AShareOfElementsAndOneOfThreeMayAdmitALazyAnswer) {
  const struct {
    std::size_t total, lazy;
    double share;
    bool vacuous;
  } kCases[] = {
      {40, 0, language::kVacuousShare, false},  //
      {40, 2, language::kVacuousShare, false},  //
      {40, 3, language::kVacuousShare, true},
      {40, 3, 0.075, false},
      {40, 8, 0.2, false},
      {40, 9, 0.2, true},
      {100, 29, 0.29, false},  // 0.29 * 100 rounds below 29
      {100, 30, 0.29, true},
      // Below 20 elements one is more than the share.
      {19, 1, language::kVacuousShare, false},
      {19, 2, language::kVacuousShare, true},
      {3, 1, language::kVacuousShare, false},
      {3, 2, language::kVacuousShare, true},
      {2, 1, language::kVacuousShare, true},
      {2, 1, 0.5, false},
      {1, 1, 0.5, true},
      {1, 0, language::kVacuousShare, false},
  };
  for (const auto& c : kCases) {
    // Within 100 of zero, or far from it.
    const Tensor x = mixed(DType::f32, c.total, 1000, c.lazy, 10);
    const std::string why = vacuity_of(
        test_specs(), unary("loose", DType::f32, c.total), {x}, c.share);
    EXPECT_EQ(!why.empty(), c.vacuous)
        << c.lazy << " of " << c.total << " at " << c.share << ": " << why;
  }
}

TEST(Vacuity, CountsEachLazyAnswerByItself) {
  const language::SpecSet specs = specs_of({
      // Above 4 the bound reaches down to the input, not to zero.
      unary_spec("twice", "2 * x[i...]",
                 "abs: \"where(x[i...] > 4, x[i...], 0)\""),
      // Above 4 it reaches beyond the largest f16, not to zero.
      unary_spec("wide", "x[i...]",
                 "abs: \"where(x[i...] > 4, 30000, 0)\", in: result"),
      unary_spec("open", "x[i...]", "bound: exact",
                 "undefined: {U1: {when: \"x[i...] > 4\", why: a test}}\n"),
  });
  const struct {
    const char* op;
    double second;
    const char* answer;
  } kCases[] = {{"twice", 5, "input 0 as it is"},
                {"wide", 40000, "infinity"},
                {"open", 5, "zero"}};
  for (const auto& c : kCases) {
    const std::string text = unary(c.op, DType::f16, 16);
    const auto why = [&](std::size_t few, double share) {
      return vacuity_of(specs, text, {mixed(DType::f16, 16, 1, few, c.second)},
                        share);
    };
    EXPECT_EQ(why(1, language::kVacuousShare), "") << c.op;
    EXPECT_THAT(why(2, language::kVacuousShare), HasSubstr(c.answer));
    EXPECT_EQ(why(4, 0.25), "") << c.op;
    EXPECT_THAT(why(5, 0.25), HasSubstr("in 5 of its 16 elements, and 25 %"));
  }
}

// Each output has its own elements: a long one must not hide a short one.
TEST(Vacuity, IsOfEachOutput) {
  const std::string text =
      "%0 = input f32[40]\n%1 = input f32[4]\n%2 = aten.loose.default(%0)\n"
      "%3 = aten.loose.default(%1)\nreturn %2, %3\n";
  const Tensor clear = mixed(DType::f32, 40, 1000, 0, 10);
  EXPECT_EQ(vacuity_of(test_specs(), text,
                       {clear, mixed(DType::f32, 4, 1000, 1, 10)}),
            "");
  EXPECT_THAT(vacuity_of(test_specs(), text,
                         {clear, mixed(DType::f32, 4, 1000, 2, 10)}),
              HasSubstr("output 1 admits zero"));
}

// What is computed from a returned value is judged from that one value; its
// set here follows all that might have been returned.
TEST(Vacuity, IsNotOfWhatIsJudgedFromReturnedValues) {
  // One loose operation reaches zero from 10 of these, two from 22.
  const Tensor x = mixed(DType::f32, 40, 150, 10, 10);
  const std::string loose = "%1 = aten.loose.default(%0)\n";
  const std::string wide = "%2 = aten.loose.default(%1)\n";
  const auto why = [&](const std::string& text) {
    return vacuity_of(test_specs(), "%0 = input f32[40]\n" + text, {x}, 0.25);
  };
  EXPECT_EQ(why(loose + "return %1\n"), "");
  EXPECT_THAT(why(loose + wide + "return %2\n"),
              HasSubstr("output 0 admits zero"));
  EXPECT_EQ(why(loose + wide + "return %1, %2\n"), "");
  EXPECT_EQ(why(loose + wide + "%3 = aten.neg.default(%2)\nreturn %1, %3\n"),
            "");
  // Not what reads something that nobody returned as well, or a returned value
  // that is exact.
  EXPECT_THAT(why("%1 = aten.loose.default(%0)\n"
                  "%2 = aten.loose.default(%0)\n"
                  "%3 = aten.add.default(%1, %2)\nreturn %1, %3\n"),
              HasSubstr("output 1 admits"));
  EXPECT_THAT(why("%1 = aten.neg.default(%0)\n"
                  "%2 = aten.loose.default(%1)\n"
                  "%3 = aten.loose.default(%2)\nreturn %1, %3\n"),
              HasSubstr("output 1 admits zero"));

  // Rounded for return it has no choice; in flight, a range above zero.
  const std::string widened =
      "%0 = input bf16[4]\n%1 = aten.exp.default(%0)\n"
      "%2 = aten.cast.default(%1, dtype=f64)\n";
  const Tensor low = tensor_of(DType::bf16, {4}, {-200, -300, -400, -500});
  EXPECT_THAT(vacuity_of(test_specs(), widened + "return %2\n", {low}),
              HasSubstr("output 0 admits zero"));
  EXPECT_EQ(vacuity_of(test_specs(), widened + "return %1, %2\n", {low}), "");
}

}  // namespace
}  // namespace assay::reference
