// From the nest to the C++ text of one shared object: header-free, one static
// function per kernel and one entry that runs them.
#ifndef ASSAY_COMPILER_RENDER_H_
#define ASSAY_COMPILER_RENDER_H_

#include <optional>
#include <string>

#include "compiler/defects.h"
#include "compiler/nest.h"

namespace assay::compiler {

// The entry: extern "C" void assay_run(void* const* buffers), one pointer per
// buffer of the nest, to its first element.
inline constexpr const char* kEntryName = "assay_run";

std::string render(const Nest& nest, std::optional<Defect> defect = {});

// C++ type of a value in registers, and of an element in memory.
const char* value_type(DType t);
const char* storage_type(DType t);

// A literal of the value type.
std::string literal(DType t, std::uint64_t bits);

// Expression for a cast between dtypes (see cast_bits).
std::string cast_text(DType from, DType to, const std::string& v);

// Expression for an operation on operands of dtype `t`.
std::string apply_text(ScalarOp op, DType t,
                       const std::vector<std::string>& args);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_RENDER_H_
