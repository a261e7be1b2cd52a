// What a value of a nest is once definitions are written out where they are
// read, and what it is known to be.
#ifndef ASSAY_COMPILER_DERIVED_WRITTEN_OUT_H_
#define ASSAY_COMPILER_DERIVED_WRITTEN_OUT_H_

#include <optional>

#include "suite/language/nest/nest.h"

namespace assay::compiler {

// The element of a definition at the indices that are asked for here anyway is
// the definition itself, written out, unless that repeats a reduction. Of any
// other node: the node.
int written_out(const language::Nest& nest, int id);

// The number that a value is everywhere. Of several that are acceptable, the
// first.
std::optional<double> number_at(const language::Nest& nest, int id);

// It is NaN everywhere, or one infinity.
bool is_nan(const language::Nest& nest, int id);
bool is_infinite(const language::Nest& nest, int id);
// It is what `f` gives.
bool is_function(const language::Nest& nest, int id, language::Elementary f);
// Both are the same number, or the same element, of several acceptable answers
// the first.
bool is_same_value(const language::Nest& nest, int a, int b);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_WRITTEN_OUT_H_
