#include "harness/sweep/request.h"

#include <gtest/gtest.h>

#include "suite/language/load.h"

namespace assay::harness {
namespace {

const language::SpecSet& specs() {
  static const language::LoadResult loaded =
      language::load_specs(std::string(ASSAY_SOURCE_DIR) + "/specs");
  return loaded.specs;
}

TEST(SweepRequest, TakesValuesOfParameters) {
  const auto r = parse_sweep(specs(), "gelu{approximate=tanh}", DType::f32);
  ASSERT_TRUE(r.ok()) << r.error().message;
  EXPECT_EQ(r->op, "gelu");
  EXPECT_EQ(r->attrs.at("approximate"), Arg(std::string("tanh")));
  const auto sweep = reference::Sweep::open(specs(), *r);
  ASSERT_TRUE(sweep.ok()) << sweep.error().message;
  EXPECT_EQ(sweep->name(), "gelu{approximate=tanh}/f32");

  const auto two =
      parse_sweep(specs(), "softplus{beta=0.5,threshold=3}", DType::f32);
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_EQ(two->attrs.at("beta"), Arg(0.5));
  EXPECT_EQ(two->attrs.at("threshold"), Arg(std::int64_t{3}));
}

TEST(SweepRequest, SaysWhatItDoesNotUnderstand) {
  const struct {
    const char* text;
    const char* says;
  } kCases[] = {
      {"gelu{approximate=tanh", "the last brace is missing"},
      {"gelu{approximate}", "name=value is due, not approximate"},
      {"gelu{approx=tanh}", "there is no parameter approx"},
      {"softplus{beta=x}",
       "beta: expected a Python number (an integer, a decimal, inf, nan, true, "
       "false), found 'x'"},
      {"softplus{x=1}", "x: a sweep has no place for such a parameter"},
  };
  for (const auto& c : kCases) {
    const auto r = parse_sweep(specs(), c.text, DType::f32);
    ASSERT_FALSE(r.ok()) << c.text;
    EXPECT_EQ(r.error().message, std::string(c.text) + ": " + c.says);
  }
}

}  // namespace
}  // namespace assay::harness
