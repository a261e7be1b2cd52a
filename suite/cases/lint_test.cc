#include "suite/cases/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/language/testing/test_specs.h"

namespace assay::cases {
namespace {

constexpr const char* kSpec = R"(op: lint
aten: aten.lint.default
doc: A test.
params:
  x: {tensor: T, shape: [S...]}
dtypes:
  T: [f32, f16, i64]
forms:
  F1:
    when: rank(x) == 0
    result: {dtype: T, shape: "[]"}
    value: {V1: "out[] = x[]"}
    accuracy: {A1: {bound: exact}}
  F2:
    result: {dtype: T, shape: shape(x)}
    value: {V2: "out[i...] = x[i...] / 3"}
    accuracy:
      A1: {for: [f32], ulp: 1}
      A2: {for: [f16, bf16], when: "numel(x) > 10", ulp: 2}
cases:
  C1: {shapes: [{S: [3]}], dtypes: {T: [f32, f16]}}
)";

std::vector<std::string> lint_text(std::string text) {
  const language::LoadResult loaded = language::load_sources(
      {{"lint.yaml", text, language::SourceFile::Role::operation}});
  for (const language::Diagnostic& d : loaded.errors)
    ADD_FAILURE() << language::to_string(d);
  const Expansion cases = expand(loaded.specs);
  for (const std::string& e : cases.errors) ADD_FAILURE() << e;
  std::vector<std::string> out;
  for (const language::Diagnostic& d : lint(loaded.specs, cases)) {
    out.push_back(language::to_string(d));
  }
  return out;
}

TEST(Lint, NamesWhatNoCaseReaches) {
  EXPECT_THAT(
      lint_text(kSpec),
      testing::ElementsAre(
          "lint.yaml:9:3: no case reaches form F1; add one",
          "lint.yaml:19:7: no case is judged by accuracy A2; add one or "
          "remove the entry",
          "lint.yaml:14:3: no accuracy is declared for results of dtype f16, "
          "as in lint/C1/f16/3",
          "lint.yaml:7:3: no case has i64 for T; add one or remove the "
          "dtype"));
}

TEST(Lint, IsContentWhereEverythingIsReached) {
  std::string text = kSpec;
  const auto replace = [&text](const std::string& a, const std::string& b) {
    ASSERT_NE(text.find(a), std::string::npos) << a;
    text.replace(text.find(a), a.size(), b);
  };
  replace("[f32, f16, i64]", "[f32, f16]");
  replace("{S: [3]}", "{S: [33]}, {S: []}");
  EXPECT_THAT(lint_text(text), testing::ElementsAre());
}

}  // namespace
}  // namespace assay::cases
