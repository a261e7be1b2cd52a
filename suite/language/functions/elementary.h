// The elementary functions: real functions of one real number. What stands here
// is mathematics; reference/numbers evaluates them. A new one is a line of the
// enum and a row of the table, in the same order.
#ifndef ASSAY_SUITE_LANGUAGE_FUNCTIONS_ELEMENTARY_H_
#define ASSAY_SUITE_LANGUAGE_FUNCTIONS_ELEMENTARY_H_

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

namespace assay::language {

enum class Elementary {
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sqrt,
  cbrt,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  asin,
  acos,
  atan,
  erf,
  erfc,
  sin,
  cos,
  tan,
  lgamma,
  tgamma,
  exp10
};

// Where a function is defined, ends included; it is NaN elsewhere.
struct Domain {
  double least, greatest;
};

struct ElementaryFunction {
  // Strictly monotonic on its domain (of |x| where it is even), or one of two
  // families: sin, cos and tan, NaN at the infinities; lgamma and tgamma, whose
  // poles are the integers from zero down.
  enum class Course { rises, falls, periodic, gamma };
  enum class Symmetry { none, odd, even };

  std::string_view name;
  Course course;
  Symmetry symmetry;
  Domain domain;
};

namespace elementary {

using enum ElementaryFunction::Course;
using enum ElementaryFunction::Symmetry;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr Domain kAll = {-kInf, kInf};
inline constexpr Domain kNonnegative = {-0.0, kInf};
inline constexpr Domain kUnit = {-1, 1};

inline constexpr auto kTable = std::to_array<ElementaryFunction>({
    {"exp", rises, none, kAll},          {"exp2", rises, none, kAll},
    {"expm1", rises, none, kAll},        {"log", rises, none, kNonnegative},
    {"log2", rises, none, kNonnegative}, {"log10", rises, none, kNonnegative},
    {"log1p", rises, none, {-1, kInf}},  {"sqrt", rises, none, kNonnegative},
    {"cbrt", rises, odd, kAll},          {"sinh", rises, odd, kAll},
    {"cosh", rises, even, kAll},         {"tanh", rises, odd, kAll},
    {"asinh", rises, odd, kAll},         {"acosh", rises, none, {1, kInf}},
    {"atanh", rises, odd, kUnit},        {"asin", rises, odd, kUnit},
    {"acos", falls, none, kUnit},        {"atan", rises, odd, kAll},
    {"erf", rises, odd, kAll},           {"erfc", falls, none, kAll},
    {"sin", periodic, odd, kAll},        {"cos", periodic, even, kAll},
    {"tan", periodic, odd, kAll},        {"lgamma", gamma, none, kAll},
    {"tgamma", gamma, none, kAll},       {"exp10", rises, none, kAll},
});

}  // namespace elementary

inline constexpr int kElementaryFunctions =
    static_cast<int>(elementary::kTable.size());

constexpr const ElementaryFunction& describe(Elementary f) {
  return elementary::kTable[static_cast<std::size_t>(f)];
}
constexpr std::string_view elementary_name(Elementary f) {
  return describe(f).name;
}
constexpr Domain domain(Elementary f) { return describe(f).domain; }
constexpr bool is_rising(Elementary f) {
  return describe(f).course == ElementaryFunction::Course::rises;
}
constexpr bool is_periodic(Elementary f) {
  return describe(f).course == ElementaryFunction::Course::periodic;
}
constexpr bool is_gamma(Elementary f) {
  return describe(f).course == ElementaryFunction::Course::gamma;
}
constexpr bool is_even(Elementary f) {
  return describe(f).symmetry == ElementaryFunction::Symmetry::even;
}

std::optional<Elementary> find_elementary(std::string_view name);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FUNCTIONS_ELEMENTARY_H_
