// One question to the oracle, and what was worked out for it so far.
#ifndef ASSAY_REFERENCE_ORACLE_SESSION_H_
#define ASSAY_REFERENCE_ORACLE_SESSION_H_

#include <map>
#include <vector>

#include "reference/elements/evaluator.h"
#include "reference/oracle/oracle.h"
#include "reference/plan/planner.h"

namespace assay::reference {

// From this precision on a zero whose sign is still open is taken to be either
// zero: its magnitude is far below every format's smallest number.
inline constexpr int kSettlesZeroSigns = 1024;

std::vector<Tensor> all_given(const Program& program,
                              const std::vector<Tensor>& inputs);
std::map<int, Tensor> all_observed(const OracleOptions& options);

struct Session {
  const Program& program;
  const std::vector<Tensor>& inputs;
  const language::SpecSet& specs;
  const OracleOptions& options;
  PlannedProgram planned;
  // Inputs and constants, then what was observed, complex numbers as pairs.
  std::vector<Tensor> tensors = all_given(program, inputs);
  std::map<int, Tensor> observed = all_observed(options);

  const Nest& plan_of(int value) const {
    return *planned.plans[static_cast<std::size_t>(value -
                                                   program.first_node_id())];
  }
  // The session must outlive it.
  template <class N>
  Evaluator<N> evaluator(int bits) const {
    return Evaluator<N>(
        program, tensors, observed, planned,
        {options.numerics, options.elided_casts, bits >= kSettlesZeroSigns});
  }
  // Of an input or a constant.
  const Tensor& given(ValueRef v) const {
    return tensors[static_cast<std::size_t>(v.id)];
  }
};

// Do the inputs fit the program, and does this thread compute as it must?
Status check(const Session& session);

// The precisions to try, in order.
std::vector<int> precision_ladder(const OracleOptions& options);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ORACLE_SESSION_H_
