// C++ text of scalars: types, literals, casts and operations.
#ifndef ASSAY_COMPILER_TEXT_SCALAR_H_
#define ASSAY_COMPILER_TEXT_SCALAR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/scalar_op.h"

namespace assay::compiler {

// C++ type of a value in registers, and of an element in memory.
const char* value_type(DType t);
const char* storage_type(DType t);

// A literal of the value type.
std::string literal(DType t, std::uint64_t bits);

// Is a cast one of a float to an integer of less than 64 bits?
bool narrows_float(DType from, DType to);
// Expression for a cast between dtypes (kit/cast_bits.h).
std::string cast_text(DType from, DType to, const std::string& v);

// Expression for an operation on operands of dtype `t`.
std::string apply_text(ScalarOp op, DType t,
                       const std::vector<std::string>& args);

// Expression for the maximum or minimum of `x` and a number of known bits that
// `limit` names, in one or two instructions where apply_text's takes seven.
// Empty where the operation is another, and where the number is NaN or the zero
// that a choice cannot tell from the other one.
std::string limit_text(ScalarOp op, DType t, const std::string& x,
                       const std::string& limit, std::uint64_t bits);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_SCALAR_H_
