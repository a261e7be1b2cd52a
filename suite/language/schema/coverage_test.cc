#include "suite/language/schema/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/language/load.h"

namespace assay::language {
namespace {

using ::testing::HasSubstr;

SpecSet specs_of(const std::string& overload, std::vector<DType> types) {
  SpecSet out;
  OpSpec op;
  op.aten = overload;
  op.dtypes["T"] = {std::move(types), "", {}};
  out.ops.push_back(std::move(op));
  return out;
}

SchemaSet schemas_of(const std::vector<std::string>& core) {
  SchemaSet out;
  for (const std::string& name : core) {
    out[name] = *parse_schema(name, "(Tensor self) -> Tensor");
    out[name].core = true;
  }
  return out;
}

TEST(Coverage, CountsOverloadsEntriesAndDtypes) {
  const SpecSet specs = specs_of("aten.a.default", {DType::f32, DType::i64});
  const Coverage c = coverage_of(
      specs, schemas_of({"aten.a.default", "aten.b.default", "aten.c.default"}),
      {{"aten.b.default", {}}},
      {{"whole", {{"f32", "i64", "bool", "c64"}, {"aten.a.default"}}},
       {"part", {{"f32"}, {"aten.a.default", "aten.c.default"}}},
       {"other", {{"f32"}, {"aten.c.default"}}},
       {"silent", {{"f32"}, {}}}});
  EXPECT_EQ(c.overloads, 1);
  EXPECT_EQ(c.core, 3);
  EXPECT_EQ(c.core_specified, 1);
  EXPECT_EQ(c.core_explained, 1);
  EXPECT_EQ(c.entries, 4);
  EXPECT_EQ(c.entries_specified, 1);
  EXPECT_EQ(c.entries_in_part, 1);
  EXPECT_EQ(c.real.taken, 3);
  EXPECT_EQ(c.real.specified, 2);
  EXPECT_EQ(c.complex.taken, 1);
  EXPECT_EQ(c.complex.specified, 0);
  EXPECT_EQ(uncovered_list(c),
            "other: no spec of aten.c.default\n"
            "part: no spec of aten.c.default\n"
            "whole: no bool in aten.a.default\n"
            "whole: no c64 in aten.a.default\n");
}

TEST(Coverage, ReasonsAreDueAndGoStale) {
  const SpecSet specs = specs_of("aten.a.default", {DType::f32});
  const SchemaSet schemas = schemas_of({"aten.a.default", "aten.b.default"});
  const auto said = [&](const Unspecified& reasons) {
    std::string out;
    for (const Diagnostic& d :
         check_unspecified(specs, schemas, reasons, "file")) {
      out += d.message + "\n";
    }
    return out;
  };
  EXPECT_THAT(said({}), HasSubstr("aten.b.default is a core overload without"));
  EXPECT_EQ(said({{"aten.b.default", {}}}), "");
  EXPECT_THAT(said({{"aten.b.default", {}}, {"aten.a.default", {}}}),
              HasSubstr("aten.a.default has a spec: remove it"));
  EXPECT_THAT(said({{"aten.b.default", {}}, {"aten.z.default", {}}}),
              HasSubstr("aten.z.default is no core overload: remove it"));
}

// The recorded entries are those of one release, most of which call something.
TEST(Coverage, RecordedEntriesAreAllRead) {
  std::vector<Diagnostic> faults;
  const OpInfoSet set =
      load_opinfo(opinfo_file(ASSAY_SOURCE_DIR "/specs"), &faults);
  for (const Diagnostic& d : faults) ADD_FAILURE() << to_string(d);
  EXPECT_GT(set.size(), 600u);
  ASSERT_TRUE(set.contains("softmax"));
  EXPECT_THAT(set.at("softmax").calls,
              ::testing::Contains("aten._softmax.default"));
  EXPECT_THAT(set.at("softmax").dtypes, ::testing::Contains("bf16"));
}

}  // namespace
}  // namespace assay::language
