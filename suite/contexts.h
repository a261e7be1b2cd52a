// Contexts: a call put into company (specs/contexts.yaml).
#ifndef ASSAY_SUITE_CONTEXTS_H_
#define ASSAY_SUITE_CONTEXTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "suite/call_plan.h"
#include "suite/spec.h"

namespace assay {

// A program and how its inputs are made.
struct PlannedProgram {
  Program program;
  std::vector<OperandPlan> inputs;  // one per program input
  int call = 0;                     // value id of the call's own result
};

// The call by itself.
PlannedProgram alone(const CallPlan& plan);

// Does a step other than the call use the operand (or the call's result)?
bool uses_operand(const ContextSpec& context);
bool uses_result(const ContextSpec& context);
// Does it hold the operand in another dtype and cast it?
bool casts_operand(const ContextSpec& context);

// Is the call's own result among the outputs of a context that also reads it?
bool is_observer(const ContextSpec& context);

// Is what the call is given something else than in0's own elements?
bool changes_operand(const ContextSpec& context);
// Are all operands drawn from distributions, rather than lists of telling
// values?
bool has_regular_inputs(const CallPlan& plan);

// "float", "int" or "bool".
std::string dtype_category(DType t);

// The operand that plays in0: `wanted` (an index into plan.operands()) or the
// first of the category that the context is for. Nothing if none fits. 0 for a
// call without operands, which suits a context that reads its result alone.
std::optional<std::size_t> choose_operand(
    const ContextSpec& context, const CallPlan& plan,
    std::optional<std::size_t> wanted = std::nullopt);

// The output of the call that the context's steps read: the first of the
// category that the context is for, where they read one and it is for one.
// `results` are the dtypes of the call's outputs. Nothing if none fits.
std::optional<std::size_t> choose_output(const ContextSpec& context,
                                         const std::vector<DType>& results);

// The call in the context, with operand `in0` and `output` as chosen; its
// other outputs are returned last. An error is a fault of the context.
Result<PlannedProgram> apply_context(const ContextSpec& context,
                                     const CallPlan& plan, std::size_t in0,
                                     std::size_t output = 0);

// Segment of the path: the context's name, and the operand's where it is not
// the one that would be chosen by default.
std::string context_segment(const ContextSpec& context, const CallPlan& plan,
                            std::size_t in0);

}  // namespace assay

#endif  // ASSAY_SUITE_CONTEXTS_H_
