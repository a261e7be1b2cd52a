// One question to the oracle, and what was worked out for it so far.
#ifndef ASSAY_REFERENCE_SESSION_H_
#define ASSAY_REFERENCE_SESSION_H_

#include "reference/oracle.h"
#include "reference/planner.h"

namespace assay::reference {

struct Session {
  const Program& program;
  const std::vector<Tensor>& inputs;
  const SpecSet& specs;
  const OracleOptions& options;
  PlannedProgram planned;

  const NodePlan& plan_of(int value) const {
    return *planned.plans[static_cast<std::size_t>(value -
                                                   program.first_node_id())];
  }
  // Of an input or a constant.
  const Tensor& given(ValueRef v) const {
    const auto n = static_cast<std::size_t>(v.id);
    return program.is_input(v) ? inputs[n]
                               : program.constants[n - program.inputs.size()];
  }
};

// Do the inputs fit the program?
Status check_inputs(const Program& program, const std::vector<Tensor>& inputs);

// The precisions to try, in order.
std::vector<int> precision_ladder(const OracleOptions& options);

// Checks, plans, and judges every element at the first precision.
Status begin(Session& session, Golden* golden);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SESSION_H_
