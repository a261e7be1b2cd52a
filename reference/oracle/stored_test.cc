// The memory of an operand, read as elements of another type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const language::SpecSet& stored_specs() {
  static const language::SpecSet set = specs_of({R"yaml(
op: bits_of
aten: aten.bits_of.default
doc: The memory of x as elements of another type.
params: {x: "T[S...]", dtype: dtype}
dtypes: {T: [f32, i32, u8]}
let: {n: "size(x, -1) * bytes(dtype(x)) // bytes(dtype)"}
result: {dtype: dtype, shape: "put(shape(x), -1, n)"}
value: {V1: "out[i...] = stored(x, dtype)[i...]"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [[4]], attrs: {dtype: i32}}}
)yaml",
                                                 R"yaml(
op: half_of
aten: aten.half_of.default
doc: Half of x.
params: {x: "T[S...]"}
dtypes: {T: [f32]}
result: T of shape(x)
value: {V1: "out[i...] = x[i...] / 2"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [[4]]}}
)yaml",
                                                 R"yaml(
op: about
aten: aten.about.default
doc: Nearly x.
params: {x: "T[S...]"}
dtypes: {T: [f32]}
result: T of shape(x)
value: {V1: "out[i...] = x[i...]"}
accuracy: {A1: {ulp: 2}}
cases: {C1: {shapes: [[4]]}}
)yaml"});
  return set;
}

Result<Golden> asked(const std::string& lines, const Tensor& x) {
  return Oracle(stored_specs()).golden(program_of(lines), {x}, {});
}

std::vector<double> values(const std::string& lines, const Tensor& x) {
  const Result<Golden> g = asked(lines, x);
  if (g) return g->outputs[0].exact;
  ADD_FAILURE() << g.error().message;
  return {};
}

TEST(Stored, IsReadAsElementsAsWideNarrowerAndWider) {
  const Tensor x = tensor_of(DType::f32, {2, 2}, {1, -0.0, 0.5, 2});
  const std::string call =
      "%0 = input f32[2, 2]\n%1 = aten.bits_of.default(%0, dtype=";
  EXPECT_THAT(values(call + "i32)\nreturn %1\n", x),
              ElementsAre(0x3f800000, -2147483648.0, 0x3f000000, 0x40000000));
  EXPECT_THAT(values(call + "i16)\nreturn %1\n", x),
              ElementsAre(0, 0x3f80, 0, -32768, 0, 0x3f00, 0, 0x4000));
  // The first is the low half.
  EXPECT_THAT(values(call + "u64)\nreturn %1\n", x),
              ElementsAre(0x1.000000007fp+63, 0x1.00000000fcp+62));
}

TEST(Stored, OfWhatAProgramComputesIsAsItIsRounded) {
  EXPECT_THAT(values("%0 = input f32[2]\n%1 = aten.half_of.default(%0)\n"
                     "%2 = aten.bits_of.default(%1, dtype=i32)\nreturn %2\n",
                     tensor_of(DType::f32, {2}, {2, 4})),
              ElementsAre(0x3f800000, 0x40000000));
}

TEST(Stored, OfWhatIsNotKnownExactlyIsNotKnown) {
  const Result<Golden> g = asked(
      "%0 = input f32[2]\n%1 = aten.about.default(%0)\n"
      "%2 = aten.bits_of.default(%1, dtype=i32)\nreturn %2\n",
      tensor_of(DType::f32, {2}, {2, 4}));
  ASSERT_FALSE(g.ok());
  EXPECT_THAT(g.error().message, HasSubstr("are not known"));
}

// Those of an operand are, of NaN as of any number.
TEST(Stored, OfNanThatACallReturnsIsNotKnown) {
  Tensor x = tensor_of(DType::f32, {1}, {1});
  x.set_bits(0, 0xffc00001);
  EXPECT_THAT(values("%0 = input f32[1]\n"
                     "%1 = aten.bits_of.default(%0, dtype=i32)\nreturn %1\n",
                     x),
              ElementsAre(-4194303));
  const Result<Golden> g = asked(
      "%0 = input f32[1]\n%1 = aten.half_of.default(%0)\n"
      "%2 = aten.bits_of.default(%1, dtype=i32)\nreturn %2\n",
      x);
  ASSERT_FALSE(g.ok());
  EXPECT_THAT(g.error().message, HasSubstr("are not known"));
}

TEST(Stored, TheLastDimensionHoldsWholeElements) {
  const Result<Golden> g = asked(
      "%0 = input f32[2, 3]\n%1 = aten.bits_of.default(%0, dtype=i64)\n"
      "return %1\n",
      tensor_of(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6}));
  ASSERT_FALSE(g.ok());
  EXPECT_THAT(g.error().message, HasSubstr("whole elements"));
}

}  // namespace
}  // namespace assay::reference
