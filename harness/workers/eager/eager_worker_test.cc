// The eager worker against results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/subject/places.h"
#include "harness/testing/workers.h"

namespace assay::harness::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Eager : public ::testing::Test {
 protected:
  static Worker& worker() {
    static Worker* const w = new Worker(subject("eager"));
    return *w;
  }
  static Observation run(const std::string& lines,
                         const std::vector<Tensor>& inputs) {
    return worker().run(program(lines), inputs, {}, kAmple);
  }
  static Tensor value(const std::string& lines,
                      const std::vector<Tensor>& inputs) {
    const Observation o = run(lines, inputs);
    EXPECT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
    EXPECT_THAT(o.breaches, IsEmpty());
    if (o.outputs.size() != 1) return Tensor::zeros(DType::boolean, {0});
    return o.outputs[0];
  }
};

TEST_F(Eager, NamesItsColumnByVersionAndLevel) {
  for (const std::string& level : cpu_levels()) {
    Worker one(subject("eager{isa=" + level + "}"));
    const auto identity = one.identify();
    ASSERT_TRUE(identity.ok()) << identity.error().message;
    EXPECT_THAT(identity->column, ::testing::MatchesRegex(
                                      "eager@2\\.1[0-9]\\.[0-9]/cpu-" + level));
    EXPECT_FALSE(identity->slow_compile);
    // Reports are published: no path of the machine that built torch.
    for (const auto& [name, fact] : identity->facts) {
      EXPECT_THAT(fact, ::testing::Not(HasSubstr("/"))) << name;
    }
  }
}

TEST_F(Eager, ComputesInEveryDtype) {
  for (const DType t : kAllDTypes) {
    // torch stores and converts these, and computes nothing in them.
    const bool stored_only = is_float8(t) || is_wide_unsigned(t);
    if (t == DType::boolean || stored_only) continue;
    const std::string name(dtype_name(t));
    const Tensor sum =
        value("%0 = input " + name + "[3]\n%1 = input " + name +
                  "[3]\n%2 = aten.add.Tensor(%0, %1, alpha=2)\n"
                  "return %2\n",
              {tensor(t, {3}, {1, 2, 3}), tensor(t, {3}, {10, 20, 30})});
    EXPECT_EQ(sum.dtype(), t);
    EXPECT_THAT(numbers(sum), ElementsAre(21, 42, 63)) << name;
  }
}

TEST_F(Eager, ConvertsEveryDtypeToF64AndBack) {
  for (const DType t : kAllDTypes) {
    const std::string name(dtype_name(t));
    const Tensor back =
        value("%0 = input " + name +
                  "[3]\n%1 = aten._to_copy.default(%0, dtype=f64)\n"
                  "%2 = aten._to_copy.default(%1, dtype=" +
                  name + ")\nreturn %2\n",
              {tensor(t, {3}, {1, 1, 1})});
    EXPECT_EQ(back.dtype(), t);
    EXPECT_THAT(numbers(back), ElementsAre(1, 1, 1)) << name;
  }
}

// conj and imag of it are lazy: bits of a tensor say that its elements are the
// negatives of what its memory holds.
TEST_F(Eager, CarriesComplexNumbersAndResolvesLazyOnes) {
  const Tensor x = Tensor::strided({DType::c64, {2}, {2}}, 1);
  Tensor parts = components(x);
  for (int i = 0; i < 4; ++i) parts.set_number(i, i + 1);
  const std::string lines = "%0 = input c64[2] strides[2]\n";
  const Tensor conj =
      value(lines + "%1 = aten.conj.default(%0)\nreturn %1\n", {x});
  EXPECT_EQ(conj.dtype(), DType::c64);
  EXPECT_THAT(numbers(components(conj)), ElementsAre(1, -2, 3, -4));
  const Tensor imag = value(lines +
                                "%1 = aten.conj.default(%0)\n"
                                "%2 = aten.imag.default(%1)\nreturn %2\n",
                            {x});
  EXPECT_EQ(imag.dtype(), DType::f32);
  EXPECT_THAT(numbers(imag), ElementsAre(-2, -4));
}

