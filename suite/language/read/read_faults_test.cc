#include "suite/language/read/read_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/language/load.h"

namespace assay::language {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr const char* kSpecs = R"yaml(
ops:
  least: {doc: The least element., with: {f: min}}
  greatest: {doc: The greatest element., with: {f: max}}
params: {x: "T[N]"}
dtypes: {T: [f32]}
let: {n: "dim(x, 0)"}
result: {dtype: T, shape: "[]"}
value: {V1: "out[] = ${f}(k < n: x[k])"}
accuracy: {A1: {bound: exact}}
special: {S1: {when: "x[0] == 0", then: nan}}
cases: {C1: {shapes: [[3]]}}
)yaml";

LoadResult load(const std::string& faults) {
  return load_sources({{"ops.yaml", kSpecs, SourceFile::Role::operation},
                       {"wrong.yaml", faults, SourceFile::Role::faults}});
}

std::vector<std::string> errors(const std::string& faults) {
  std::vector<std::string> out;
  for (const Diagnostic& d : load(faults).errors) out.push_back(to_string(d));
  return out;
}

TEST(FaultFiles, AFaultReplacesSectionsOfEachOperation) {
  const LoadResult r = load(R"yaml(
first_left_out:
  doc: The first element is not looked at.
  of: ['*']
  except: {no order: least}
  value: {V1: "out[] = max(k from 1 to n: x[k])"}
  without: [special]
)yaml");
  ASSERT_THAT(errors("[]"), ElementsAre(HasSubstr("faults by name")));
  ASSERT_TRUE(r.errors.empty()) << to_string(r.errors[0]);
  ASSERT_EQ(r.faults.size(), 1u);
  const FaultSpec& f = r.faults[0];
  EXPECT_EQ(f.row, "greatest");
  EXPECT_EQ(f.aten, "aten.greatest.default");
  EXPECT_EQ(f.file, "wrong.yaml");
  ASSERT_NE(f.definition, nullptr);
  EXPECT_TRUE(f.definition->forms[0].special.empty());
  EXPECT_FALSE(r.specs.find_op("greatest")->forms[0].special.empty());
}

TEST(FaultFiles, OperandsAndResultsAreChangedElementByElement) {
  const LoadResult r = load(R"yaml(
flushed:
  doc: Small numbers are lost.
  of: [least, greatest]
  operands: {x: "where(abs(operand[i...]) < 1, 0, operand[i...])"}
signless:
  doc: Signs are lost.
  of: least
  results: abs(result[i...])
packed:
  doc: Strides are ignored.
  of: least
  reads: storage_order
)yaml");
  ASSERT_TRUE(r.errors.empty()) << to_string(r.errors[0]);
  ASSERT_EQ(r.faults.size(), 4u);
  EXPECT_NE(r.faults[0].operands.at("x"), nullptr);
  EXPECT_NE(r.faults[2].results, nullptr);
  EXPECT_TRUE(r.faults[3].storage_order);
}

// Three operations, two of which promise strides; one of these in a form.
constexpr const char* kPromises = R"yaml(
ops:
  copied: {doc: A copy., result: T of shape(x) as contiguous}
  open: {doc: A copy that lies anywhere.}
  chosen:
    doc: A copy of what has two dimensions alone.
    forms:
      F1:
        when: rank(x) == 2
        result: "T of shape(x) as where(numel(x) == 1, any, elementwise)"
        value: &same {V1: "out[i...] = x[i...]"}
        accuracy: &exact {A1: {bound: exact}}
    without: [result, value, accuracy]
params: {x: "T[S...]"}
dtypes: {T: [f32]}
result: T of shape(x)
value: *same
accuracy: *exact
cases: {C1: {shapes: [[3, 4]]}}
)yaml";

TEST(FaultFiles, OperationsAreFoundByTheStridesThatTheyPromise) {
  const auto load = [](const std::string& faults) {
    return load_sources({{"ops.yaml", kPromises, SourceFile::Role::operation},
                         {"wrong.yaml", faults, SourceFile::Role::faults}});
  };
  const LoadResult r = load(R"yaml(
lost: {doc: d, of: {layout: elementwise}, strides: lost}
kept:
  doc: d
  of: {layout: [contiguous, elementwise]}
  except: {a reason: chosen}
  strides: kept
)yaml");
  ASSERT_TRUE(r.errors.empty()) << to_string(r.errors[0]);
  ASSERT_EQ(r.faults.size(), 2u);
  EXPECT_EQ(r.faults[0].row, "chosen");
  EXPECT_EQ(r.faults[0].strides, WrongStrides::lost);
  EXPECT_EQ(r.faults[1].row, "copied");
  EXPECT_EQ(r.faults[1].strides, WrongStrides::kept);
  // Part of a rule's name is none.
  const LoadResult none =
      load("lost: {doc: d, of: {layout: element}, strides: lost}\n");
  ASSERT_EQ(none.errors.size(), 1u);
  EXPECT_THAT(to_string(none.errors[0]),
              HasSubstr("no result is promised 'element'"));
}

TEST(FaultFiles, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(errors("a:\n  doc: d\n  of: nobody\n  results: 0\n"),
              ElementsAre(AllOf(HasSubstr("wrong.yaml:3:7"),
                                HasSubstr("no operation is called 'nobody'"))));
  EXPECT_THAT(errors("a:\n  doc: d\n  of: least\n"),
              ElementsAre(HasSubstr("what goes wrong in one way")));
  EXPECT_THAT(
      errors("a: {doc: d, of: least, results: '0', reads: storage_order}\n"),
      ElementsAre(HasSubstr("what goes wrong in one way")));
  EXPECT_THAT(errors("a: {doc: d, of: least, results: 'x[i...]'}\n"),
              ElementsAre(HasSubstr("wrong.yaml:1:34")));
  EXPECT_THAT(
      errors("a: {doc: d, of: least, operands: {y: 'operand[i...]'}}\n"),
      ElementsAre(HasSubstr("least has no parameter 'y'")));
  EXPECT_THAT(errors("a: {doc: d, of: least, except: {why: [greatest]}, "
                     "results: '0'}\n"),
              ElementsAre(HasSubstr("'greatest' is none of the operations")));
  EXPECT_THAT(errors("a: {doc: d, of: least, value: {V1: 'out[] = m'}}\n"),
              ElementsAre(HasSubstr("in fault 'a' of least")));
  EXPECT_THAT(errors("a: {doc: d, of: least, cases: {}, results: '0'}\n"),
              ElementsAre(HasSubstr("cases")));
}

TEST(FaultFiles, AnOperationHasAFaultOnce) {
  const LoadResult r =
      load_sources({{"ops.yaml", kSpecs, SourceFile::Role::operation},
                    {"a.yaml", "f: {doc: d, of: least, results: '0'}\n",
                     SourceFile::Role::faults},
                    {"b.yaml", "f: {doc: d, of: '*', results: '0'}\n",
                     SourceFile::Role::faults}});
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_THAT(r.errors[0].message,
              HasSubstr("least has a fault 'f' in a.yaml already"));
}

TEST(FaultFiles, DoNotChangeWhatTheSpecsAre) {
  const auto hash = [](const std::string& faults) {
    return load(faults).specs.hash;
  };
  EXPECT_EQ(hash("f: {doc: d, of: least, results: '0'}\n"),
            hash("f: {doc: d, of: least, results: '1'}\n"));
}

}  // namespace
}  // namespace assay::language
