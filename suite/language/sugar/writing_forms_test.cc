#include "suite/language/sugar/writing_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/language/load.h"
#include "suite/language/syntax/expr.h"

namespace assay::language {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kAdd = R"yaml(op: plus
aten: aten.plus.Tensor
inplace: true
doc: A sum.
params:
  a: T[A...] or number
  b: T2[B...] or number
dtypes: {T: [f32, f16, i64], T2: [f32, f16, i64]}
let:
  type: promote(a, b)
result: {dtype: type, shape: "broadcast(shape(a), shape(b))"}
requires:
  E2: {that: "broadcastable(shape(a), shape(b))"}
value: {V1: "out[i...] = a[i...] + b[i...]"}
accuracy: {A1: {bound: correctly_rounded}}
cases:
  C1: {shapes: [{A: [3], B: [3]}, {A: [1], B: [3]}]}
  C2: {shapes: [{B: [3]}], scalars: {a: [2]}}
)yaml";

LoadResult loaded(std::string text) {
  SourceFile file;
  file.name = "plus.yaml";
  file.role = SourceFile::Role::operation;
  file.text = std::move(text);
  return load_sources({std::move(file)});
}

TEST(InPlace, IsASecondOperation) {
  const LoadResult r = loaded(kAdd);
  ASSERT_TRUE(r.errors.empty()) << to_string(r.errors.front());
  ASSERT_EQ(r.specs.ops.size(), 2u);
  const OpSpec* plain = r.specs.find_op("plus");
  const OpSpec* writing = r.specs.find_op("plus_");
  ASSERT_TRUE(plain != nullptr && writing != nullptr);
  EXPECT_TRUE(plain->writes.empty());
  EXPECT_EQ(plain->requires_.size(), 1u);
  EXPECT_EQ(writing->aten, "aten.plus_.Tensor");
  EXPECT_EQ(writing->writes, "a");
  EXPECT_FALSE(writing->param("a")->scalar);
  EXPECT_TRUE(writing->param("b")->scalar);
  EXPECT_THAT(writing->doc, HasSubstr("written into a"));
  ASSERT_EQ(writing->cases.size(), 1u);  // no number is written to
  ASSERT_EQ(writing->requires_.size(), 5u);
  EXPECT_EQ(writing->requires_[1].id, "E3");
  EXPECT_EQ(to_string(*writing->requires_[1].that),
            "broadcast(shape(a), shape(b)) == shape(a)");
  EXPECT_THAT(to_string(*writing->requires_[2].that),
              HasSubstr("is_float(promote(a, b))"));
  EXPECT_EQ(to_string(*writing->requires_[3].that), "not overlaps_itself(a)");
  EXPECT_EQ(to_string(*writing->requires_[4].that),
            "not overlaps_partly(a, b)");
  EXPECT_EQ(to_string(*writing->only), "promote(a, b) == dtype(a)");
  const OutputSpec& out = writing->forms.front();
  EXPECT_EQ(to_string(*out.result_dtype), "T");
  EXPECT_EQ(to_string(*out.result_shape), "shape(a)");
  EXPECT_EQ(to_string(*out.layout), "like(a)");
}