TEST_F(Eager, KeepsEveryBitOfU64) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  const std::uint64_t values[] = {0,           1,     half - 1,         half,
                                  half + 1025, ~half, ~std::uint64_t{0}};
  Tensor x = Tensor::strided({DType::u64, {7}, {2}}, 1);
  for (int i = 0; i < 7; ++i) x.set_bits(i, values[i]);
  const std::string lines = "%0 = input u64[7] strides[2]\n";
  const Tensor same = value(lines + "return %0\n", {x});
  EXPECT_TRUE(identical(same, x));
  const Tensor wrapped = value(
      lines + "%1 = aten._to_copy.default(%0, dtype=i64)\nreturn %1\n", {x});
  const Tensor rounded = value(
      lines + "%1 = aten._to_copy.default(%0, dtype=f64)\nreturn %1\n", {x});
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(wrapped.bits(i), values[i]);
    EXPECT_EQ(rounded.number(i), static_cast<double>(values[i]));
  }
}

TEST_F(Eager, ReadsStridesOffsetsAndExpansions) {
  const Tensor transposed =
      tensor(TensorType{DType::f32, {2, 3}, {1, 2}}, {1, 2, 3, 4, 5, 6}, 3);
  EXPECT_THAT(numbers(value("%0 = input f32[2, 3] strides[1, 2]\n"
                            "%1 = aten.neg.default(%0)\nreturn %1\n",
                            {transposed})),
              ElementsAre(-1, -2, -3, -4, -5, -6));
  const Tensor expanded =
      tensor(TensorType{DType::f32, {3, 2}, {0, 1}}, {7, 8});
  EXPECT_THAT(numbers(value("%0 = input f32[3, 2] strides[0, 1]\n"
                            "%1 = aten.sum.dim_IntList(%0, [0])\nreturn %1\n",
                            {expanded})),
              ElementsAre(21, 24));
}

TEST_F(Eager, SaysHowAResultLayBeforeItWasCopied) {
  const Observation o =
      run("%0 = input f32[3, 4]\n%1 = aten.t.default(%0)\n"
          "%2 = aten.select.int(%0, 0, 2)\n%3 = aten.neg.default(%1)\n"
          "%4 = aten.neg_.default(%3)\nreturn %1, %2, %3, %4\n",
          {tensor(DType::f32, {3, 4}, {1, 2, 3})});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(
      o.layouts,
      ElementsAre(ReturnedLayout{{1, 4}, 0, 0}, ReturnedLayout{{1}, 8, 0},
                  ReturnedLayout{{1, 4}, 0, 3}, ReturnedLayout{{1, 4}, 0, 3}));
  EXPECT_TRUE(o.outputs[0].type.is_contiguous());
}

TEST_F(Eager, KnowsTheStorageOffset) {
  // as_strided counts from the start of the storage, not of the view.
  const Tensor view = tensor(TensorType{DType::f32, {2}, {1}}, {5, 6}, 2);
  EXPECT_THAT(numbers(value("%0 = input f32[2]\n%1 = "
                            "aten.as_strided.default(%0, [4], [1], 0)\n"
                            "return %1\n",
                            {view})),
              ElementsAre(0, 0, 5, 6));
}

TEST_F(Eager, HandlesRankZeroAndEmpty) {
  const Tensor scalar =
      value("%0 = input f64[]\n%1 = aten.exp.default(%0)\nreturn %1\n",
            {tensor(DType::f64, {}, {0})});
  EXPECT_TRUE(scalar.sizes().empty());
  EXPECT_THAT(numbers(scalar), ElementsAre(1));
  const Tensor empty =
      value("%0 = input f32[0, 3]\n%1 = aten.exp.default(%0)\nreturn %1\n",
            {Tensor::zeros(DType::f32, {0, 3})});
  EXPECT_EQ(empty.sizes(), (Shape{0, 3}));
}

