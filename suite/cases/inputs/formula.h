// Formulas of generators: arithmetic over an element's indices, in double.
#ifndef ASSAY_SUITE_CASES_INPUTS_FORMULA_H_
#define ASSAY_SUITE_CASES_INPUTS_FORMULA_H_

#include <map>
#include <string>

#include "core/result.h"
#include "suite/language/syntax/expr.h"

namespace assay::cases {

// Numbers, the given names, + - * / // % unary minus, comparisons (1 or 0),
// where, abs, min, max, floor, ceil, trunc, exp, log, log2, sqrt. `/` is
// division in double, so an input is what C computes from the formula.
Result<double> evaluate_formula(const language::Expr& e,
                                const std::map<std::string, double>& names);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_INPUTS_FORMULA_H_
