// Whose elements a requirement reads, by its text.
#include "suite/language/bind/element_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "suite/language/load.h"

namespace assay::language {
namespace {

using Names = std::vector<std::string>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

OpSpec spec_requiring(const std::string& that) {
  const std::string text = R"(op: reads
aten: aten.reads.default
doc: For the tests of what requirements read.
params:
  x: {tensor: T, shape: [N]}
  k: {tensor: I, shape: [N]}
  list: {tensors: T}
dtypes: {T: [f32], I: [i64]}
result: {dtype: T, shape: "[N]"}
requires: {E1: {that: ")" + that +
                           R"(", raises: RuntimeError}}
value: {V1: "out[i] = x[i]"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [{N: 3, list.0: [3]}], inputs: {k: {integers: [0, 2]}}}}
)";
  LoadResult loaded =
      load_sources({{"reads.yaml", text, role_of("reads.yaml", text)}});
  for (const Diagnostic& d : loaded.errors) ADD_FAILURE() << to_string(d);
  return loaded.specs.ops.at(0);
}

Names read_by(const std::string& that) {
  const OpSpec spec = spec_requiring(that);
  Names names;
  for (const Param& p : spec.params) {
    if (p.elements_read) names.push_back(p.name);
  }
  EXPECT_EQ(spec.reads_elements(), !names.empty());
  return names;
}

TEST(ElementReads, ByIndexInOneTensorOrInAList) {
  EXPECT_THAT(read_by("all(i < dim(x, 0): 0 <= x[i])"), ElementsAre("x"));
  EXPECT_THAT(read_by("all(i < numel(k): flat(k)[i] < dim(x, 0))"),
              ElementsAre("k"));
  EXPECT_THAT(read_by("all(n < length(list): list[n][0] < 1 or x[0] < 1)"),
              ElementsAre("x", "list"));
}

TEST(ElementReads, InTheBoundOfARange) {
  EXPECT_THAT(read_by("all(i < k[0]: i < 3)"), ElementsAre("k"));
  EXPECT_THAT(read_by("all(i from k[1] to dim(x, 0): i < 3)"),
              ElementsAre("k"));
}

TEST(ElementReads, ShapesAndTypesAreNoElements) {
  EXPECT_THAT(read_by("shape(x)[0] == 3 and dtype(k) == i64"), IsEmpty());
  EXPECT_THAT(read_by("shape(list[0])[0] == rank(x)"), IsEmpty());
}

TEST(ElementReads, SizesHangOnThemInTheFormsThatSaySo) {
  const std::string text = R"(op: sized
aten: aten.sized.default
doc: Zeros.
params: {x: "T[N]", k: "I[M]"}
dtypes: {T: [f32], I: [i64]}
forms:
  F1:
    when: dim(k, 0) == 1
    result: "T of [k[0]]"
    value: {V1: "out[i] = 0"}
    accuracy: {A1: {bound: exact}}
  F2:
    result: T of [N]
    value: {V1: "out[i] = 0"}
    accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [{N: 3, M: 1}], inputs: {k: {integers: [0, 2]}}}}
)";
  const LoadResult loaded =
      load_sources({{"sized.yaml", text, role_of("sized.yaml", text)}});
  for (const Diagnostic& d : loaded.errors) ADD_FAILURE() << to_string(d);
  const OpSpec& spec = loaded.specs.ops.at(0);
  EXPECT_TRUE(spec.sizes_depend());
  EXPECT_TRUE(spec.forms.at(0).sizes_depend);
  EXPECT_FALSE(spec.forms.at(1).sizes_depend);
}

TEST(ElementReads, LimitsStandInTheRequirementsThatReadIt) {
  const OpSpec spec =
      spec_requiring("all(i < dim(x, 0): -2 <= x[i] or x[i] < 0.5)");
  EXPECT_THAT(limits_of_elements(spec, *spec.param("x")),
              ElementsAre(-2, 0, 0.5, 2));
  EXPECT_THAT(limits_of_elements(spec, *spec.param("k")), IsEmpty());
}

}  // namespace
}  // namespace assay::language
