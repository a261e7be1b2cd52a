#include "suite/generate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "suite/formula.h"
#include "suite/layouts.h"
#include "suite/literal.h"
#include "suite/random.h"
#include "suite/special.h"

namespace assay {
namespace {

using Bits = std::vector<std::uint64_t>;

constexpr std::uint64_t kMaxI64 = std::numeric_limits<std::int64_t>::max();

std::uint64_t integer_bits(DType t, std::int64_t v) {
  if (is_float(t)) return encode_float(t, static_cast<double>(v));
  if (t == DType::boolean) return static_cast<std::uint64_t>(v) & 1;
  return static_cast<std::uint64_t>(v) & width_mask(t);
}

// A real number as an element. Integers: rounded, brought into range, and
// without sign where the dtype has none, so that a float distribution remains
// one of varied values. Bools: which side of `middle`.
std::uint64_t real_bits(DType t, double v, double middle) {
  if (is_float(t)) return encode_float(t, v);
  if (t == DType::boolean) return v > middle ? 1 : 0;
  double whole = std::floor(v + 0.5);
  if (!is_signed(t)) whole = std::fabs(whole);
  if (whole >= static_cast<double>(integer_max(t))) return integer_max(t);
  if (whole <= static_cast<double>(integer_min(t))) {
    return integer_bits(t, integer_min(t));
  }
  if (whole > 0) return static_cast<std::uint64_t>(whole);
  return integer_bits(t, static_cast<std::int64_t>(whole));
}

// The telling values of a generator, empty if it has none.
Result<Bits> listed_values(const OperandPlan& plan) {
  const Generator& g = *plan.data;
  if (g.kind == Generator::Kind::special) {
    return plan.brief ? brief_special_values(plan.dtype)
                      : special_values(plan.dtype);
  }
  Bits bits;
  if (g.kind != Generator::Kind::values) return bits;
  for (const Literal& literal : g.values) {
    const Result<std::uint64_t> b = literal_bits(literal, plan.dtype);
    if (!b) return b.error();
    bits.push_back(*b);
  }
  return bits;
}

Bits spread_values(const OperandPlan& plan, const Bits& values) {
  const std::int64_t count = element_count(plan.sizes);
  const auto many = static_cast<std::int64_t>(values.size());
  Bits bits(static_cast<std::size_t>(count));
  const auto value = [&](std::int64_t n) {
    return values[static_cast<std::size_t>(n % many)];
  };
  if (plan.spread == Spread::sparse) {
    Random random(plan.seed);
    for (auto& b : bits) b = real_bits(plan.dtype, random.normal(), 0);
    const std::int64_t width = plan.sizes.empty() ? 1 : plan.sizes.back();
    const std::int64_t rows = width == 0 ? 0 : count / width;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t column =
          (row / many) % 2 == 0 ? row % width : width - 1;
      bits[static_cast<std::size_t>(row * width + column)] = value(row);
    }
    return bits;
  }
  const std::int64_t stride =
      plan.spread == Spread::cross ? plan.cross_stride : 1;
  for (std::int64_t n = 0; n < count; ++n) {
    bits[static_cast<std::size_t>(n)] = value(n / stride);
  }
  return bits;
}

// Element n of a generator of reals.
double real_element(const Generator& g, std::int64_t n, std::int64_t count,
                    Random* random) {
  switch (g.kind) {
    case Generator::Kind::uniform:
      return g.a + (g.b - g.a) * random->unit();
    case Generator::Kind::normal:
      return g.a + g.b * random->normal();
    case Generator::Kind::log_uniform: {
      const auto lo = static_cast<std::int64_t>(g.a);
      const auto hi = std::max(static_cast<std::int64_t>(g.b), lo + 1);
      const double sign = (random->next() & 1) ? -1 : 1;
      const auto exponent = static_cast<int>(random->between(lo, hi - 1));
      return sign * std::ldexp(1 + random->unit(), exponent);
    }
    case Generator::Kind::arange:
      return g.a + g.b * static_cast<double>(n);
    case Generator::Kind::linspace:
      if (count == 1) return g.a;
      return g.a + (g.b - g.a) * (static_cast<double>(n) /
                                  static_cast<double>(count - 1));
    case Generator::Kind::powers_of_two:
      return std::ldexp(1.0, static_cast<int>(g.a) + static_cast<int>(n));
    default:
      return 0;
  }
}

Result<double> formula_element(const Generator& g, const Shape& sizes,
                               std::int64_t n) {
  std::map<std::string, double> names;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (d < g.formula_index.size()) {
      names[g.formula_index[d]] = static_cast<double>(n % sizes[d]);
    }
    n /= sizes[d];
  }
  return evaluate_formula(*g.formula, names);
}

Bits formula_bits(const OperandPlan& plan) {
  Bits bits;
  const std::int64_t count = element_count(plan.sizes);
  for (std::int64_t n = 0; n < count; ++n) {
    const Result<double> v = formula_element(*plan.data, plan.sizes, n);
    bits.push_back(real_bits(plan.dtype, v ? *v : 0, 0));
  }
  return bits;
}

