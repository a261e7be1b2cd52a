// The operators and reductions of the expression language, which have names of
// their own beside the functions (functions.h).
#ifndef ASSAY_SUITE_LANGUAGE_FUNCTIONS_OPERATORS_H_
#define ASSAY_SUITE_LANGUAGE_FUNCTIONS_OPERATORS_H_

#include <optional>
#include <string_view>

#include "suite/language/functions/comparison.h"

namespace assay::language {

enum class Operator {
  add,
  sub,
  mul,
  div,
  floor_div,
  mod,
  neg,
  logical_not,
  logical_and,
  logical_or,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  in
};

// As specs write it; '-' is that of both sub and neg.
std::string_view spelling(Operator op);
// The binary operator with that spelling.
std::optional<Operator> find_binary_operator(std::string_view text);
std::optional<Comparison> comparison_of(Operator op);
// < <= > >=
bool orders(Operator op);

// `which` gives the index for which a condition holds.
enum class Reduction { sum, prod, max, min, mean, any, all, count, which };

std::string_view reduction_name(Reduction r);
std::optional<Reduction> find_reduction(std::string_view name);
// Is it any, all or count, which reduce truth values?
bool is_logical(Reduction r);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FUNCTIONS_OPERATORS_H_
