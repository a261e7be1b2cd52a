// The nests of a program's nodes: calls bound to specs and compiled, and the
// first broken promise.
#ifndef ASSAY_REFERENCE_PLAN_PLANNER_H_
#define ASSAY_REFERENCE_PLAN_PLANNER_H_

#include <functional>
#include <map>
#include <optional>

#include "core/result.h"
#include "reference/plan/planned.h"

namespace assay::reference {

// Elements of a value computed so far, if each is one number or NaN.
using ExactElements =
    std::function<std::optional<Tensor>(int value, const TensorType& type)>;

// Fills `out` node by node; `elements` may use the nests made so far. An error
// is no verdict on the program: an unknown operation, a call that no schema
// takes, a fault in a spec.
Status plan_program(const Program& program, const std::vector<Tensor>& inputs,
                    const language::SpecSet& specs,
                    const std::map<int, Tensor>& observed,
                    const ExactElements& elements, PlannedProgram* out);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_PLAN_PLANNER_H_
