// Comparisons of NaN, of zeros and of integers that f64 does not hold.
#include <cmath>

#include "core/float_bits.h"
#include "harness/faults/elements.h"

namespace assay::harness::faults {
namespace {

std::int64_t truth(bool b) { return b ? 1 : 0; }

// The negation of the opposite comparison.
std::int64_t less_of_negation(const Element& e) {
  return truth(!(e.number(0) >= e.number(1)));
}

// Bits compared: a NaN equals itself, and the zeros differ.
std::int64_t equal_bits(const Element& e) {
  return truth(e.bits(0) == e.bits(1));
}

std::int64_t equal_or_unordered(const Element& e) {
  const double a = e.number(0), b = e.number(1);
  return truth(!(a < b) && !(a > b));
}

std::int64_t ordered_unequal(const Element& e) {
  const double a = e.number(0), b = e.number(1);
  return truth(a < b || a > b);
}

std::int64_t equal_as_f32(const Element& e) {
  return truth(static_cast<float>(e.integer(0)) ==
               static_cast<float>(e.integer(1)));
}

}  // namespace

std::vector<Fault> comparison_faults() {
  const std::vector<std::string> pairs = {"*/f32/*", "*/bf16/*"};
  return {
      {.name = "LessThanNanIsTrue",
       .spec = "lt",
       .cases = pairs,
       .clauses = {"lt/A1"},
       .outputs = each_integer(less_of_negation)},
      {.name = "EqualToNanIsTrue",
       .spec = "eq",
       .cases = pairs,
       .clauses = {"eq/A1"},
       .outputs = each_integer(equal_or_unordered)},
      {.name = "EqualComparesBits",
       .spec = "eq",
       .cases = pairs,
       .clauses = {"eq/A1"},
       .outputs = each_integer(equal_bits)},
      {.name = "UnequalToNanIsFalse",
       .spec = "ne",
       .cases = pairs,
       .clauses = {"ne/A1"},
       .outputs = each_integer(ordered_unequal)},
      {.name = "EqualComparesIntegersAsF32",
       .spec = "eq",
       .cases = {"*/i32/*", "*/i64/*"},
       .clauses = {"eq/A1"},
       .outputs = each_integer(equal_as_f32)},
  };
}

}  // namespace assay::harness::faults
