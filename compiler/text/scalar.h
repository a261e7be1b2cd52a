// C++ text of scalars: types, literals, casts and operations.
#ifndef ASSAY_COMPILER_TEXT_SCALAR_H_
#define ASSAY_COMPILER_TEXT_SCALAR_H_

#include <string>
#include <vector>

#include "compiler/graph/scalar_op.h"

namespace assay::compiler {

// C++ type of a value in registers, and of an element in memory.
const char* value_type(DType t);
const char* storage_type(DType t);

// A literal of the value type.
std::string literal(DType t, std::uint64_t bits);

// Expression for a cast between dtypes (kit/cast_bits.h).
std::string cast_text(DType from, DType to, const std::string& v);

// Expression for an operation on operands of dtype `t`.
std::string apply_text(ScalarOp op, DType t,
                       const std::vector<std::string>& args);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_SCALAR_H_
