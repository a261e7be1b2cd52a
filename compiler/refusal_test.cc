// When and how a program is refused, and what is no refusal. The clauses one by
// one stand in ops/clauses_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/artifact.h"
#include "core/program_text.h"

namespace assay::compiler {
namespace {

Artifact::Made compile(const std::string& text, CompileOptions options = {}) {
  const Result<Program> program = parse_program(text);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text;
  options.engine = CompileOptions::Engine::graph;
  return Artifact::compile(*program, options);
}

const char* const kEmbedding =
    "assay-program 1\n%0 = input f32[4, 2]\n%1 = input i64[3]\n"
    "%2 = aten.embedding.default(%0, %1)\nreturn %2\n";

std::optional<Failure> look_up(const char* text, std::vector<long> index,
                               CompileOptions options = {},
                               bool with_outputs = true) {
  Artifact::Made made = compile(text, options);
  if (auto* failure = std::get_if<Failure>(&made)) return *failure;
  auto& artifact = std::get<std::unique_ptr<Artifact>>(made);
  std::vector<float> table(8, 1.0f), rows(6);
  std::vector<TensorRef> out;
  if (with_outputs) {
    out.push_back({TensorType::contiguous(DType::f32, {3, 2}), rows.data()});
  }
  return artifact->launch(
      {{TensorType::contiguous(DType::f32, {4, 2}), table.data()},
       {TensorType::contiguous(DType::i64, {3}), index.data()}},
      out);
}

TEST(Refusal, IndicesAreCheckedWhenTheProgramRuns) {
  EXPECT_FALSE(look_up(kEmbedding, {0, 3, 1}));
  for (const long bad : {-1L, 4L, 1L << 40}) {
    for (const bool with_outputs : {true, false}) {
      const auto failure = look_up(kEmbedding, {0, bad, -7}, {}, with_outputs);
      ASSERT_TRUE(failure) << bad;
      EXPECT_EQ(failure->kind, Failure::Kind::refused);
      EXPECT_EQ(failure->refusal.clause, "embedding/E3");
      EXPECT_EQ(failure->refusal.exception, "IndexError");
      // The first bad element in row-major order is the one named.
      EXPECT_NE(failure->refusal.message.find("element 1 is"),
                std::string::npos)
          << failure->refusal.message;
    }
  }
}

TEST(Refusal, ABadIndexLeavesTheOutputsAlone) {
  const Result<Program> program = parse_program(kEmbedding);
  ASSERT_TRUE(program.ok());
  using Engine = CompileOptions::Engine;
  for (const Engine engine : {Engine::compiled, Engine::graph, Engine::nest}) {
    CompileOptions options;
    options.engine = engine;
    Artifact::Made made = Artifact::compile(*program, options);
    auto* artifact = std::get_if<std::unique_ptr<Artifact>>(&made);
    ASSERT_NE(artifact, nullptr) << std::get<Failure>(made).refusal.message;
    std::vector<float> table(8, 1.0f), rows(6, 7.0f);
    long index[] = {0, 1, 4};
    const auto look_up = [&] {
      return (*artifact)->launch(
          {{TensorType::contiguous(DType::f32, {4, 2}), table.data()},
           {TensorType::contiguous(DType::i64, {3}), index}},
          {{TensorType::contiguous(DType::f32, {3, 2}), rows.data()}});
    };
    EXPECT_TRUE(look_up());
    EXPECT_EQ(rows, std::vector<float>(6, 7.0f));
    index[2] = 3;
    EXPECT_FALSE(look_up());
    EXPECT_EQ(rows, std::vector<float>(6, 1.0f));
  }
}

TEST(Refusal, ATableWithoutRowsRefusesAnyIndex) {
  const Artifact::Made made = compile(
      "assay-program 1\n%0 = input f32[0, 2]\n%1 = input i32[1]\n"
      "%2 = aten.embedding.default(%0, %1)\nreturn %2\n");
  const auto* artifact = std::get_if<std::unique_ptr<Artifact>>(&made);
  ASSERT_NE(artifact, nullptr) << std::get<Failure>(made).refusal.message;
  int index = 0;
  const auto failure = (*artifact)->launch(
      {{TensorType::contiguous(DType::f32, {0, 2}), nullptr},
       {TensorType::contiguous(DType::i32, {1}), &index}},
      {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->refusal.clause, "embedding/E3");
}

// The guard's own value is kept although nothing else needs it.
TEST(Refusal, AnUnusedLookUpIsStillChecked) {
  const char* const text =
      "assay-program 1\n%0 = input f32[4, 2]\n%1 = input i64[3]\n"
      "%2 = aten.add.Tensor(%1, 1)\n%3 = aten.embedding.default(%0, %2)\n"
      "%4 = aten.slice.Tensor(%0, 0, 0, 3)\nreturn %4\n";
  EXPECT_FALSE(look_up(text, {0, 2, 1}));
  const auto failure = look_up(text, {0, 3, 1});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->refusal.clause, "embedding/E3");
}

// A later call that is invalid in itself does not hide an earlier one that
// turns out to be when the program runs.
TEST(Refusal, ComesInTheOrderOfTheCalls) {
  const char* const text =
      "assay-program 1\n%0 = input f32[4, 2]\n%1 = input i64[3]\n"
      "%2 = aten.embedding.default(%0, %1)\n%3 = aten.mm.default(%2, %2)\n"
      "return %3\n";
  // Whoever expects results is told no less.
  for (const bool with_outputs : {false, true}) {
    const auto late = look_up(text, {0, 1, 2}, {}, with_outputs);
    ASSERT_TRUE(late);
    EXPECT_EQ(late->refusal.clause, "mm/E3");
    const auto early = look_up(text, {0, 1, 9}, {}, with_outputs);
    ASSERT_TRUE(early);
    EXPECT_EQ(early->refusal.clause, "embedding/E3");
  }
}

// `text` looks the input's indices up by hand in four rows, and then, derived,
// in two columns.
void expect_both_checked(const char* text) {
  EXPECT_FALSE(look_up(text, {0, 1, 1}, {}, false));
  const auto derived = look_up(text, {0, 1, 2}, {}, false);
  ASSERT_TRUE(derived);
  EXPECT_TRUE(derived->refusal.clause.starts_with("index_select/"));
  const auto both = look_up(text, {0, 1, 9}, {}, false);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->refusal.clause, "embedding/E3");
}

// The same indices, of which a call that was derived takes fewer than one that
// was lowered by hand.
TEST(Refusal, ADerivedCallIsCheckedBesideOthers) {
  expect_both_checked(
      "assay-program 1\n%0 = input f32[4, 2]\n%1 = input i64[3]\n"
      "%2 = aten.embedding.default(%0, %1)\n"
      "%3 = aten.index_select.default(%0, 1, %1)\nreturn %2, %3\n");
}

// A call that was lowered by hand, of indices that the program computes, hides
// no derived one behind it.
TEST(Refusal, ADerivedCallIsCheckedBehindOthers) {
  expect_both_checked(
      "assay-program 1\n%0 = input f32[4, 2]\n%1 = input i64[3]\n"
      "%2 = aten.add.Tensor(%1, 1)\n%3 = aten.embedding.default(%0, %2)\n"
      "%4 = aten.index_select.default(%0, 1, %1)\nreturn %3, %4\n");
}

// However many elements there are to look at.
TEST(Refusal, ADerivedCallIsCheckedToItsLastIndex) {
  constexpr std::int64_t kCount = 1 << 20;
  const Artifact::Made made = compile(
      fmt::format("assay-program 1\n%0 = input f32[4]\n%1 = input i64[{}]\n"
                  "%2 = aten.gather.default(%0, 0, %1)\nreturn %2\n",
                  kCount));
  const auto* artifact = std::get_if<std::unique_ptr<Artifact>>(&made);
  ASSERT_NE(artifact, nullptr) << std::get<Failure>(made).refusal.message;
  std::vector<float> table(4, 1.0f), out(kCount);
  std::vector<std::int64_t> index(kCount, 3);
  const auto run = [&] {
    return (*artifact)->launch(
        {{TensorType::contiguous(DType::f32, {4}), table.data()},
         {TensorType::contiguous(DType::i64, {kCount}), index.data()}},
        {{TensorType::contiguous(DType::f32, {kCount}), out.data()}});
  };
  EXPECT_FALSE(run());
  index.back() = 4;
  const auto failure = run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->refusal.clause, "gather/E5");
}

