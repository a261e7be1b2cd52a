#include "suite/language/schema/check_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/language/load.h"

namespace assay::language {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSchema =
    "(Tensor self, int[2] size, Scalar alpha=1, *, bool keep=False, "
    "ScalarType? dtype=None, Layout? layout=None) -> Tensor";

std::vector<Diagnostic> check(const std::string& params,
                              const std::string& aten = "aten.f.x") {
  const std::string text = "op: f\naten: " + aten +
                           "\ndoc: A test.\nparams:\n" + params +
                           "dtypes: {T: [f32]}\n"
                           "result: {dtype: T, shape: shape(x)}\n"
                           "value: {V1: \"out[i...] = x[i...]\"}\n"
                           "accuracy: {A1: {bound: exact}}\n"
                           "cases: {C1: {shapes: [{S: [3]}]}}\n";
  LoadResult loaded =
      load_sources({{"f.yaml", text, SourceFile::Role::operation}});
  for (const Diagnostic& d : loaded.errors) ADD_FAILURE() << to_string(d);
  if (loaded.specs.ops.empty()) return {};
  SchemaSet schemas;
  schemas["aten.f.x"] = *parse_schema("aten.f.x", kSchema);
  return check_schema(loaded.specs.ops[0], schemas);
}

constexpr const char* kX = "  x: {tensor: T, shape: [S...]}\n";
constexpr const char* kSize = "  size: {kind: ints}\n";
constexpr const char* kAlpha = "  alpha: {kind: number, default: 1}\n";
constexpr const char* kKeep =
    "  keep: {kind: bool, default: false, keyword: true}\n";
constexpr const char* kDtype =
    "  dtype: {kind: dtype, optional: true, keyword: true}\n";

TEST(CheckSchema, WhatAgreesIsSilent) {
  EXPECT_TRUE(check(std::string(kX) + kSize + kAlpha + kKeep + kDtype).empty());
  EXPECT_TRUE(check(std::string(kX) + "  shp: {kind: ints, schema: size}\n" +
                    kAlpha + kKeep +
                    "omits: {dtype: \"stated by another spec\"}\n")
                  .empty());
}

TEST(CheckSchema, EachDifferenceIsNamed) {
  const std::string x = kX, size = kSize, alpha = kAlpha, keep = kKeep,
                    dtype = kDtype;
  struct Row {
    std::string params;
    const char* message;
  };
  const Row rows[] = {
      {x + size + alpha + keep, "argument 'ScalarType? dtype' is missing; add"},
      {x + alpha + keep + dtype, "'int[2] size' is missing before 'alpha'"},
      {x + size + alpha + keep + dtype + "omits: {dtype: no}\n",
       "which the schema has and the spec too"},
      {x + size + alpha + keep + dtype + "omits: {mode: no}\n",
       "which the schema lacks"},
      {x + "  size: {kind: int}\n" + alpha + keep + dtype,
       "'size' is of type int[2]"},
      {x + size + "  alpha: {kind: number, default: 2}\n" + keep + dtype,
       "the default of 'alpha' is 1"},
      {x + "  size: {kind: ints, default: [1, 1]}\n" + alpha + keep + dtype,
       "'size' has no default"},
      {x + size + "  alpha: {kind: number}\n" + keep + dtype,
       "the default of 'alpha' is 1"},
      {x + size + "  alpha: {kind: number, default: 1, keyword: true}\n" +
           keep + dtype,
       "'alpha' is passed by position too; remove `keyword`"},
      {x + size + alpha + keep + dtype +
           "  alhpa: {kind: number, optional: true, keyword: true}\n",
       "no argument 'alhpa' here (did you mean 'alpha'?)"},
  };
  for (const Row& row : rows) {
    const auto found = check(row.params);
    ASSERT_EQ(found.size(), 1u) << row.params;
    EXPECT_THAT(found[0].message, HasSubstr(row.message));
    EXPECT_EQ(found[0].file, "f.yaml");
  }
  const auto unknown = check(x + size + alpha + keep + dtype, "aten.f.default");
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_THAT(unknown[0].message,
              HasSubstr("no overload aten.f.default is registered"));
}

}  // namespace
}  // namespace assay::language
