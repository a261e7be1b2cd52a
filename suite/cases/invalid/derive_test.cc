#include "suite/cases/invalid/derive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/float_bits.h"
#include "core/program_text.h"
#include "suite/cases/quota.h"
#include "suite/cases/testing/case_testing.h"
#include "suite/cases/valid/base_cases.h"
#include "suite/language/read/read_kernels.h"

namespace assay::cases {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kDir = "suite/testdata/cases";

std::vector<const Case*> negatives(const std::string& promise) {
  std::vector<const Case*> out;
  for (const Case& c : expansion_of(kDir).cases) {
    if (c.must_raise == promise && c.spec + "/" + c.clause == promise) {
      out.push_back(&c);
    }
  }
  return out;
}

std::set<std::string> dtype_pairs(const std::string& promise) {
  std::set<std::string> out;
  for (const Case* c : negatives(promise)) {
    const std::size_t start = promise.size() + 1;
    out.insert(c->path.substr(start, c->path.find('/', start) - start));
  }
  return out;
}

bool any_path_ends(const std::vector<const Case*>& cases,
                   const std::string& end) {
  for (const Case* c : cases) {
    if (c->path.ends_with(end)) return true;
  }
  return false;
}

TEST(Derive, RequirementsAreBrokenForEmptyTensorsToo) {
  const language::OpSpec& spec = *specs_of(kDir).find_op("max_dim");
  const std::vector<BaseCase> bases = base_cases(spec).cases;
  const auto beside = [&](const language::OpSpec& with) {
    std::vector<std::string> paths;
    for (const Negative& n : derive_negatives(with, bases, true).negatives) {
      if (n.beside) paths.push_back(n.path);
    }
    return paths;
  };
  const std::vector<std::string> paths = beside(spec);
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_THAT(paths[0], HasSubstr("max_dim/E1/f32/0x3/dim="));
}

// Where no other spec takes them.
TEST(Derive, RequirementsAreBrokenByComplexOperandsToo) {
  const language::OpSpec& spec = *specs_of(kDir).find_op("bmm");
  const std::vector<BaseCase> bases = base_cases(spec).cases;
  const auto complex = [&](bool elsewhere) {
    std::vector<std::string> clauses;
    for (const Negative& n :
         derive_negatives(spec, bases, elsewhere).negatives) {
      if (n.path.find("c64") != std::string::npos) clauses.push_back(n.clause);
    }
    return clauses;
  };
  EXPECT_THAT(complex(false), Contains("E4"));
  EXPECT_THAT(complex(true), IsEmpty());
}

// All operands at once: one of such a type beside others is no matter of
// kernels.
TEST(Derive, TypesThatNoKernelKnowsAreTriedOnAllOperands) {
  language::OpSpec spec = *specs_of(kDir).find_op("bmm");
  language::KernelClause clause;
  clause.requirement.id = "K1";
  clause.requirement.types = {DType::f8e5m2, DType::u16, DType::u32};
  clause.ops = {{"bmm", {}}};
  language::require_kernels({clause}, &spec);
  std::set<std::string> types;
  for (const Negative& n :
       derive_negatives(spec, base_cases(spec).cases, true).negatives) {
    const std::string begin = "bmm/K1/";
    if (!n.path.starts_with(begin)) continue;
    types.insert(n.path.substr(begin.size(),
                               n.path.find('/', begin.size()) - begin.size()));
  }
  EXPECT_THAT(types, ElementsAre("f8e5m2", "u16"));
}

TEST(Derive, EveryRequirementIsBrokenOrReported) {
  std::set<std::string> broken;
  for (const Case& c : expansion_of(kDir).cases) broken.insert(c.must_raise);
  std::set<std::string> reported;
  for (const std::string& u : expansion_of(kDir).uncovered) {
    reported.insert(u.substr(0, u.find(':')));
  }
  EXPECT_THAT(reported, ElementsAre("cat/E3"));
  for (const language::OpSpec& spec : specs_of(kDir).ops) {
    for (const language::Requirement& r : spec.requires_) {
      const std::string promise = spec.name + "/" + r.id;
      EXPECT_NE(broken.contains(promise), reported.contains(promise))
          << promise;
    }
  }
}

TEST(Derive, TheReportSaysWhatWasTriedAndWhatToDo) {
  ASSERT_EQ(expansion_of(kDir).uncovered.size(), 1u);
  EXPECT_THAT(
      expansion_of(kDir).uncovered[0],
      ::testing::AllOf(HasSubstr("changes of"), HasSubstr("`derive: false`")));
}

TEST(Derive, MixedTypesOfABatchedProduct) {
  const auto pairs = dtype_pairs("bmm/E4");
  EXPECT_THAT(pairs, Contains("f16-f32"));
  EXPECT_THAT(pairs, Contains("f32-f16"));
  EXPECT_GE(pairs.size(), 6u);
  EXPECT_TRUE(any_path_ends(negatives("bmm/E4"), "/cast_operand") ||
              any_path_ends(negatives("bmm/E4"), "/cast_operand@b"))
      << "the type is wrong because of a cast in the program";
  EXPECT_TRUE(any_path_ends(negatives("bmm/E4"), "/observer"))
      << "the refused result has a reader";
}

TEST(Derive, AllOperandsChangeTogetherWhereOneAloneIsAMismatch) {
  EXPECT_THAT(dtype_pairs("bmm/E5"), Contains("bool"));
}

TEST(Derive, RanksOfEverySort) {
  std::set<std::size_t> ranks;
  for (const Case* c : negatives("bmm/E1")) {
    if (!c->context.empty()) continue;
    ranks.insert(c->program.inputs[0].sizes.size());
  }
  EXPECT_THAT(ranks, ElementsAre(0u, 2u, 4u));
}

TEST(Derive, IndicesJustBelowAndBeyondTheTable) {
  std::set<std::int64_t> wrong;
  for (const Case* c : negatives("embedding/E3")) {
    if (!c->context.empty()) continue;
    const std::vector<Tensor> inputs = c->make_inputs();
    const std::int64_t rows = inputs[0].sizes()[0];
    std::int64_t outside = 0;
    for (std::int64_t n = 0; n < inputs[1].numel(); ++n) {
      const std::int64_t v = inputs[1].integer(n);
      if (0 <= v && v < rows) continue;
      ++outside;
      if (v < 0) wrong.insert(v);
      if (v == rows || v == rows + 1) wrong.insert(1000 + v - rows);
    }
    EXPECT_GE(outside, 1) << c->path;
    if (c->path.find("/index.") != std::string::npos) {
      EXPECT_EQ(outside, 1) << "in the middle of valid ones: " << c->path;
    }
  }
  EXPECT_THAT(wrong, ::testing::IsSupersetOf({-1, -2, 1000, 1001}));
}

TEST(Derive, FloatsNextToAndBeyondTheLimits) {
  std::set<std::string> wrong;
  for (const Case* c : negatives("chance/E1")) {
    if (!c->context.empty()) continue;
    const Tensor x = c->make_inputs()[0];
    if (is_complex(x.dtype())) continue;  // made by another change
    std::int64_t outside = 0;
    for (std::int64_t n = 0; n < x.numel(); ++n) {
      const double v = x.number(n);
      if (0 <= v && v <= 1) continue;
      ++outside;
      const bool next =
          x.bits(n) == from_ordinal(x.dtype(), -2) ||
          v == 1 + std::ldexp(1, 1 - float_format(x.dtype()).precision);
      wrong.insert(std::isnan(v)   ? "nan"
                   : std::isinf(v) ? "infinite"
                   : next          ? "next"
                                   : "beyond");
    }
    EXPECT_EQ(outside, 1) << c->path;
  }
  EXPECT_THAT(wrong, ElementsAre("beyond", "infinite", "nan", "next"));
  bool in_company = false;
  for (const Case* c : negatives("chance/E1")) {
    in_company = in_company || c->context == "producer";
  }
  EXPECT_TRUE(in_company);
}

TEST(Derive, WithoutAValidCaseEveryRequirementIsReported) {
  const language::OpSpec& spec = *specs_of(kDir).find_op("embedding");
  const Derivation derived = derive_negatives(spec, {}, true);
  EXPECT_TRUE(derived.negatives.empty());
  EXPECT_EQ(derived.uncovered.size(), spec.requires_.size());
}

TEST(Derive, OneArgumentOfAnotherKind) {
  EXPECT_TRUE(any_path_ends(negatives("add/E1"), "alpha=true"));
  EXPECT_TRUE(any_path_ends(negatives("cat/E2"), "dim=2"));
  EXPECT_TRUE(any_path_ends(negatives("cat/E2"), "dim=-3"));
  for (const Case* c : negatives("cat/E1")) {
    EXPECT_TRUE(c->program.inputs.empty()) << c->path;
  }
}

TEST(Derive, TwoChangesWhereOneIsNotEnough) {
  const auto found = negatives("sub/E2");
  ASSERT_FALSE(found.empty());
  for (const Case* c : found) {
    if (!c->context.empty()) continue;
    EXPECT_EQ(c->program.inputs[0].dtype, DType::i64) << c->path;
    EXPECT_NE(c->path.find("alpha="), std::string::npos) << c->path;
  }
}

TEST(Derive, QuotasAreKept) {
  std::map<std::string, std::size_t> full, quick, complex;
  for (const Case& c : expansion_of(kDir).cases) {
    if (c.must_raise != c.spec + "/" + c.clause) continue;
    // One more is complex, alone.
    if (c.path.find("c64") != std::string::npos) {
      EXPECT_TRUE(c.context.empty() || c.profile == Profile::full) << c.path;
      complex[c.must_raise] += c.context.empty() ? 1 : 0;
      continue;
    }
    ++full[c.must_raise];
    if (c.is_in(Profile::standard)) ++quick[c.must_raise];
  }
  for (const auto& [promise, count] : full) {
    // Two more are empty or 0-d.
    EXPECT_LE(count, kFullNegatives + kFullCompany + 2) << promise;
    EXPECT_GE(quick[promise], 1u) << promise;
    EXPECT_LE(quick[promise], kStandardReportedNegatives) << promise;
  }
  for (const auto& [promise, count] : complex) EXPECT_EQ(count, 1u) << promise;
}

// What programs of add_ of the project's own specs are.
std::string add_in_place(const std::string& path) {
  const Case* c = find_case("specs", "add_/" + path);
  if (c == nullptr) return "no such case";
  EXPECT_EQ(c->must_raise.empty(), path.starts_with("C"));
  if (!c->must_raise.empty()) {
    EXPECT_NE(find_case("specs", c->control), nullptr) << path;
  }
  const std::string text = to_text(c->program);
  return text.substr(text.find('\n') + 1);
}

TEST(Derive, WhatIsWrittenOverlapsAnotherOperand) {
  const std::string parts =
      "%0 = input i64[34]\n"
      "%1 = aten.slice.Tensor(%0, 0, 0, 17)\n";
  const std::string sum = "%3 = aten.add_.Tensor(%1, %2, alpha=2)\nreturn %3\n";
  EXPECT_EQ(add_in_place("E8/i64/17/alpha=2/b=a+1"),
            parts + "%2 = aten.slice.Tensor(%0, 0, 1, 18)\n" + sum);
  EXPECT_EQ(
      find_case("specs", "add_/E8/i64/17/alpha=2/b=a+1")->control.substr(5),
      "C23/i64/17/alpha=2/b=a+17");
  EXPECT_EQ(add_in_place("E8/f32/5x5/b=a.t"),
            "%0 = input f32[5, 5]\n%1 = aten.transpose.int(%0, 0, 1)\n"
            "%2 = aten.add_.Tensor(%0, %1)\nreturn %2\n");
  // In a context what both lie in is the operand.
  EXPECT_EQ(add_in_place("E8/i64/17/alpha=2/b=a+16/written_in_between"),
            "%0 = input i64[34]\n%1 = aten.clone.default(%0)\n"
            "%2 = aten.unsqueeze.default(%1, 0)\n"
            "%3 = aten.flip.default(%2, [-1])\n"
            "%4 = aten.slice.Tensor(%1, 0, 0, 17)\n"
            "%5 = aten.slice.Tensor(%1, 0, 16, 33)\n"
            "%6 = aten.add_.Tensor(%4, %5, alpha=2)\n"
            "%7 = aten.flip.default(%2, [-1])\nreturn %3, %6, %7\n");
}

TEST(Derive, WhatIsWrittenOverlapsItself) {
  EXPECT_EQ(add_in_place("E7/f32/2x3x9_3x1/a.from_1x3x9"),
            "%0 = input f32[1, 3, 9]\n%1 = input f32[3, 1]\n"
            "%2 = aten.expand.default(%0, [2, 3, 9])\n"
            "%3 = aten.add_.Tensor(%2, %1)\nreturn %3\n");
  EXPECT_EQ(add_in_place("E7/f32/2x3x9_3x1/a.expanded"),
            "%0 = input f32[2, 3, 9] strides[0, 9, 1]\n"
            "%1 = input f32[3, 1]\n"
            "%2 = aten.add_.Tensor(%0, %1)\nreturn %2\n");
}

// An index lies in what is written only where that is of its type.
TEST(Derive, WhatIsWrittenTakesOnTheTypeOfAnIndex) {
  const std::string path = "index_fill_/E6/i64/17x8_16/dim=0,value=1/index=x+1";
  const Case* c = find_case("specs", path);
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->program.inputs.size(), 1u);
  EXPECT_EQ(c->program.inputs[0].dtype, DType::i64);
}

}  // namespace
}  // namespace assay::cases
