#include "harness/faults/strides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/cases/testing/case_testing.h"

namespace assay::harness::faults {
namespace {

using language::WrongStrides;
using ::testing::ElementsAre;

// One call of a tensor of these sizes and strides, returned beside its operand.
Program call_of(const std::string& op, const Shape& sizes,
                const Shape& strides) {
  Program p;
  p.inputs.push_back({DType::f32, sizes, strides});
  p.nodes.push_back({op, {ValueRef{0}}, {}});
  p.outputs = {ValueRef{1}, ValueRef{0}};
  return p;
}

// The strides that a call's result has, where `due` are right.
Shape spoilt(const Program& p, const std::string& aten, WrongStrides wrong,
             const Shape& sizes, const Shape& due) {
  std::vector<ReturnedLayout> layouts(2);
  layouts[0].strides = layouts[1].strides = due;
  spoil_strides(p, aten, wrong, {sizes, sizes}, &layouts);
  EXPECT_EQ(layouts[1].strides, due) << "what nobody computed is as it was";
  return layouts[0].strides;
}

TEST(Strides, AreLostOrKeptByOneOperationAlone) {
  const Program p = call_of("aten.neg.default", {3, 4}, {1, 3});
  const auto of = [&p](const char* aten, WrongStrides wrong) {
    return spoilt(p, aten, wrong, {3, 4}, {1, 3});
  };
  EXPECT_THAT(of("aten.neg.default", WrongStrides::lost), ElementsAre(4, 1));
  EXPECT_THAT(of("aten.neg.default", WrongStrides::none), ElementsAre(1, 3));
  EXPECT_THAT(of("aten.abs.default", WrongStrides::lost), ElementsAre(1, 3));
}

TEST(Strides, ThatAreKeptAreThoseOfAnOperandOfTheRank) {
  const auto kept = [](const Program& p, const Shape& sizes) {
    return spoilt(p, "aten.f.default", WrongStrides::kept, sizes,
                  contiguous_strides(sizes));
  };
  // The sizes are the result's own.
  EXPECT_THAT(kept(call_of("aten.f.default", {3, 4}, {1, 3}), {5, 4}),
              ElementsAre(1, 5));
  // A row-major operand leaves no mark, nor does one of another rank.
  EXPECT_THAT(kept(call_of("aten.f.default", {2, 0}, {1, 1}), {2, 3}),
              ElementsAre(3, 1));
  EXPECT_THAT(kept(call_of("aten.f.default", {3, 4}, {1, 3}), {2, 3, 4}),
              ElementsAre(12, 4, 1));
}

TEST(Strides, ShowWhereOtherOnesArePromised) {
  const language::SpecSet& specs = cases::specs_of("specs");
  const auto shows = [&specs](const std::string& aten, const Shape& strides,
                              WrongStrides wrong) {
    return shows_strides(specs, call_of(aten, {3, 4}, strides), aten, wrong);
  };
  // neg keeps the order of its operand, alias_copy does not.
  EXPECT_TRUE(shows("aten.neg.default", {1, 3}, WrongStrides::lost));
  EXPECT_FALSE(shows("aten.neg.default", {4, 1}, WrongStrides::lost));
  EXPECT_FALSE(shows("aten.neg.default", {1, 3}, WrongStrides::kept));
  EXPECT_TRUE(shows("aten.alias_copy.default", {1, 3}, WrongStrides::kept));
  EXPECT_FALSE(shows("aten.alias_copy.default", {4, 1}, WrongStrides::kept));
}

}  // namespace
}  // namespace assay::harness::faults
