// Element types, layouts, elements.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "harness/reduce/passes.h"
#include "harness/reduce/weight.h"

namespace assay::harness {
namespace {

// Elements are changed one by one up to so many of a tensor.
constexpr std::size_t kSingly = 64;
// Ones of a significand are left out one by one up to so many.
constexpr int kBits = 12;

std::uint64_t converted(std::uint64_t bits, DType from, DType to) {
  if (is_float(from)) return encode_float(to, decode_float(from, bits));
  return static_cast<std::uint64_t>(integer_of_bits(from, bits)) &
         width_mask(to);
}

// All tensors of `before`, and arguments that name it where `arguments`.
Candidate with_dtype(const Candidate& from, DType before, DType after,
                     bool arguments) {
  Candidate c = from;
  for (std::size_t k = 0; k < c.inputs.size() + c.constants.size(); ++k) {
    GivenTensor& g = c.given(k);
    if (g.dtype != before) continue;
    g.dtype = after;
    for (std::uint64_t& bits : g.bits) bits = converted(bits, before, after);
  }
  if (!arguments) return c;
  const auto change = [&](Arg* arg) {
    if (auto* t = std::get_if<DType>(arg); t && *t == before) *t = after;
  };
  for (Node& node : c.nodes) {
    for (Arg& arg : node.args) change(&arg);
    for (auto& [name, arg] : node.kwargs) change(&arg);
  }
  return c;
}

std::set<DType> dtypes_of(const Candidate& c) {
  std::set<DType> out;
  for (const GivenTensor& g : c.inputs) out.insert(g.dtype);
  for (const GivenTensor& g : c.constants) out.insert(g.dtype);
  for (const Node& node : c.nodes) {
    for (const Arg& arg : node.args) {
      if (const auto* t = std::get_if<DType>(&arg)) out.insert(*t);
    }
    for (const auto& [name, arg] : node.kwargs) {
      if (const auto* t = std::get_if<DType>(&arg)) out.insert(*t);
    }
  }
  return out;
}

// The nearest number of `digits` significant bits toward zero.
double shortened(double x, int digits) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, digits)),
                    exponent - digits);
}

// Of a number that is finite and not zero: it scaled to [1, 2), its first and
// its last bit, and all but one of its bits.
std::vector<double> with_fewer_ones(double x) {
  const int exponent = std::ilogb(x);
  const double one = std::copysign(std::ldexp(1.0, exponent), x);
  std::vector<double> out = {std::ldexp(x, -exponent)};
  double rest = x - one;
  for (int k = 0; rest != 0 && k < kBits; ++k) {
    const double bit = std::copysign(std::ldexp(1.0, std::ilogb(rest)), rest);
    out.push_back(x - bit);
    rest -= bit;
    if (rest == 0) out.insert(out.begin() + 1, one + bit);
  }
  return out;
}

std::vector<std::uint64_t> simpler_floats(DType t, std::uint64_t bits) {
  std::vector<std::uint64_t> out;
  for (const double x : {0.0, 1.0, -1.0, 2.0, 0.5}) {
    out.push_back(encode_float(t, x));
  }
  if (is_nan_bits(t, bits)) {
    out.push_back(quiet_nan_bits(t));
  } else if (!is_inf_bits(t, bits)) {
    const double x = decode_float(t, bits);
    for (int digits = 1; digits < 53; digits += digits < 8 ? 1 : 4) {
      const double y = shortened(x, digits);
      out.push_back(encode_float(t, y));
      // Away from zero.
      const double up =
          std::ldexp(std::copysign(1.0, x), std::ilogb(x) - digits + 1);
      if (x != 0) out.push_back(encode_float(t, y + up));
    }
    if (x < 0) out.push_back(encode_float(t, -x));
    if (x != 0) {
      for (const double y : with_fewer_ones(x)) {
        out.push_back(encode_float(t, y));
      }
    }
  }
  return out;
}

std::vector<std::uint64_t> simpler_integers(DType t, std::uint64_t bits) {
  std::vector<std::uint64_t> out;
  const std::uint64_t mask = width_mask(t);
  for (const std::uint64_t v : {std::uint64_t{0}, std::uint64_t{1},
                                ~std::uint64_t{0}, std::uint64_t{2}}) {
    out.push_back(v & mask);
  }
  if (t == DType::boolean) return {0};
  const std::int64_t v = integer_of_bits(t, bits);
  for (const std::int64_t w : {v / 2, v / 16, v - v % 16, -v}) {
    out.push_back(static_cast<std::uint64_t>(w) & mask);
  }
  return out;
}

std::vector<std::uint64_t> simpler_elements(DType t, std::uint64_t bits) {
  std::vector<std::uint64_t> all =
      is_float(t) ? simpler_floats(t, bits) : simpler_integers(t, bits);
  std::vector<std::uint64_t> out;
  for (const std::uint64_t b : all) {
    if (complexity(t, b) < complexity(t, bits) &&
        std::find(out.begin(), out.end(), b) == out.end()) {
      out.push_back(b);
    }
  }
  std::stable_sort(out.begin(), out.end(), [t](auto a, auto b) {
    return complexity(t, a) < complexity(t, b);
  });
  return out;
}

}  // namespace

void offer_types(const PassInput& in, const Offer& offer) {
  const Candidate& from = in.from;
  for (std::size_t k = 0; k < from.inputs.size(); ++k) {
    if (from.inputs[k].layout == language::Layout::contiguous) continue;
    const bool done = offer([&] {
      Candidate c = from;
      c.inputs[k].layout = language::Layout::contiguous;
      return c;
    });
    if (done) return;
  }
  for (const DType before : dtypes_of(from)) {
    for (const DType after : {DType::f32, DType::f64, DType::i64, DType::i32}) {
      if (is_float(before) != is_float(after) || before == DType::boolean ||
          dtype_rank(after) >= dtype_rank(before)) {
        continue;
      }
      for (const bool arguments : {true, false}) {
        const bool done =
            offer([&] { return with_dtype(from, before, after, arguments); });
        if (done) return;
      }
    }
  }
}

void offer_elements(const PassInput& in, const Offer& offer) {
  const Candidate& from = in.from;
  const std::size_t tensors = from.inputs.size() + from.constants.size();
  // All of a tensor at once.
  for (std::size_t k = 0; k < tensors; ++k) {
    const DType t = from.given(k).dtype;
    for (std::size_t choice = 0; choice < 8; ++choice) {
      const bool done = offer([&] {
        Candidate c = from;
        for (std::uint64_t& bits : c.given(k).bits) {
          const auto simple = simpler_elements(t, bits);
          if (choice < simple.size()) bits = simple[choice];
        }
        return c;
      });
      if (done) return;
    }
  }
  for (std::size_t k = 0; k < tensors; ++k) {
    const GivenTensor& given = from.given(k);
    if (given.bits.size() > kSingly) continue;
    for (std::size_t i = 0; i < given.bits.size(); ++i) {
      for (const std::uint64_t b :
           simpler_elements(given.dtype, given.bits[i])) {
        const bool done = offer([&] {
          Candidate c = from;
          c.given(k).bits[i] = b;
          return c;
        });
        if (done) return;
      }
    }
  }
}

}  // namespace assay::harness
