// The call of the kernel in compiler/math that a contraction, a scan, a scatter
// or an order has: it knows the node's shape and the operands' strides.
#ifndef ASSAY_COMPILER_TEXT_CONTRACTION_TEXT_H_
#define ASSAY_COMPILER_TEXT_CONTRACTION_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/nest/nest.h"
#include "compiler/text/size.h"

namespace assay::compiler {

// How a dialect has such a node computed.
struct ContractionCall {
  std::vector<std::string_view> math;  // the files that it needs
  std::string function;
  std::string parameters;  // of the template, after the order
  std::string arguments;   // after the sizes
  // The work falls into so many parts, each of which can be computed apart:
  // the call's last arguments are `begin` and `end`, which the kernel has.
  // Without parts it has no such arguments.
  std::optional<std::int64_t> parts;
};

// By contract.inc alone, in the dialect's own function.
ContractionCall contraction_call(const GraphNode& n);

// The kernel's node over the operands as the functions of compiler/math take
// them: a column, which is the product of a matrix by a vector, as a row.
NodeKernel as_called(const NodeKernel& k);

// Statements that call the kernel. addresses: of each operand, and of the
// result; types: of their elements; size: writes a number that follows from the
// operands' sizes, given what it is.
std::vector<std::string> contraction_text(
    const NodeKernel& k, const ContractionCall& how,
    const std::vector<std::string>& addresses, const std::vector<DType>& types,
    const WriteSize& size);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CONTRACTION_TEXT_H_
