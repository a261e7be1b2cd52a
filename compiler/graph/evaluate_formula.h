// A formula's elements, one by one, for the interpreters.
#ifndef ASSAY_COMPILER_GRAPH_EVALUATE_FORMULA_H_
#define ASSAY_COMPILER_GRAPH_EVALUATE_FORMULA_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/graph/formula.h"

namespace assay::compiler {

// The element of operand `n` at `index`, which is in range.
using LoadElement =
    std::function<std::uint64_t(std::size_t n, const Shape& index)>;

// The element at `index` of a formula's result. Operands have these sizes.
std::uint64_t evaluate(const Formula& formula, const Shape& index,
                       const std::vector<Shape>& operand_sizes,
                       const LoadElement& load);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_EVALUATE_FORMULA_H_