Bits integers(const OperandPlan& plan) {
  const Generator& g = *plan.data;
  auto lo = static_cast<std::int64_t>(g.a);
  auto hi = static_cast<std::int64_t>(g.b);
  if (is_integer(plan.dtype)) {
    const auto greatest =
        static_cast<std::int64_t>(std::min(integer_max(plan.dtype), kMaxI64));
    lo = std::clamp(lo, integer_min(plan.dtype), greatest);
    hi = std::clamp(hi, lo, greatest);
  }
  Random random(plan.seed);
  Bits bits(static_cast<std::size_t>(element_count(plan.sizes)));
  for (auto& b : bits) b = integer_bits(plan.dtype, random.between(lo, hi));
  return bits;
}

Bits generate_logical(const OperandPlan& plan) {
  const Generator& g = *plan.data;
  const std::int64_t count = element_count(plan.sizes);
  switch (g.kind) {
    case Generator::Kind::special:
    case Generator::Kind::values: {
      const Result<Bits> values = listed_values(plan);
      if (!values || values->empty()) return {};
      return spread_values(plan, *values);
    }
    case Generator::Kind::all_bits: {
      Bits bits(static_cast<std::size_t>(count));
      for (std::size_t n = 0; n < bits.size(); ++n) {
        bits[n] =
            n & (plan.dtype == DType::boolean ? 1 : width_mask(plan.dtype));
      }
      return bits;
    }
    case Generator::Kind::formula:
      return formula_bits(plan);
    case Generator::Kind::integers:
      return integers(plan);
    default: {
      Random random(plan.seed);
      const double middle = g.kind == Generator::Kind::uniform
                                ? (g.a + g.b) / 2
                                : (g.kind == Generator::Kind::normal ? g.a : 0);
      Bits bits(static_cast<std::size_t>(count));
      for (std::size_t n = 0; n < bits.size(); ++n) {
        const double v =
            real_element(g, static_cast<std::int64_t>(n), count, &random);
        bits[n] = real_bits(plan.dtype, v, middle);
      }
      return bits;
    }
  }
}

}  // namespace

Status check_plan(const OperandPlan& plan) {
  const Generator& g = *plan.data;
  const Result<Bits> values = listed_values(plan);
  if (!values) return values.error();
  if (g.kind == Generator::Kind::values && values->empty()) {
    return Error{"`values` needs at least one value"};
  }
  if (g.kind == Generator::Kind::all_bits && size_bytes(plan.dtype) > 2) {
    return Error{"all_bits is for 8- and 16-bit types, not " +
                 std::string(dtype_name(plan.dtype))};
  }
  if (g.kind == Generator::Kind::formula) {
    if (g.formula_index.size() != plan.sizes.size()) {
      return Error{
          "the formula names " + std::to_string(g.formula_index.size()) +
          " indices for a tensor of rank " + std::to_string(plan.sizes.size())};
    }
    if (element_count(plan.sizes) > 0) {
      const Result<double> first = formula_element(g, plan.sizes, 0);
      if (!first) return first.error();
    }
  }
  for (const Poke& p : plan.pokes) {
    if (p.position < 0 || p.position >= element_count(plan.sizes)) {
      return Error{"no element " + std::to_string(p.position)};
    }
  }
  return success();
}

std::vector<std::uint64_t> generate_bits(const OperandPlan& plan) {
  Bits bits = generate_logical(plan);
  for (auto& b : bits) b = neighbour(plan.dtype, b, plan.data->next);
  for (const Poke& p : plan.pokes) {
    bits[static_cast<std::size_t>(p.position)] =
        is_float(plan.dtype) ? *literal_bits(p.value, plan.dtype)
                             : integer_bits(plan.dtype, p.value.integer);
  }
  return bits;
}

TensorType plan_type(const OperandPlan& plan) {
  return layout_type(plan.dtype, plan.sizes, plan.layout);
}

Tensor generate(const OperandPlan& plan) {
  return lay_out(plan.dtype, plan.sizes, plan.layout, generate_bits(plan));
}

std::shared_ptr<const Generator> default_generator(DType t) {
  const auto within_nine = [](Generator::Kind kind) {
    Generator g;
    g.kind = kind;
    g.a = -9;
    g.b = 9;
    return std::make_shared<const Generator>(g);
  };
  static const auto normal = std::make_shared<const Generator>();
  static const auto small = within_nine(Generator::Kind::integers);
  static const auto powers = within_nine(Generator::Kind::log_uniform);
  if (!is_float(t)) return small;
  return float_format(t).has_sign() ? normal : powers;
}

std::int64_t cross_size(const Generator& g, DType t, bool brief) {
  if (g.kind == Generator::Kind::values) {
    return static_cast<std::int64_t>(g.values.size());
  }
  if (g.kind != Generator::Kind::special) return 0;
  return static_cast<std::int64_t>(
      (brief ? brief_special_values(t) : special_values(t)).size());
}

}  // namespace assay
