// Operators of static expressions on evaluated operands.
#ifndef ASSAY_SUITE_STATIC_OPERATORS_H_
#define ASSAY_SUITE_STATIC_OPERATORS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "suite/expr.h"
#include "suite/static_functions.h"

namespace assay {

// Thrown where an expression has no value; caught by evaluate_static, so that
// it never leaves this room.
struct EvaluationStop {
  std::string message;
};

// The number that an operand is: true is 1. `integer_of` of a double is
// nothing, even where it is whole; `whole_of` takes that too.
std::optional<double> number_of(const Operand& v);
std::optional<std::int64_t> integer_of(const Operand& v);
std::optional<std::int64_t> whole_of(const Operand& v);

bool equal_operands(const Operand& a, const Operand& b);
// `op` is one of < <= > >=.
bool ordered(const std::string& op, const Operand& a, const Operand& b);
// `e` is the operation, for its symbol and for messages. Integers stay
// integers, and what does not fit 64 bits stops the evaluation.
Operand negate(const Expr& e, const Operand& a);
Operand arithmetic(const Expr& e, const Operand& a, const Operand& b);

}  // namespace assay

#endif  // ASSAY_SUITE_STATIC_OPERATORS_H_