TEST_F(Eager, PythonNumbersTakePartInPromotionAsNumbers) {
  const std::string lines =
      "%0 = input f16[1]\n%1 = aten.add.Tensor(%0, 2.5)\nreturn %1\n";
  const Tensor half = value(lines, {tensor(DType::f16, {1}, {1})});
  EXPECT_EQ(half.dtype(), DType::f16);
  EXPECT_THAT(numbers(half), ElementsAre(3.5));
  const Tensor promoted =
      value("%0 = input i64[1]\n%1 = aten.mul.Tensor(2.5, %0)\nreturn %1\n",
            {tensor(DType::i64, {1}, {3})});
  EXPECT_EQ(promoted.dtype(), DType::f32);
  EXPECT_THAT(numbers(promoted), ElementsAre(7.5));
}

TEST_F(Eager, CapturesConstantsAndTakesListsAndOptions) {
  const Tensor joined = value(
      "%0 = input f16[1]\n%1 = const f16[2] {0x3c00, 0xbc00}\n"
      "%2 = aten.cat.default([%0, %1])\n"
      "%3 = aten.clamp.default(%2, none, 0.5)\n"
      "%4 = aten._to_copy.default(%3, dtype=f32)\nreturn %4\n",
      {tensor(DType::f16, {1}, {-3})});
  EXPECT_EQ(joined.dtype(), DType::f32);
  EXPECT_THAT(numbers(joined), ElementsAre(-3, 0.5, -1));
  const Tensor convolved = value(
      "%0 = input f32[1, 1, 3, 3]\n%1 = input f32[1, 1, 1, 1]\n"
      "%2 = aten.conv2d.default(%0, %1, none, 2)\nreturn %2\n",
      {tensor(DType::f32, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
       tensor(DType::f32, {1, 1, 1, 1}, {2})});
  EXPECT_EQ(convolved.sizes(), (Shape{1, 1, 2, 2}));
  EXPECT_THAT(numbers(convolved), ElementsAre(2, 6, 14, 18));
}

TEST_F(Eager, KeepsBitsOfSpecialValues) {
  Tensor x = Tensor::zeros(DType::f32, {4});
  const std::vector<std::uint64_t> bits = {0x7fc00001, 0x80000000, 0x00000001,
                                           0x7f800000};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    x.set_bits(static_cast<std::int64_t>(i), bits[i]);
  }
  const Tensor y = value(
      "%0 = input f32[4]\n%1 = aten.neg.default(%0)\n"
      "%2 = aten.neg.default(%1)\nreturn %2\n",
      {x});
  EXPECT_TRUE(identical(x, y));
}

struct Raise {
  const char* lines;
  std::vector<Tensor> inputs;
  const char* exception;
  const char* message;
};

TEST_F(Eager, RaisesWhatPythonShows) {
  const Tensor f32 = tensor(DType::f32, {2, 3}, {1});
  const std::vector<Raise> raises = {
      {"%0 = input f16[2, 3, 4]\n%1 = input f32[2, 4, 5]\n"
       "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
       {tensor(DType::f16, {2, 3, 4}, {1}), tensor(DType::f32, {2, 4, 5}, {1})},
       "RuntimeError",
       "expected scalar type Half but found Float"},
      {"%0 = input f32[2, 3]\n%1 = aten.sum.dim_IntList(%0, [2])\nreturn %1\n",
       {f32},
       "IndexError",
       "Dimension out of range"},
      {"%0 = input bool[2]\n%1 = aten.abs.default(%0)\nreturn %1\n",
       {tensor(DType::boolean, {2}, {1})},
       "NotImplementedError",
       "not implemented for 'Bool'"},
      {"%0 = input f32[2, 3]\n%1 = aten.neg.default(%0, %0)\nreturn %1\n",
       {f32},
       "RuntimeError",
       "takes 1 positional argument(s) but 2"},
      {"%0 = input f32[2, 3]\n%1 = aten.neg.default(%0, alpha=1)\nreturn %1\n",
       {f32},
       "RuntimeError",
       "Unknown keyword argument 'alpha'"},
      {"%0 = input f32[2, 3]\n%1 = aten.view.default(%0, 6)\nreturn %1\n",
       {f32},
       "RuntimeError",
       "Expected a value of type 'List[int]'"},
      {"%0 = input f32[2, 3]\n%1 = aten.bmm.default(%0)\nreturn %1\n",
       {f32},
       "RuntimeError",
       "missing value for argument 'mat2'"},
  };
  for (const Raise& r : raises) {
    const Observation o = run(r.lines, r.inputs);
    ASSERT_EQ(o.kind, Kind::raised) << r.lines << o.detail;
    EXPECT_EQ(o.error.exception, r.exception) << r.lines;
    EXPECT_THAT(o.error.message, HasSubstr(r.message));
    EXPECT_THAT(o.error.classes, Contains("Exception"));
    EXPECT_EQ(o.error.phase, "run");
  }
}