// Whoever comes first names the promise, however the calls are lowered.
TEST(Refusal, ADerivedCallIsCheckedBeforeLaterOnes) {
  const char* const text =
      "assay-program 1\n%0 = input f32[4, 2]\n%1 = input i64[3]\n"
      "%2 = aten.index_select.default(%0, 1, %1)\n"
      "%3 = aten.embedding.default(%0, %1)\nreturn %2, %3\n";
  const auto derived = look_up(text, {0, 1, 9}, {}, false);
  ASSERT_TRUE(derived);
  EXPECT_TRUE(derived->refusal.clause.starts_with("index_select/"));
}

TEST(Refusal, SaysByWhichLoweringItIs) {
  const auto lowering = [](const char* call) {
    const Artifact::Made made =
        compile("assay-program 1\n%0 = input f32[2]\n%1 = input f16[2]\n" +
                std::string(call) + "return %2\n");
    if (const auto* failure = std::get_if<Failure>(&made)) {
      return failure->lowering;
    }
    return std::optional(std::get<std::unique_ptr<Artifact>>(made)->lowering());
  };
  EXPECT_EQ(lowering("%2 = aten.neg.default(%0)\n"), Lowering::hand);
  EXPECT_EQ(lowering("%2 = aten.flip.default(%0, [0])\n"), Lowering::derived);
  EXPECT_EQ(lowering("%2 = aten.neg.default(%0)\n"
                     "%3 = aten.flip.default(%2, [0])\n"),
            Lowering::derived);
  EXPECT_EQ(lowering("%2 = aten.mm.default(%0, %0)\n"), Lowering::hand);
  EXPECT_EQ(lowering("%2 = aten.dot.default(%0, %1)\n"), Lowering::derived);
  EXPECT_EQ(lowering("%2 = aten.special_airy_ai.default(%0)\n"), std::nullopt);
}

