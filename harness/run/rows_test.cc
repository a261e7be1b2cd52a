// A row alone is asked for where that is promised, and compared bit for bit.
#include "harness/run/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <utility>

#include "core/program_text.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = Observation::Kind;

constexpr std::chrono::milliseconds kAmple{1000};

const language::SpecSet& specs() {
  static const language::LoadResult loaded = language::load_sources(
      {{"id.yaml",
        "op: id\naten: aten.id.default\ndoc: Itself.\nparams: {x: 'T[S...]'}\n"
        "dtypes: {T: [f32]}\nresult: {dtype: T, shape: shape(x)}\n"
        "value: {V1: 'out[i...] = x[i...]'}\naccuracy: {A1: {bound: exact}}\n"
        "cases: {C1: {shapes: [[3]]}}\n",
        language::SourceFile::Role::operation}});
  for (const language::Diagnostic& d : loaded.errors) {
    ADD_FAILURE() << language::to_string(d);
  }
  return loaded.specs;
}

// Returns its operand, and does to what it observed whatever a test wants.
class Identical : public Executor {
 public:
  using Deed = std::function<void(const Tensor&, Observation*)>;
  explicit Identical(Deed deed) : deed_(std::move(deed)) {}

  Result<Identity> identify() override { return Identity{}; }
  Observation run(const Program&, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds) override {
    asked.push_back(inputs[0].sizes());
    types = expected;
    Observation o;
    o.outputs = {inputs[0].contiguous()};
    deed_(inputs[0], &o);
    return o;
  }

  std::vector<Shape> asked;
  std::vector<TensorType> types;

 private:
  Deed deed_;
};

void nothing(const Tensor&, Observation*) {}

bool is_alone(const Tensor& x) { return x.sizes()[0] == 1; }

// What was seen of a tensor of 4 rows by an executor that does `deed`.
Observation seen_of(Identical* executor, double element = 1) {
  const auto program = parse_program(
      "assay-program 1\n%0 = input f32[4, 1]\n%1 = aten.id.default(%0)\n"
      "return %1\n");
  EXPECT_TRUE(program.ok());
  Tensor x = Tensor::zeros(DType::f32, {4, 1});
  for (std::int64_t i = 0; i < 4; ++i) x.set_number(i, element);
  Observation o = executor->run(*program, {x}, {}, kAmple);
  ask_rows(specs(), *program, {x}, true, kAmple, *executor, &o);
  return o;
}

TEST(Rows, OneAloneIsAskedFor) {
  Identical steady(nothing);
  EXPECT_THAT(seen_of(&steady).breaches, IsEmpty());
  EXPECT_THAT(steady.asked, ElementsAre(Shape{4, 1}, Shape{1, 1}));
  EXPECT_THAT(steady.types,
              ElementsAre(TensorType::contiguous(DType::f32, {1, 1})));
}

TEST(Rows, OtherBitsAreABreach) {
  Identical other([](const Tensor& x, Observation* o) {
    if (!is_alone(x)) o->outputs[0].set_bits(2, 0x3f800001);
  });
  EXPECT_THAT(seen_of(&other).breaches,
              ElementsAre("D2: output 0, row 2 of dimension 0, element 0: "
                          "0x3f800001, and 0x3f800000 where the row is alone"));
}

TEST(Rows, AllNaNCountAsOne) {
  Identical other([](const Tensor& x, Observation* o) {
    if (!is_alone(x)) o->outputs[0].set_bits(2, 0xffc00001);
  });
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(seen_of(&other, nan).breaches, IsEmpty());
}

TEST(Rows, ARefusalOfOneAloneIsABreach) {
  Identical other([](const Tensor& x, Observation* o) {
    if (!is_alone(x)) return;
    o->kind = Kind::raised;
    o->error.exception = "ValueError";
  });
  EXPECT_THAT(seen_of(&other).breaches,
              ElementsAre("D2: row 2 alone raised ValueError"));
}

TEST(Rows, AnotherTypeIsABreach) {
  Identical other([](const Tensor& x, Observation* o) {
    if (is_alone(x)) o->outputs = {Tensor::zeros(DType::f32, {1})};
  });
  EXPECT_THAT(seen_of(&other).breaches,
              ElementsAre(HasSubstr("of another type for row 2 alone")));
}

TEST(Rows, ACrashOfOneAloneIsWhatWasSeen) {
  Identical other([](const Tensor& x, Observation* o) {
    if (!is_alone(x)) return;
    o->kind = Kind::crashed;
    o->detail = "killed by SIGFPE";
  });
  const Observation o = seen_of(&other);
  EXPECT_EQ(o.kind, Kind::crashed);
  EXPECT_EQ(o.detail, "one row alone: killed by SIGFPE");
}

TEST(Rows, WhatIsNotClaimedForOneRowPromisesNothing) {
  Identical other([](const Tensor& x, Observation* o) {
    if (is_alone(x)) o->kind = Kind::unsupported;
  });
  const Observation o = seen_of(&other);
  EXPECT_EQ(o.kind, Kind::returned);
  EXPECT_THAT(o.breaches, IsEmpty());
}

TEST(Rows, WhatDidNotReturnIsNotAskedAgain) {
  Identical other(
      [](const Tensor&, Observation* o) { o->breaches = {"P1: leaked"}; });
  seen_of(&other);
  EXPECT_THAT(other.asked, ElementsAre(Shape{4, 1}));
}

TEST(Rows, ArePromisedInSoManyWords) {
  EXPECT_FALSE(promises_rows({}));
  EXPECT_FALSE(promises_rows({{"promises", "values"}}));
  EXPECT_TRUE(promises_rows({{"promises", "values, errors, rows"}}));
  EXPECT_TRUE(promises_errors({{"promises", "values, errors, rows"}}));
  EXPECT_FALSE(promises_errors({{"promises", "values, rows"}}));
}

}  // namespace
}  // namespace assay::harness
