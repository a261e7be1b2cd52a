// What the parts of a static expression evaluate to, and its operators.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_OPERAND_H_
#define ASSAY_SUITE_LANGUAGE_BIND_OPERAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "suite/language/bind/binding.h"
#include "suite/language/syntax/expr.h"

namespace assay::language {

// Thrown where an expression has no value; caught by evaluate_static, so that
// it never leaves this room.
struct EvaluationStop {
  std::string message;
};

// A static value, or a tensor, list of tensors or of fractions of the call.
using Operand = std::variant<None, bool, std::int64_t, double, DType,
                             std::string, Shape, const TensorArg*,
                             const std::vector<TensorArg>*, const Numbers*>;

// "the integer 3", "the shape [2, 3]": for messages.
std::string describe(const Operand& value);

// The number that an operand is: true is 1. `integer_of` gives nothing for a
// double, even a whole one; `whole_of` accepts whole doubles too.
std::optional<double> number_of(const Operand& v);
std::optional<std::int64_t> integer_of(const Operand& v);
std::optional<std::int64_t> whole_of(const Operand& v);

bool equal_operands(const Operand& a, const Operand& b);
// `op` is one of < <= > >=.
bool ordered(Operator op, const Operand& a, const Operand& b);
// Integers stay integers, and what does not fit 64 bits stops the evaluation.
// `e` is the whole expression, for messages.
Operand negate(const Operand& a, const Expr& e);
Operand arithmetic(Operator op, const Operand& a, const Operand& b,
                   const Expr& e);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_OPERAND_H_
