#include "suite/language/read/read_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/language/load.h"
#include "suite/language/syntax/expr.h"

namespace assay::language {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPick = R"yaml(op: pick
aten: aten.pick.default
doc: Elements of x, or of y, at an index.
params:
  x: T[S...]
  index: I[S...]
  y: {tensor: T, shape: [S...], optional: true}
dtypes: {T: [f32, i64], I: i64}
result: {dtype: T, shape: shape(x)}
requires:
  E1: {that: rank(x) > 0}
value: {V1: "out[i...] = x[i...]"}
accuracy: {A1: {bound: exact}}
cases:
  C1: {shapes: [{S: [3]}], inputs: {index: {values: [0]}}}
)yaml";

LoadResult with_table(const std::string& table, std::string pick = kPick) {
  SourceFile op, kernels;
  op.name = "pick.yaml";
  op.role = SourceFile::Role::operation;
  op.text = std::move(pick);
  kernels.name = "kernels.yaml";
  kernels.role = SourceFile::Role::kernels;
  kernels.text = table;
  return load_sources({op, kernels});
}

std::vector<std::string> faults_of(const std::string& table) {
  std::vector<std::string> out;
  for (const Diagnostic& d : with_table(table).errors)
    out.push_back(to_string(d));
  return out;
}

TEST(Kernels, AreRequiredBeforeAllElse) {
  const LoadResult r = with_table(
      "K1: {types: [f8e4m3fn, f8e5m2], raises: NotImplementedError, source: "
      "Dispatch.h, of: [pick]}\n"
      "K2: {types: [u16], of: [pick]}\n");
  ASSERT_TRUE(r.errors.empty()) << to_string(r.errors.front());
  const std::vector<Requirement>& all = r.specs.find_op("pick")->requires_;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].id, "K1");
  EXPECT_THAT(all[0].types, ElementsAre(DType::f8e4m3fn, DType::f8e5m2));
  EXPECT_THAT(all[0].raises, ElementsAre("NotImplementedError"));
  EXPECT_EQ(all[0].source, "Dispatch.h");
  // An index is looked at by itself, and what is not given not at all.
  EXPECT_EQ(to_string(*all[1].that),
            "not (dtype(x) in [u16] and (not given(y) or dtype(y) in [u16])) "
            "or numel(x) == 0");
  EXPECT_THAT(all[1].raises, ElementsAre("RuntimeError"));
  EXPECT_EQ(all[2].id, "E1");
  EXPECT_TRUE(all[2].types.empty());
}

// A clause that would ask for nothing.
TEST(Kernels, AreOfOperandsThatHoldNumbers) {
  std::string pick = kPick;
  pick.replace(pick.find("[f32, i64]"), 10, "[i32, i64]");
  const LoadResult r = with_table("K1: {types: [u16], of: [pick]}\n", pick);
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_THAT(to_string(r.errors[0]),
              HasSubstr("'pick' has no operand that holds numbers"));
}

TEST(Kernels, NameOperationsThatThereAre) {
  EXPECT_THAT(faults_of("K1: {types: [u16], of: [pikc]}\n"),
              ElementsAre(HasSubstr("kernels.yaml:1:25: no operation is called "
                                    "'pikc' (did you mean 'pick'?)")));
  EXPECT_THAT(faults_of("K1: {types: [u17], of: [pick]}\n"),
              Contains(HasSubstr("unknown dtype 'u17'")));
  EXPECT_THAT(faults_of("K1: {types: [u16], of: [pick, pick]}\n"),
              ElementsAre(HasSubstr("'pick' is named twice")));
  EXPECT_THAT(faults_of("E1: {types: [u16], of: [pick]}\n"),
              ElementsAre(HasSubstr("expected 'K' and a number")));
}

}  // namespace
}  // namespace assay::language