TEST(Refusal, WhatIsNotKnownIsUnsupportedNotRefused) {
  const Artifact::Made made = compile(
      "assay-program 1\n%0 = input f32[2]\n%1 = "
      "aten.special_airy_ai.default(%0)\n"
      "return %1\n");
  const auto* failure = std::get_if<Failure>(&made);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->kind, Failure::Kind::unsupported);
  EXPECT_NE(failure->refusal.message.find("aten.special_airy_ai.default"),
            std::string::npos);
}

TEST(Refusal, NoElementsOfU64) {
  for (const char* const lines :
       {"%0 = input u64[2]\n%1 = aten._to_copy.default(%0, dtype=f32)\n",
        "%0 = input f32[2]\n%1 = aten._to_copy.default(%0, dtype=u64)\n",
        "%0 = input u64[2]\n%1 = aten.add.Tensor(%0, 1)\n"}) {
    const Artifact::Made made =
        compile("assay-program 1\n" + std::string(lines) + "return %1\n");
    const auto* failure = std::get_if<Failure>(&made);
    ASSERT_NE(failure, nullptr) << lines;
    EXPECT_EQ(failure->kind, Failure::Kind::unsupported) << lines;
    EXPECT_EQ(failure->refusal.message, "not supported: elements of type u64");
  }
}

TEST(Refusal, MalformedCallsAreNobodysContract) {
  for (const char* call :
       {"neg.default()", "neg.default(%0, %0)", "neg.default(3)",
        "neg.default(%0, out=%0)", "sum.dim_IntList(%0, 0.5)",
        "add.Tensor(%0, %0, other=%0)"}) {
    const Artifact::Made made =
        compile("assay-program 1\n%0 = input f32[2]\n%1 = aten." +
                std::string(call) + "\nreturn %1\n");
    const auto* failure = std::get_if<Failure>(&made);
    ASSERT_NE(failure, nullptr) << call;
    EXPECT_EQ(failure->kind, Failure::Kind::internal) << call;
  }
}

TEST(Refusal, DefectsOfTheGuardsAreVisible) {
  CompileOptions skip;
  skip.defect = Defect::skip_guard;
  const std::string mixed =
      "assay-program 1\n%0 = input f16[1, 2, 2]\n%1 = input f32[1, 2, 2]\n"
      "%2 = aten.bmm.default(%0, %1)\nreturn %2\n";
  const Artifact::Made made = compile(mixed, skip);
  const auto* artifact = std::get_if<std::unique_ptr<Artifact>>(&made);
  ASSERT_NE(artifact, nullptr);
  EXPECT_EQ((*artifact)->outputs()[0].dtype, DType::f32);
  EXPECT_FALSE(look_up(kEmbedding, {0, 9, 1}, skip));
  const char* const derived =
      "assay-program 1\n%0 = input f32[4, 2]\n%1 = input i64[3]\n"
      "%2 = aten.index_select.default(%0, 0, %1)\nreturn %2\n";
  EXPECT_TRUE(look_up(derived, {0, 9, 1}));
  EXPECT_FALSE(look_up(derived, {0, 9, 1}, skip));
  CompileOptions wrong;
  wrong.defect = Defect::wrong_error_class;
  const auto other_class = look_up(derived, {0, 9, 1}, wrong);
  ASSERT_TRUE(other_class);
  EXPECT_EQ(other_class->refusal.clause,
            look_up(derived, {0, 9, 1})->refusal.clause);
  EXPECT_NE(other_class->refusal.exception,
            look_up(derived, {0, 9, 1})->refusal.exception);
  const Artifact::Made other = compile(mixed, wrong);
  ASSERT_TRUE(std::holds_alternative<Failure>(other));
  EXPECT_EQ(std::get<Failure>(other).refusal.exception, "ValueError");
}

}  // namespace
}  // namespace assay::compiler
