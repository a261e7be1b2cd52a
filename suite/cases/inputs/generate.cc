#include "suite/cases/inputs/generate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "core/special_values.h"
#include "suite/cases/inputs/formula.h"
#include "suite/cases/inputs/layouts.h"
#include "suite/cases/inputs/random.h"
#include "suite/language/model/literal.h"

namespace assay::cases {
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

// The telling values of a generator, of each part of complex elements; empty if
// it has none.
Result<Bits> listed_values(const Operand& operand) {
  const language::Generator& g = *operand.data;
  const DType t = component(operand.dtype);
  if (g.kind == language::Generator::Kind::special) {
    return operand.brief ? brief_special_values(t) : special_values(t);
  }
  Bits bits;
  if (g.kind != language::Generator::Kind::values) return bits;
  for (const language::Literal& literal : g.values) {
    const Result<std::uint64_t> b = language::literal_bits(literal, t);
    if (!b) return b.error();
    bits.push_back(*b);
  }
  return bits;
}

Bits spread_values(const Operand& operand, const Bits& values) {
  const std::int64_t count = element_count(operand.sizes);
  const auto many = static_cast<std::int64_t>(values.size());
  Bits bits(static_cast<std::size_t>(count));
  const auto value = [&](std::int64_t n) {
    return values[static_cast<std::size_t>(n % many)];
  };
  if (operand.spread == Spread::sparse) {
    Random random(operand.seed);
    for (auto& b : bits) b = real_bits(operand.dtype, random.normal(), 0);
    const std::int64_t width = operand.sizes.empty() ? 1 : operand.sizes.back();
    const std::int64_t rows = width == 0 ? 0 : count / width;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t column =
          (row / many) % 2 == 0 ? row % width : width - 1;
      bits[static_cast<std::size_t>(row * width + column)] = value(row);
    }
    return bits;
  }
  const std::int64_t stride =
      operand.spread == Spread::cross ? operand.cross_stride : 1;
  for (std::int64_t n = 0; n < count; ++n) {
    bits[static_cast<std::size_t>(n)] = value(n / stride);
  }
  return bits;
}

// Element n of a generator of reals.
double real_element(const language::Generator& g, std::int64_t n,
                    std::int64_t count, Random* random) {
  switch (g.kind) {
    case language::Generator::Kind::uniform:
      return g.a + (g.b - g.a) * random->unit();
    case language::Generator::Kind::normal:
      return g.a + g.b * random->normal();
    case language::Generator::Kind::log_uniform: {
      const auto lo = static_cast<std::int64_t>(g.a);
      const auto hi = std::max(static_cast<std::int64_t>(g.b), lo + 1);
      const double sign = (random->next() & 1) ? -1 : 1;
      const auto exponent = static_cast<int>(random->between(lo, hi - 1));
      return sign * std::ldexp(1 + random->unit(), exponent);
    }
    case language::Generator::Kind::arange:
      return g.a + g.b * static_cast<double>(n);
    case language::Generator::Kind::linspace:
      if (count == 1) return g.a;
      return g.a + (g.b - g.a) * (static_cast<double>(n) /
                                  static_cast<double>(count - 1));
    case language::Generator::Kind::powers_of_two:
      return std::ldexp(1.0, static_cast<int>(g.a) + static_cast<int>(n));
    default:
      return 0;
  }
}

Result<double> formula_element(const language::Generator& g, const Shape& sizes,
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

Bits formula_bits(const Operand& operand) {
  Bits bits;
  const std::int64_t count = element_count(operand.sizes);
  for (std::int64_t n = 0; n < count; ++n) {
    const Result<double> v = formula_element(*operand.data, operand.sizes, n);
    bits.push_back(real_bits(operand.dtype, v ? *v : 0, 0));
  }
  return bits;
}

Bits integers(const Operand& operand) {
  const language::Generator& g = *operand.data;
  auto lo = static_cast<std::int64_t>(g.a);
  auto hi = static_cast<std::int64_t>(g.b);
  if (is_integer(operand.dtype)) {
    const auto greatest = static_cast<std::int64_t>(
        std::min(integer_max(operand.dtype), kMaxI64));
    lo = std::clamp(lo, integer_min(operand.dtype), greatest);
    hi = std::clamp(hi, lo, greatest);
  }
  Random random(operand.seed);
  Bits bits(static_cast<std::size_t>(element_count(operand.sizes)));
  for (auto& b : bits) b = integer_bits(operand.dtype, random.between(lo, hi));
  return bits;
}

Bits generate_logical(const Operand& operand) {
  const language::Generator& g = *operand.data;
  const std::int64_t count = element_count(operand.sizes);
  switch (g.kind) {
    case language::Generator::Kind::special:
    case language::Generator::Kind::values: {
      const Result<Bits> values = listed_values(operand);
      if (!values || values->empty()) return {};
      return spread_values(operand, *values);
    }
    case language::Generator::Kind::all_bits: {
      Bits bits(static_cast<std::size_t>(count));
      for (std::size_t n = 0; n < bits.size(); ++n) {
        bits[n] =
            n &
            (operand.dtype == DType::boolean ? 1 : width_mask(operand.dtype));
      }
      return bits;
    }
    case language::Generator::Kind::formula:
      return formula_bits(operand);
    case language::Generator::Kind::integers:
      return integers(operand);
    default: {
      Random random(operand.seed);
      const double middle =
          g.kind == language::Generator::Kind::uniform
              ? (g.a + g.b) / 2
              : (g.kind == language::Generator::Kind::normal ? g.a : 0);
      Bits bits(static_cast<std::size_t>(count));
      for (std::size_t n = 0; n < bits.size(); ++n) {
        const double v =
            real_element(g, static_cast<std::int64_t>(n), count, &random);
        bits[n] = real_bits(operand.dtype, v, middle);
      }
      return bits;
    }
  }
}

}  // namespace

