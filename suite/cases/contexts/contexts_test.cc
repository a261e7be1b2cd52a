#include "suite/cases/contexts/contexts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/program_text.h"
#include "suite/cases/expand/expand.h"
#include "suite/cases/path.h"
#include "suite/cases/testing/case_testing.h"
#include "suite/cases/valid/base_cases.h"

namespace assay::cases {
namespace {

constexpr const char* kDir = "suite/testdata/cases";

const language::ContextSpec& context(const std::string& name) {
  for (const language::ContextSpec& c : specs_of(kDir).contexts) {
    if (c.name == name) return c;
  }
  ADD_FAILURE() << "no context " << name;
  return specs_of(kDir).contexts[0];
}

ContextTraits traits(const std::string& name) {
  return ContextTraits(context(name));
}

Call call_of(const std::string& op, const std::string& path) {
  for (BaseCase& b : base_cases(*specs_of(kDir).find_op(op)).cases) {
    if (b.path == path) return std::move(b.call);
  }
  ADD_FAILURE() << "no case " << path;
  return {};
}

std::string text_of(const std::string& name, const Call& call,
                    std::size_t in0 = 0) {
  const Result<CaseProgram> p = apply_context(context(name), call, in0);
  if (!p) return p.error().message;
  std::string text = to_text(p->program);
  return text.substr(text.find('\n') + 1);
}

TEST(Contexts, StandAroundTheCall) {
  const Call call = call_of("bmm", "bmm/C1/f16/2x3x5_2x5x4");
  EXPECT_EQ(text_of("producer", call),
            "%0 = input f16[2, 3, 5]\n"
            "%1 = input f16[2, 5, 4]\n"
            "%2 = aten.neg.default(%0)\n"
            "%3 = aten.neg.default(%2)\n"
            "%4 = aten.bmm.default(%3, %1)\n"
            "return %4\n");
  EXPECT_EQ(text_of("observer", call),
            "%0 = input f16[2, 3, 5]\n"
            "%1 = input f16[2, 5, 4]\n"
            "%2 = aten.bmm.default(%0, %1)\n"
            "%3 = aten.neg.default(%2)\n"
            "return %3, %2\n");
}

TEST(Contexts, ReadTheOutputOfTheirCategoryAndReturnTheOthers) {
  const Call call = call_of("max_dim", "max_dim/C1/f32/3x17/dim=1");
  const std::vector<DType> results = {DType::f32, DType::i64};
  language::ContextSpec observer = context("observer");
  observer.applies_to = "int";
  EXPECT_EQ(choose_output(observer, results), 1u);
  observer.applies_to = "float";
  EXPECT_EQ(choose_output(observer, results), 0u);
  observer.applies_to = "bool";
  EXPECT_EQ(choose_output(observer, results), std::nullopt);
  const Result<CaseProgram> p = apply_context(context("observer"), call, 0, 1);
  ASSERT_TRUE(p.ok()) << p.error().message;
  EXPECT_EQ(to_text(p->program),
            "assay-program 1\n"
            "%0 = input f32[3, 17]\n"
            "%1 = aten.max.dim(%0, 1)\n"
            "%2 = getitem(%1, 1)\n"
            "%3 = aten.neg.default(%2)\n"
            "return %3, %2, %1\n");
}

// neg_ of the real specs, where contexts that read the operand are.
TEST(Contexts, BehindAWriteTheResultStandsForTheOperand) {
  const language::OpSpec& neg = *specs_of("specs").find_op("neg_");
  const BaseCases bases = base_cases(neg);
  ASSERT_TRUE(bases.errors.empty()) << bases.errors.front();
  ASSERT_FALSE(bases.cases.empty());
  const Call& call = bases.cases.front().call;
  language::ContextSpec twice = context("producer");
  const std::string operand = twice.steps[1].name;
  twice.returns = {operand, twice.returns[0]};
  const Result<CaseProgram> p = apply_context(twice, call, 0);
  ASSERT_TRUE(p.ok()) << p.error().message;
  const std::vector<ValueRef>& returned = p->program.outputs;
  EXPECT_EQ(returned, (std::vector<ValueRef>{{p->call}, {p->call}}));
  for (const BaseCase& b : bases.cases) {
    EXPECT_NE(b.layout, language::Layout::expanded) << b.path;
  }
  // A captured tensor is not written to.
  for (const language::ContextSpec& c : specs_of("specs").contexts) {
    if (c.name == "constant" || c.name == "repeated") {
      EXPECT_EQ(choose_operand(ContextTraits(c), call), std::nullopt) << c.name;
    }
  }
}

Expansion expand_row(const std::string& row) {
  return expand(specs_of("specs"),
                [&](const std::string& r) { return r == row; });
}

// Of the real specs.
TEST(Contexts, WriteBehindCallsThatDoNot) {
  const language::SpecSet& specs = specs_of("specs");
  std::map<std::string, const language::ContextSpec*> contexts;
  for (const language::ContextSpec& c : specs.contexts) contexts[c.name] = &c;
  const auto suits = [&](const char* context, const char* op) {
    const BaseCases bases = base_cases(*specs.find_op(op));
    return choose_operand(ContextTraits(*contexts.at(context)),
                          bases.cases.front().call);
  };
  EXPECT_EQ(suits("overwritten", "select"), 0u);
  EXPECT_EQ(suits("overwritten", "select_copy"), 0u);
  EXPECT_EQ(suits("overwritten", "clone"), 0u);
  EXPECT_EQ(suits("overwritten", "neg"), std::nullopt);
  EXPECT_EQ(suits("overwritten", "neg_"), std::nullopt);
  EXPECT_EQ(suits("written_through", "select"), 0u);
  EXPECT_EQ(suits("written_through", "reshape"), 0u);
  EXPECT_EQ(suits("written_through", "neg"), std::nullopt);
}

// Windows that overlap are not written to, nor what is a view only sometimes.
TEST(Contexts, WriteWhereTheOrderOfWritesIsNoMatter) {
  const auto placed = [&](const std::string& row) {
    std::set<std::string> paths;
    const Expansion all = expand_row(row);
    for (const Case& c : all.cases) {
      if (c.context == "written_through") paths.insert(c.path);
    }
    return paths;
  };
  const std::set<std::string> unfold = placed("unfold");
  const std::string base = "unfold/C3/f32/5x33/dimension=";
  EXPECT_TRUE(unfold.contains(base + "-1,size=1,step=5/written_through"));
  EXPECT_FALSE(unfold.contains(base + "1,size=9,step=8/written_through"));
  EXPECT_TRUE(placed("view_dtype").empty());
}

// Such a case is no vacuous one, whatever its results: nothing is asked of
// shares. Elements that nothing is combined with show nothing new.
TEST(Contexts, AnOperandMayBeOneNumberOfTheProgram) {
  const auto filled = [&](const std::string& row) {
    std::set<std::string> contexts;
    const Expansion all = expand_row(row);
    for (const Case& c : all.cases) {
      if (!c.context.starts_with("filled_with_")) continue;
      contexts.insert(c.context);
      EXPECT_TRUE(c.vacuous == 1 || !c.must_raise.empty()) << c.path;
      EXPECT_NE(to_text(c.program).find("aten.full_like.default(%0, "),
                std::string::npos)
          << c.path;
    }
    return contexts;
  };
  EXPECT_EQ(filled("amax"),
            (std::set<std::string>{"filled_with_infinity", "filled_with_nan",
                                   "filled_with_one", "filled_with_zero"}));
  EXPECT_EQ(filled("exp"), std::set<std::string>{"filled_with_one"});
  // Probabilities are read; that one which is filled in is refused.
  EXPECT_TRUE(filled("bernoulli").empty());
}

// Whether a group asks for contexts or not.
TEST(Contexts, OnesAreAskedOfEachKindOfCall) {
  std::set<std::string> paths;
  for (const Case& c : expand_row("cumsum").cases) {
    if (c.context == "filled_with_one") paths.insert(c.path);
  }
  for (const char* kind :
       {"/0d/", "dtype=f32", "dtype=f64", "dtype=i64", "/bool/", "/i64/"}) {
    EXPECT_TRUE(std::any_of(paths.begin(), paths.end(),
                            [kind](const std::string& path) {
                              return path.find(kind) != std::string::npos;
                            }))
        << kind;
  }
}

// The first of two operands, or the other, may be the only one in its order.
TEST(Contexts, OperandsMayLieInDifferentOrders) {
  const Expansion all = expand_row("copysign");
  const auto strides = [&all](const std::string& which) {
    const Case* c = find_case(all, "copysign/C12/f32/3x17/transposed" + which);
    std::vector<Shape> out;
    if (c == nullptr) return out;
    for (const Tensor& t : c->make_inputs()) out.push_back(t.type.strides);
    return out;
  };
  const Shape rows = {17, 1}, columns = {1, 3};
  EXPECT_EQ(strides("_first"), (std::vector<Shape>{columns, rows}));
  EXPECT_EQ(strides("_others"), (std::vector<Shape>{rows, columns}));
  EXPECT_EQ(strides(""), (std::vector<Shape>{columns, columns}));
}

// What a call makes stays when its operand is written to, but for views.
TEST(Contexts, ResultsAreKeptWhereTheyAreNoViews) {
  const auto kept = [](const std::string& row) {
    const Expansion all = expand_row(row);
    return std::any_of(all.cases.begin(), all.cases.end(), [](const Case& c) {
      return c.context.starts_with("result_kept");
    });
  };
  EXPECT_TRUE(kept("index_add"));
  EXPECT_TRUE(kept("cumsum"));
  for (const char* row : {"select", "view_as_real", "positive", "einsum"}) {
    EXPECT_FALSE(kept(row)) << row;
  }
}

TEST(Contexts, AnotherOperandMayPlayIn0) {
  const Call call = call_of("bmm", "bmm/C1/f16/2x3x5_2x5x4");
  EXPECT_EQ(text_of("cast_operand", call, 1),
            "%0 = input f16[2, 3, 5]\n"
            "%1 = input f32[2, 5, 4]\n"
            "%2 = aten._to_copy.default(%1, dtype=f16)\n"
            "%3 = aten.bmm.default(%0, %2)\n"
            "return %3\n");
  EXPECT_EQ(context_segment(traits("cast_operand"), call, 1), "cast_operand@b");
  EXPECT_EQ(context_segment(traits("cast_operand"), call, 0), "cast_operand");
}

TEST(Contexts, AnOperandOfTheSameShapeMayBeMadeOfASmallerOne) {
  language::ContextSpec repeated = context("producer");
  const auto named = [](const char* name) {
    return language::StepArg{std::string(name)};
  };
  repeated.steps[0] = {"p",
                       "aten.amax.default",
                       {named("in0"), {Arg(Shape{-1})}, {Arg(true)}},
                       {},
                       {}};
  repeated.steps[1] = {
      "q", "aten.expand.default", {named("p"), named("shape0")}, {}, {}};
  const Call call = call_of("max_dim", "max_dim/C1/f32/3x17/dim=1");
  const Result<CaseProgram> p = apply_context(repeated, call, 0);
  ASSERT_TRUE(p.ok()) << p.error().message;
  const std::string text = to_text(p->program);
  EXPECT_NE(text.find("%1 = aten.amax.default(%0, [-1], true)\n"
                      "%2 = aten.expand.default(%1, [3, 17])\n"
                      "%3 = aten.max.dim(%2, 1)\n"),
            std::string::npos)
      << text;
}

TEST(Contexts, AConstantHoldsTheCasesOwnElements) {
  const Call call = call_of("bmm", "bmm/C1/f32/2x3x5_2x5x4");
  const Result<CaseProgram> p = apply_context(context("constant"), call, 0);
  ASSERT_TRUE(p);
  ASSERT_EQ(p->program.constants.size(), 1u);
  ASSERT_EQ(p->inputs.size(), 1u);
  EXPECT_TRUE(
      identical(p->program.constants[0], generate(*call.operands()[0])));
  EXPECT_EQ(p->program.inputs[0].sizes, (Shape{2, 5, 4}));
}

TEST(Contexts, MembersOfListsTakePart) {
  const Call call = call_of("cat", "cat/C1/f32/2x3_4x3");
  EXPECT_EQ(text_of("producer", call, 1),
            "%0 = input f32[2, 3]\n"
            "%1 = input f32[4, 3]\n"
            "%2 = aten.neg.default(%1)\n"
            "%3 = aten.neg.default(%2)\n"
            "%4 = aten.cat.default([%0, %3], 0)\n"
            "return %4\n");
  EXPECT_EQ(context_segment(traits("producer"), call, 1), "producer@tensors.1");
}

TEST(Contexts, ChooseAnOperandOfTheirCategory) {
  const Call call = call_of("embedding", "embedding/C1/f32-i64/5x2_3");
  EXPECT_EQ(choose_operand(traits("producer"), call), 0u);
  EXPECT_EQ(choose_operand(traits("producer"), call, 1), std::nullopt)
      << "indices are no floats";
  EXPECT_EQ(choose_operand(traits("constant"), call, 1), 1u);
  EXPECT_EQ(choose_operand(traits("observer"), call, 1), 0u)
      << "the operand plays no part in it";
}

TEST(Contexts, AnElementThatTheOtherTypeDoesNotHoldIsNotCast) {
  Call call = call_of("embedding", "embedding/C1/f32-i64/5x2_3");
  language::ContextSpec cast = context("cast_operand");
  cast.applies_to = "int";
  Operand* const indices = call.operands()[1];
  language::Literal replaced;
  replaced.integer = -7;
  indices->pokes = {{0, replaced, "-7"}};
  EXPECT_EQ(choose_operand(ContextTraits(cast), call, 1), 1u);
  indices->pokes[0].value.integer = std::int64_t{1} << 40;  // 0 in i32
  EXPECT_EQ(choose_operand(ContextTraits(cast), call, 1), std::nullopt);
}

std::set<std::string> dtypes_in(const std::string& context_name) {
  std::set<std::string> out;
  for (const Case& c : expansion_of(kDir).cases) {
    if (c.spec != "neg" || c.context != context_name) continue;
    if (!c.must_raise.empty()) continue;
    out.emplace(dtype_name(c.program.inputs[0].dtype));
  }
  return out;
}

TEST(Contexts, ACallWithoutOperandsHasObserversAlone) {
  const Call call = call_of("ramp", "ramp/C1/none/none/n=9");
  EXPECT_EQ(choose_operand(traits("producer"), call), std::nullopt);
  EXPECT_EQ(choose_operand(traits("constant"), call), std::nullopt);
  ASSERT_EQ(choose_operand(traits("observer"), call), 0u);
  EXPECT_EQ(text_of("observer", call),
            "%0 = aten.ramp.default(9)\n"
            "%1 = aten.neg.default(%0)\n"
            "return %1, %0\n");
}

TEST(Contexts, OnlyWhereTheResultIsOfTheirCategory) {
  EXPECT_EQ(dtypes_in("widen_int"), std::set<std::string>{"i32"});
  EXPECT_EQ(dtypes_in("observer"), (std::set<std::string>{"f16", "f32"}));
}

TEST(Contexts, WiderThanTheOperand) {
  std::set<std::pair<DType, std::string>> seen;
  for (const Case& c : expansion_of_row("specs", "mul").cases) {
    if (c.context != "widen" || !c.must_raise.empty()) continue;
    const std::string text = to_text(c.program);
    const auto at = text.find("dtype=");
    ASSERT_NE(at, std::string::npos) << c.path;
    seen.emplace(c.program.inputs[0].dtype, text.substr(at + 6, 3));
  }
  EXPECT_EQ(seen.count({DType::bf16, "f32"}), 1u);
  EXPECT_EQ(seen.count({DType::f32, "f64"}), 1u);
  EXPECT_EQ(seen.count({DType::bf16, "f64"}), 0u);
}

TEST(Contexts, GroupsAskForThem) {
  std::set<std::string> controls;
  for (const Case& c : expansion_of(kDir).cases) controls.insert(c.control);
  std::size_t found = 0;
  for (const Case& c : expansion_of(kDir).cases) {
    if (c.spec != "neg" || c.context.empty() || !c.must_raise.empty()) continue;
    if (controls.contains(c.path)) continue;
    EXPECT_TRUE(c.clause == "C1" || c.clause == "C2") << c.path;
    EXPECT_TRUE(c.clause == "C1" || c.context == "observer") << c.path;
    if (c.clause == "C2") ++found;
  }
  EXPECT_GT(found, 0u);
}

}  // namespace
}  // namespace assay::cases
