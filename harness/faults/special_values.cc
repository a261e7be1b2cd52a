// NaN, infinities and signs of zero that are lost.
#include <cmath>
#include <functional>

#include "core/float_bits.h"
#include "harness/faults/elements.h"

namespace assay::harness::faults {
namespace {

double lost_nan_max(const Element& e) {
  return std::fmax(e.number(0), e.number(1));
}
double lost_nan_min(const Element& e) {
  return std::fmin(e.number(0), e.number(1));
}
double zero_minus(const Element& e) { return 0 - e.number(0); }

double sign_by_comparison(const Element& e) {
  const double a = std::fabs(e.number(0));
  return e.number(1) < 0 ? -a : a;
}

// Converted through an integer, which has one zero.
double round_loses_sign(const Element& e) {
  const double r = std::nearbyint(e.number(0));
  return r == 0 ? 0 : r;
}

double relu_by_comparison(const Element& e) {
  const double x = e.number(0);
  return x > 0 ? x : 0;
}

// Both branches weighted: NaN and infinity times zero is NaN.
double where_by_products(const Element& e) {
  const double c = e.number(0);
  return c * e.number(1) + (1 - c) * e.number(2);
}

// Only bits that are all clear are taken for zero.
std::int64_t not_of_bits(const Element& e) { return e.bits(0) == 0 ? 1 : 0; }

std::int64_t and_of_bits(const Element& e) {
  return e.bits(0) != 0 && e.bits(1) != 0 ? 1 : 0;
}

std::int64_t or_of_bits(const Element& e) {
  return e.bits(0) != 0 || e.bits(1) != 0 ? 1 : 0;
}

std::int64_t xor_of_bits(const Element& e) {
  return (e.bits(0) != 0) != (e.bits(1) != 0) ? 1 : 0;
}

// f16 is kept in f32, where what overflowed is finite.
template <class Wide>
OutputFault isinf_of_f32(Wide wide) {
  return [=](const Call& call, Outputs* outputs) {
    const auto operand = std::get<ValueRef>(call.node.args[0]);
    const Node& producer = call.program.node(operand);
    const auto value = [&](const Arg& arg) -> const Tensor& {
      const auto id = std::get<ValueRef>(arg).id;
      return call.values[static_cast<std::size_t>(id)];
    };
    const Tensor& a = value(producer.args.front());
    const Tensor& b = value(producer.args.back());
    Tensor& out = outputs->front();
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      const float result = wide(static_cast<float>(a.number(i)),
                                static_cast<float>(b.number(i)));
      out.set_integer(i, std::isinf(result) ? 1 : 0);
    }
  };
}

}  // namespace

std::vector<Fault> special_value_faults() {
  const std::vector<std::string> floats = {"*/f32/*", "*/f64/*", "*/f16/*",
                                           "*/bf16/*"};
  const std::vector<std::string> pairs = {"*/f32/*", "*/f16/*"};
  return {
      {.name = "MaximumSwallowsNan",
       .spec = "maximum",
       .cases = pairs,
       .clauses = {"maximum/A1"},
       .outputs = each(lost_nan_max)},
      {.name = "MinimumSwallowsNan",
       .spec = "minimum",
       .cases = pairs,
       .clauses = {"minimum/A1"},
       .outputs = each(lost_nan_min)},
      {.name = "NegLosesSignOfZero",
       .spec = "neg",
       .cases = floats,
       .clauses = {"neg/A1"},
       .outputs = each(zero_minus)},
      {.name = "CopysignIgnoresNegativeZero",
       .spec = "copysign",
       .cases = pairs,
       .clauses = {"copysign/A1"},
       .outputs = each(sign_by_comparison)},
      {.name = "RoundLosesSignOfZero",
       .spec = "round",
       .cases = floats,
       .clauses = {"round/A1"},
       .outputs = each(round_loses_sign)},
      {.name = "ReluSwallowsNan",
       .spec = "relu",
       .cases = floats,
       .clauses = {"relu/A1"},
       .outputs = each(relu_by_comparison)},
      {.name = "WhereEvaluatesBothBranches",
       .spec = "where",
       .cases = {"C3/*"},
       .clauses = {"where/A1"},
       .outputs = each(where_by_products)},
      {.name = "LogicalNotOfNegativeZero",
       .spec = "logical_not",
       .clauses = {"logical_not/A1"},
       .outputs = each_integer(not_of_bits)},
      {.name = "LogicalAndOfNegativeZero",
       .spec = "logical_and",
       .clauses = {"logical_and/A1"},
       .outputs = each_integer(and_of_bits)},
      {.name = "LogicalOrOfNegativeZero",
       .spec = "logical_or",
       .clauses = {"logical_or/A1"},
       .outputs = each_integer(or_of_bits)},
      {.name = "LogicalXorOfNegativeZero",
       .spec = "logical_xor",
       .clauses = {"logical_xor/A1"},
       .outputs = each_integer(xor_of_bits)},
      {.name = "IsinfOfExponentialKeptWide",
       .spec = "f16_overflow_seen_unary",
       .op = "aten.isinf.default",
       .cases = {"aten.exp.default/*"},
       .clauses = {"isinf/A1"},
       .outputs = isinf_of_f32([](float a, float) { return std::exp(a); })},
      {.name = "IsinfOfProductKeptWide",
       .spec = "f16_overflow_seen",
       .op = "aten.isinf.default",
       .cases = {"aten.mul.Tensor/*"},
       .clauses = {"isinf/A1"},
       .outputs = isinf_of_f32(std::multiplies<float>())},
      {.name = "IsinfOfSumKeptWide",
       .spec = "f16_overflow_seen",
       .op = "aten.isinf.default",
       .cases = {"aten.add.Tensor/*"},
       .clauses = {"isinf/A1"},
       .outputs = isinf_of_f32(std::plus<float>())},
  };
}

}  // namespace assay::harness::faults
