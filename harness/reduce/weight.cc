#include "harness/reduce/weight.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <variant>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "core/operands.h"

namespace assay::harness {
namespace {

// An argument that is there weighs more than the elements of its value can
// make up for: leaving one out is simpler than any other value of it.
constexpr std::uint64_t kArgument = 1'000;

std::uint64_t magnitude_complexity(std::uint64_t magnitude, bool negative) {
  if (magnitude <= 1) return magnitude + (negative ? 1 : 0);
  return 2 * static_cast<std::uint64_t>(std::bit_width(magnitude)) +
         static_cast<std::uint64_t>(std::popcount(magnitude)) +
         (negative ? 1 : 0);
}

std::uint64_t integer_complexity(std::int64_t v) {
  const auto bits = static_cast<std::uint64_t>(v);
  return magnitude_complexity(v < 0 ? 0 - bits : bits, v < 0);
}

std::uint64_t number_complexity(double x) {
  if (x == 0) return std::signbit(x) ? 2 : 0;
  if (x == 1) return 1;
  if (!std::isfinite(x)) return std::signbit(x) ? 4 : 3;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const auto ones = static_cast<std::uint64_t>(std::popcount(significand));
  const auto significant =
      static_cast<std::uint64_t>(53 - std::countr_zero(significand));
  // Among numbers of as many bits, those near 1 are the simpler ones.
  const auto scale = static_cast<std::uint64_t>(
      std::bit_width(static_cast<unsigned>(std::abs(exponent - 1))));
  return 8 * (significant + ones) + scale + (x < 0 ? 1 : 0);
}

}  // namespace

std::uint64_t complexity(DType t, std::uint64_t bits) {
  if (is_float(t)) {
    if (is_nan_bits(t, bits)) return bits == quiet_nan_bits(t) ? 5 : 6;
    return number_complexity(decode_float(t, bits));
  }
  if (!is_signed(t)) return magnitude_complexity(bits, false);
  return integer_complexity(integer_of_bits(t, bits));
}

std::uint64_t complexity(const Arg& arg) {
  struct Visitor {
    std::uint64_t operator()(None) const { return 0; }
    std::uint64_t operator()(ValueRef) const { return 0; }
    std::uint64_t operator()(bool v) const { return v ? 1 : 0; }
    std::uint64_t operator()(std::int64_t v) const {
      return integer_complexity(v);
    }
    std::uint64_t operator()(double v) const { return number_complexity(v); }
    std::uint64_t operator()(DType t) const { return dtype_rank(t); }
    std::uint64_t operator()(const std::string&) const { return 0; }
    std::uint64_t operator()(const Shape& v) const {
      std::uint64_t sum = v.size();
      for (const std::int64_t i : v) sum += integer_complexity(i);
      return sum;
    }
    std::uint64_t operator()(const std::vector<ValueRef>&) const { return 0; }
    std::uint64_t operator()(const Numbers& v) const {
      std::uint64_t sum = v.size();
      for (const double x : v) sum += number_complexity(x);
      return sum;
    }
  };
  return std::visit(Visitor{}, arg);
}

std::size_t dtype_rank(DType t) {
  switch (t) {
    case DType::f32:
    case DType::i64:
    case DType::boolean:
      return 0;
    case DType::f64:
    case DType::i32:
      return 1;
    case DType::f16:
    case DType::bf16:
    case DType::u8:
    case DType::i8:
    case DType::i16:
      return 2;
    default:
      return 3;
  }
}

Weight weigh(const Candidate& c, const std::vector<TensorType>& types) {
  Weight w;
  w.steps = count_steps(c);
  w.operands = c.inputs.size() + c.constants.size();
  w.outputs = c.outputs.size();
  w.constants = c.constants.size();
  for (std::size_t k = 0; k < w.operands; ++k) {
    const GivenTensor& g = c.given(k);
    w.elements += element_count(g.sizes);
    w.dimensions += g.sizes.size();
    w.dtypes += dtype_rank(g.dtype);
    w.layouts += g.layout == language::Layout::contiguous ? 0 : 1;
    for (const std::uint64_t bits : g.bits) {
      w.values += complexity(g.dtype, bits);
    }
  }
  for (const ValueRef v : c.outputs) {
    const auto n = static_cast<std::size_t>(v.id);
    if (n < types.size()) w.elements += element_count(types[n].sizes);
  }
  for (const Node& node : c.nodes) {
    w.reads += operands(node).size();
    const auto add = [&w](const Arg& arg) {
      if (!operands(arg).empty()) return;
      if (const auto* t = std::get_if<DType>(&arg)) w.dtypes += dtype_rank(*t);
      w.arguments += kArgument + complexity(arg);
    };
    for (const Arg& arg : node.args) add(arg);
    for (const auto& [name, arg] : node.kwargs) add(arg);
  }
  return w;
}

}  // namespace assay::harness