TEST(InPlace, NeedsNoRequirementWhereTheResultIsLikeTheOperand) {
  std::string text = kAdd;
  const auto replace = [&text](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("let:\n  type: promote(a, b)\n", "");
  replace("{dtype: type, shape: \"broadcast(shape(a), shape(b))\"}",
          "{dtype: T, shape: shape(a)}");
  const LoadResult r = loaded(text);
  ASSERT_TRUE(r.errors.empty()) << to_string(r.errors.front());
  EXPECT_EQ(r.specs.find_op("plus_")->requires_.size(), 3u);
}

TEST(InPlace, SaysWhichMemoryMayBeShared) {
  const auto last = [](const std::string& inplace) {
    std::string text = kAdd;
    text.replace(text.find("true"), 4, inplace);
    const LoadResult r = loaded(text);
    if (!r.errors.empty()) return r.errors.front().message;
    const OpSpec& op = *r.specs.find_op("plus_");
    EXPECT_EQ(op.places_read, op.requires_.size() > 3);
    return to_string(*op.requires_.back().that);
  };
  EXPECT_EQ(last("{itself: any}"), "not overlaps_partly(a, b)");
  EXPECT_EQ(last("{operands: apart}"), "not overlaps(a, b)");
  EXPECT_EQ(last("{operands: apart, unless: rank(a) == 1}"),
            "rank(a) == 1 or not overlaps(a, b)");
  EXPECT_EQ(last("{operands: any}"), "not overlaps_itself(a)");
  EXPECT_EQ(last("{except: [b]}"), "not overlaps_itself(a)");
  EXPECT_THAT(last("{itself: any, operands: any}"), HasSubstr("is_float"));
  EXPECT_THAT(last("{except: [c]}"), HasSubstr("no parameter 'c'"));
  EXPECT_THAT(last("{itself: none}"), HasSubstr("expected true, false"));
}

TEST(OutForm, WritesIntoATensorOfItsOwn) {
  std::string text = kAdd;
  text.replace(text.find("inplace: true"), 13, "out: aten.plus.out");
  const LoadResult r = loaded(text);
  ASSERT_TRUE(r.errors.empty()) << to_string(r.errors.front());
  ASSERT_EQ(r.specs.ops.size(), 2u);
  const OpSpec& op = *r.specs.find_op("plus_out");
  EXPECT_EQ(op.aten, "aten.plus.out");
  EXPECT_TRUE(op.writes_out());
  EXPECT_TRUE(op.param("out")->keyword);
  EXPECT_TRUE(op.param("a")->scalar);
  EXPECT_EQ(op.cases.size(), 2u);
  ASSERT_EQ(op.requires_.size(), 4u);
  EXPECT_THAT(to_string(*op.requires_[1].that),
              HasSubstr("is_float(promote(a, b))"));
  EXPECT_EQ(to_string(*op.requires_[2].that), "not overlaps_itself(out)");
  EXPECT_EQ(to_string(*op.requires_[3].that), "not overlaps_partly(out, a, b)");
  const OutputSpec& out = op.forms.front();
  EXPECT_EQ(to_string(*out.result_dtype), "Out");
  EXPECT_EQ(to_string(*out.result_shape), "broadcast(shape(a), shape(b))");
  EXPECT_EQ(to_string(*out.layout),
            "where(shape(out) == broadcast(shape(a), shape(b)), like(out), "
            "any)");
}

TEST(OutForm, SaysWhatIsOtherwise) {
  const auto requirements_of = [](const std::string& wanted) {
    std::string text = kAdd;
    text.replace(text.find("inplace: true"), 13, "out: " + wanted);
    const LoadResult r = loaded(text);
    std::vector<std::string> all;
    if (!r.errors.empty()) return std::vector{r.errors.front().message};
    for (const Requirement& e : r.specs.find_op("plus_out")->requires_) {
      all.push_back(to_string(*e.that) + " by " + e.source);
    }
    return all;
  };
  const auto same =
      requirements_of("{overload: aten.plus.out, same_type: structured}");
  ASSERT_EQ(same.size(), 4u);
  EXPECT_THAT(same[1], HasSubstr("dtype(out) == promote(a, b) by torchgen"));
  EXPECT_THAT(
      requirements_of("{overload: aten.plus.out, same_type: \"Plus.cpp, f\"}"),
      Contains("dtype(out) == promote(a, b) by Plus.cpp, f"));
  EXPECT_EQ(requirements_of("{overload: aten.plus.out, itself: any, "
                            "operands: any}")
                .size(),
            2u);
  EXPECT_THAT(requirements_of("{overload: aten.plus.out, operands: apart, "
                              "except: [b]}")
                  .back(),
              HasSubstr("not overlaps(out, a) by"));
  EXPECT_THAT(requirements_of("{overload: aten.plus.out, except: [c]}"),
              ElementsAre(HasSubstr("no parameter 'c'")));
  EXPECT_THAT(
      requirements_of("{overload: aten.plus.out, same_type: strutured}"),
      ElementsAre(HasSubstr("same_type: structured, iterator")));
  EXPECT_THAT(requirements_of("{same_type: iterator}"),
              ElementsAre(HasSubstr("expected an overload")));
}

TEST(InPlace, IsRefusedWhereItMeansNothing) {
  const auto fault_of = [](const std::string& from, const std::string& to) {
    std::string text = kAdd;
    text.replace(text.find(from), from.size(), to);
    const LoadResult r = loaded(text);
    return r.errors.empty() ? std::string() : r.errors.front().message;
  };
  EXPECT_THAT(fault_of("inplace: true", "inplace: maybe"),
              HasSubstr("expected true, false"));
  EXPECT_THAT(fault_of("a: T[A...] or number", "a: number"),
              HasSubstr("first parameter is a tensor"));
  EXPECT_EQ(fault_of("inplace: true", "inplace: false"), "");
  EXPECT_THAT(fault_of("inplace: true", "out: true"),
              HasSubstr("expected an overload"));
  EXPECT_THAT(fault_of("inplace: true", "writes: b"),
              HasSubstr("first parameter"));
}

}  // namespace
}  // namespace assay::language
