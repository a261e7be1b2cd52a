// A compiler of element-wise arithmetic, with the kit: enough for the level
// `elementwise`. An operation is a function of the call, which refuses what
// PyTorch refuses, and says in which type it computes and what an element
// becomes. pointwise.h has the usual kinds.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include "assay/kit/pointwise.h"
#include "assay/kit/product.h"

namespace {

namespace kit = assay::kit;
using assay::Arg;
using assay::DType;
using kit::in_common_type;
using kit::in_float_type;
using kit::Integer;
using kit::of_numbers;
using kit::predicate;

// Is it a number of the type, which may round? A negative one may wrap in u8.
bool is_held(const Arg& number, DType type) {
  if (const auto* x = std::get_if<double>(&number)) {
    return type == DType::f64 || !std::isfinite(*x) ||
           std::fabs(*x) <= std::numeric_limits<float>::max();
  }
  const auto* n = std::get_if<std::int64_t>(&number);
  if (n == nullptr || assay::is_float(type) || type == DType::boolean) {
    return true;
  }
  return assay::holds_integer(type, *n) ||
         (type == DType::u8 && -255 <= *n && *n < 0);
}

// a + kSign * alpha * b. The first promise that does not hold decides.
template <int kSign>
kit::Plan sum(const kit::Call& call) {
  const auto operands = call.operands<2>();
  const DType type = promote(operands);
  const Arg alpha = call.number("alpha", std::int64_t{1});
  if (kSign < 0 && (operands[0].dtype == DType::boolean ||
                    operands[1].dtype == DType::boolean)) {
    throw kit::Raised{"RuntimeError", "bool cannot be subtracted", "sub/E1"};
  }
  if (std::holds_alternative<double>(alpha) && !assay::is_float(type)) {
    throw kit::Raised{"RuntimeError", "alpha of integers is an integer"};
  }
  if (std::holds_alternative<bool>(alpha) && type != DType::boolean) {
    throw kit::Raised{"RuntimeError", "alpha of numbers is a number"};
  }
  if (!is_held(alpha, type)) {
    throw kit::Raised{"RuntimeError", "alpha is no number of the type"};
  }
  return elementwise(operands, type, type, [alpha](auto a, auto b) {
    using T = decltype(a);
    return a + T(kSign) * kit::number_as<T>(alpha) * b;
  });
}

kit::Plan where(const kit::Call& call) {
  const auto [condition, a, b] = call.operands<3>();
  if (condition.dtype != DType::boolean && condition.dtype != DType::u8) {
    throw kit::Raised{"RuntimeError", "a condition is bool", "where/E1"};
  }
  const DType type = promote(std::array{a, b});
  return elementwise(std::array{condition, a, b}, type, type,
                     [](auto c, auto x, auto y) { return c != 0 ? x : y; });
}

// Results are written row by row, so that a memory format asks for a rank
// alone.
bool has_format(const kit::Operand& x, const std::string& format) {
  const std::size_t rank = x.sizes.size();
  return format == "preserve_format" || format == "contiguous_format" ||
         (format == "channels_last" && rank == 4) ||
         (format == "channels_last_3d" && rank == 5);
}

kit::Plan to_copy(const kit::Call& call) {
  const kit::Operand x = call.operand(0);
  if (!has_format(x,
                  call.get<std::string>("memory_format", "preserve_format"))) {
    throw kit::Raised{"RuntimeError", "no format of this rank", "_to_copy/E1"};
  }
  return cast(x, call.get("dtype", x.dtype));
}

struct Magnitude {
  double operator()(double x) const { return std::fabs(x); }
  Integer operator()(Integer x) const { return x < 0 ? -x : x; }
};

// Of integers nothing: they are whole.
template <double (*kRound)(double)>
struct Whole {
  double operator()(double x) const { return kRound(x); }
  Integer operator()(Integer x) const { return x; }
};

const auto kEqual = kit::comparison<2>([](auto a, auto b) { return a == b; });
const auto kOther = kit::comparison<2>([](auto a, auto b) { return a != b; });
const auto kLess = kit::comparison<2>([](auto a, auto b) { return a < b; });
const auto kAtMost = kit::comparison<2>([](auto a, auto b) { return a <= b; });
const auto kMore = kit::comparison<2>([](auto a, auto b) { return a > b; });
const auto kAtLeast = kit::comparison<2>([](auto a, auto b) { return a >= b; });

const kit::Product kProduct = {
    "plugin_cpp",
    "1.0",
    "cpu",
    {
        {"aten.add.Tensor", sum<1>},
        {"aten.sub.Tensor", sum<-1>},
        {"aten.mul.Tensor",
         in_common_type<2>([](auto a, auto b) { return a * b; })},
        {"aten.div.Tensor",
         in_float_type<2>([](double a, double b) { return a / b; })},
        {"aten.reciprocal.default",
         in_float_type<1>([](double x) { return 1 / x; })},
        {"aten.sqrt.default",
         in_float_type<1>([](double x) { return std::sqrt(x); })},
        {"aten.neg.default", of_numbers<1>([](auto x) { return -x; })},
        {"aten.abs.default", of_numbers<1>(Magnitude())},
        {"aten.ceil.default", of_numbers<1>(Whole<std::ceil>())},
        {"aten.floor.default", of_numbers<1>(Whole<std::floor>())},
        {"aten.trunc.default", of_numbers<1>(Whole<std::trunc>())},
        {"aten.relu.default",
         of_numbers<1>([](auto x) { return x < 0 ? decltype(x)(0) : x; })},
        {"aten.sign.default", in_common_type<1>([](auto x) {
           return decltype(x)((x > 0) - (x < 0));
         })},
        // NaN, which differs from itself, prevails.
        {"aten.maximum.default", in_common_type<2>([](auto a, auto b) {
           return a != a || a > b ? a : b;
         })},
        {"aten.minimum.default", in_common_type<2>([](auto a, auto b) {
           return a != a || a < b ? a : b;
         })},
        {"aten.eq.Tensor", kEqual},
        {"aten.eq.Scalar", kEqual},
        {"aten.ne.Tensor", kOther},
        {"aten.ne.Scalar", kOther},
        {"aten.lt.Tensor", kLess},
        {"aten.lt.Scalar", kLess},
        {"aten.le.Tensor", kAtMost},
        {"aten.le.Scalar", kAtMost},
        {"aten.gt.Tensor", kMore},
        {"aten.gt.Scalar", kMore},
        {"aten.ge.Tensor", kAtLeast},
        {"aten.ge.Scalar", kAtLeast},
        {"aten.isnan.default", predicate([](double x) { return x != x; })},
        {"aten.isinf.default",
         predicate([](double x) { return std::isinf(x); })},
        {"aten.isfinite.default",
         predicate([](double x) { return std::isfinite(x); })},
        {"aten.signbit.default",
         predicate([](double x) { return std::signbit(x); })},
        {"aten.where.self", where},
        {"aten._to_copy.default", to_copy},
    }};

}  // namespace

ASSAY_KIT_PLUGIN(kProduct)
