// The lowering table: one row per ATen operation, saying how its arguments
// are named, what it requires and how it becomes graph nodes.
#ifndef ASSAY_COMPILER_LOWERING_H_
#define ASSAY_COMPILER_LOWERING_H_

#include <span>
#include <string_view>

#include "compiler/builder.h"
#include "compiler/call.h"
#include "compiler/guard.h"

namespace assay::compiler {

using LowerFn = NodeId (*)(const Call&, Builder&);

struct LoweringRow {
  std::string_view aten;
  const char* spec;  // the file of specs/ops whose clauses its guards name
  std::string_view schema;  // see Call::bind
  GuardFn guard;
  LowerFn lower;
  // What of the operation is not supported, or null; no function: nothing.
  const char* (*unsupported)(const Call&) = nullptr;
};

// The rows of each lower_*.cc.
std::span<const LoweringRow> pointwise_rows();
std::span<const LoweringRow> activation_rows();
std::span<const LoweringRow> comparison_rows();
std::span<const LoweringRow> reduce_rows();
std::span<const LoweringRow> matmul_rows();
std::span<const LoweringRow> layout_rows();
std::span<const LoweringRow> network_rows();

// Null where the operation is not supported.
const LoweringRow* find_lowering(std::string_view aten);

// Argument i, a tensor or a Python number, as a value of dtype `t`.
NodeId operand(const Call& c, Builder& b, std::size_t i, DType t);

// `op` computed in opmath(t) on arguments converted to `t`; the result in
// `t`, or in bool for a predicate.
NodeId pointwise(const Call& c, Builder& b, ScalarOp op, DType t,
                 std::initializer_list<std::size_t> operands);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_LOWERING_H_