Status check_operand(const Operand& operand) {
  const language::Generator& g = *operand.data;
  const Result<Bits> values = listed_values(operand);
  if (!values) return values.error();
  if (g.kind == language::Generator::Kind::values && values->empty()) {
    return Error{"`values` needs at least one value"};
  }
  if (g.kind == language::Generator::Kind::all_bits &&
      size_bytes(operand.dtype) > 2) {
    return Error{"all_bits is for 8- and 16-bit types, not " +
                 std::string(dtype_name(operand.dtype))};
  }
  if (g.kind == language::Generator::Kind::formula) {
    if (g.formula_index.size() != operand.sizes.size()) {
      return Error{"the formula names " +
                   std::to_string(g.formula_index.size()) +
                   " indices for a tensor of rank " +
                   std::to_string(operand.sizes.size())};
    }
    if (element_count(operand.sizes) > 0) {
      const Result<double> first = formula_element(g, operand.sizes, 0);
      if (!first) return first.error();
    }
  }
  for (const Poke& p : operand.pokes) {
    if (p.position < 0 || p.position >= element_count(operand.sizes)) {
      return Error{"no element " + std::to_string(p.position)};
    }
  }
  return success();
}

bool is_random(const Operand& operand) {
  if (element_count(operand.sizes) == 0) return false;
  const language::Generator& g = *operand.data;
  switch (g.kind) {
    case language::Generator::Kind::uniform:
    case language::Generator::Kind::normal:
    case language::Generator::Kind::log_uniform:
      return true;
    case language::Generator::Kind::integers:
      return g.a < g.b;
    case language::Generator::Kind::special:
    case language::Generator::Kind::values:
      return operand.spread == Spread::sparse;
    default:
      return false;
  }
}

std::vector<std::uint64_t> generate_bits(const Operand& operand) {
  if (is_complex(operand.dtype)) {
    Operand parts = operand;
    parts.dtype = component(operand.dtype);
    parts.sizes.push_back(2);
    return generate_bits(parts);
  }
  Bits bits = generate_logical(operand);
  for (auto& b : bits)
    b = language::neighbour(operand.dtype, b, operand.data->next);
  for (const Poke& p : operand.pokes) {
    bits[static_cast<std::size_t>(p.position)] =
        is_float(operand.dtype)
            ? *language::literal_bits(p.value, operand.dtype)
            : integer_bits(operand.dtype, p.value.integer);
  }
  return bits;
}

TensorType operand_type(const Operand& operand) {
  return layout_type(operand.dtype, operand.sizes, operand.layout);
}

Tensor generate(const Operand& operand) {
  return lay_out(operand.dtype, operand.sizes, operand.layout,
                 generate_bits(operand));
}

std::shared_ptr<const language::Generator> default_generator(DType of) {
  const DType t = component(of);
  const auto within_nine = [](language::Generator::Kind kind) {
    language::Generator g;
    g.kind = kind;
    g.a = -9;
    g.b = 9;
    return std::make_shared<const language::Generator>(g);
  };
  static const auto normal = std::make_shared<const language::Generator>();
  static const auto small = within_nine(language::Generator::Kind::integers);
  static const auto powers =
      within_nine(language::Generator::Kind::log_uniform);
  if (!is_float(t)) return small;
  return float_format(t).has_sign() ? normal : powers;
}

std::int64_t cross_size(const language::Generator& g, DType t, bool brief) {
  if (g.kind == language::Generator::Kind::values) {
    return static_cast<std::int64_t>(g.values.size());
  }
  if (g.kind != language::Generator::Kind::special) return 0;
  const DType part = component(t);
  const auto values = static_cast<std::int64_t>(
      (brief ? brief_special_values(part) : special_values(part)).size());
  // Complex elements take each value as either part.
  return is_complex(t) ? 2 * values : values;
}

}  // namespace assay::cases
