#include "suite/language/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::language {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Schema, HoldsTypesNamesDefaultsAndKeywords) {
  const auto s = parse_schema(
      "aten.f.x",
      R"((Tensor(a) self, int[2] stride=[], Tensor?[] indices=[0, 1], *, )"
      R"(str mode="a, \"b\" = c", ScalarType? dtype=None) )"
      R"(-> (Tensor(a) values, Tensor[] indices))");
  ASSERT_TRUE(s) << s.error().message;
  ASSERT_EQ(s->args.size(), 5u);
  EXPECT_EQ(s->args[0].type, "Tensor");
  EXPECT_FALSE(s->args[0].default_text);
  EXPECT_EQ(s->args[1].type, "int[2]");
  EXPECT_EQ(*s->args[1].default_text, "[]");
  EXPECT_FALSE(s->args[1].keyword);
  EXPECT_EQ(*s->args[2].default_text, "[0, 1]");
  EXPECT_TRUE(s->args[2].is_tensor_list());
  EXPECT_EQ(*s->args[3].default_text, R"("a, \"b\" = c")");
  EXPECT_TRUE(s->args[3].keyword);
  ASSERT_NE(s->arg("dtype"), nullptr);
  EXPECT_TRUE(s->arg("dtype")->optional());
  EXPECT_EQ(s->arg("dim"), nullptr);
  EXPECT_THAT(s->returns, ElementsAre("Tensor", "Tensor[]"));
}

TEST(Schema, WhatIsNoneIsAnError) {
  for (const char* text :
       {"", "Tensor", "(Tensor self", "(Tensor self)", "(Tensor) -> Tensor"}) {
    const auto s = parse_schema("aten.f.x", text);
    ASSERT_FALSE(s) << text;
    EXPECT_THAT(s.error().message, HasSubstr("is no schema"));
  }
}

// The recorded release holds what the specs call.
TEST(Schema, RecordedOnesAreAllRead) {
  std::vector<Diagnostic> faults;
  const SchemaSet set =
      load_schemas(schema_file(ASSAY_SOURCE_DIR "/specs"), &faults);
  for (const Diagnostic& d : faults) ADD_FAILURE() << to_string(d);
  EXPECT_GT(set.size(), 2000u);
  ASSERT_TRUE(set.contains("aten.topk.default"));
  const Schema& topk = set.at("aten.topk.default");
  EXPECT_TRUE(topk.core);
  EXPECT_THAT(topk.returns, ElementsAre("Tensor", "Tensor"));
  EXPECT_EQ(*topk.arg("largest")->default_text, "True");
  for (const auto& [name, schema] : set) {
    for (const SchemaArg& a : schema.args) {
      EXPECT_FALSE(a.type.empty() || a.name.empty()) << name;
    }
  }
}

}  // namespace
}  // namespace assay::language