TEST_F(Eager, NotImplementedIsARuntimeErrorToo) {
  const Observation o =
      run("%0 = input bool[2]\n%1 = aten.abs.default(%0)\nreturn %1\n",
          {tensor(DType::boolean, {2}, {1})});
  EXPECT_THAT(o.error.classes,
              ElementsAre("NotImplementedError", "RuntimeError", "Exception",
                          "BaseException"));
}

TEST_F(Eager, ReturnsEveryOutputOfACall) {
  const Observation o =
      run("%0 = input f32[2, 3]\n%1 = aten.max.dim(%0, 1)\n"
          "%2 = getitem(%1, 1)\n%3 = aten.neg.default(%1)\n"
          "return %2, %1, %3\n",
          {tensor(DType::f32, {2, 3}, {1, 5, 2, 9, 8, 7})});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  ASSERT_EQ(o.outputs.size(), 3u);
  EXPECT_EQ(o.outputs[0].dtype(), DType::i64);
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(1, 0));
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(5, 9));
  EXPECT_THAT(numbers(o.outputs[2]), ElementsAre(-5, -9));
}

TEST_F(Eager, DeclaresWhatItDoesNotHave) {
  const Observation unknown =
      run("%0 = input f32[2]\n%1 = aten.no_such_thing.default(%0)\n"
          "return %1\n",
          {tensor(DType::f32, {2}, {1})});
  EXPECT_EQ(unknown.kind, Kind::unsupported);
  EXPECT_THAT(unknown.detail, HasSubstr("aten.no_such_thing.default"));
  const Observation pair =
      run("%0 = input f32[2]\n%1 = aten.sort.default(%0)\nreturn %1\n",
          {tensor(DType::f32, {2}, {1})});
  EXPECT_EQ(pair.kind, Kind::unsupported);
}

TEST_F(Eager, MutationOfAnInputIsSeenUnlessTheProgramSaysSo) {
  const Tensor in_place =
      value("%0 = input f32[2]\n%1 = aten.add_.Tensor(%0, 1)\nreturn %0\n",
            {tensor(DType::f32, {2}, {1, 2})});
  EXPECT_THAT(numbers(in_place), ElementsAre(2, 3));
}

TEST_F(Eager, ConstantsAreFreshForEveryRun) {
  const std::string lines =
      "%0 = input f32[1]\n%1 = const f32[1] {0x3f800000}\n"
      "%2 = aten.add_.Tensor(%1, %0)\nreturn %2\n";
  const Tensor one = tensor(DType::f32, {1}, {1});
  EXPECT_THAT(numbers(value(lines, {one})), ElementsAre(2));
  EXPECT_THAT(numbers(value(lines, {one})), ElementsAre(2));
}

TEST_F(Eager, ManyProgramsInOneProcess) {
  for (int i = 0; i < 300; ++i) {
    const auto n = static_cast<std::int64_t>(1) << (i % 18);
    const Tensor y = value("%0 = input f32[" + std::to_string(n) +
                               "]\n%1 = aten.mul.Tensor(%0, " +
                               std::to_string(i) + ")\nreturn %1\n",
                           {tensor(DType::f32, {n}, {2})});
    ASSERT_EQ(y.number(n - 1), 2.0 * i);
  }
}

}  // namespace
}  // namespace assay::harness::testing
