// One question to the oracle, and what was worked out for it so far.
#ifndef ASSAY_REFERENCE_ORACLE_SESSION_H_
#define ASSAY_REFERENCE_ORACLE_SESSION_H_

#include <map>
#include <optional>
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
  // Zeros in the place of the integers that the program draws and returns, as
  // far as it is planned: so its sizes and types are known before a subject
  // has drawn, and the judge asks again with what came back
  // (harness/judge/coherence.h). False where that changes nothing.
  bool stand_in_for_draws();
  // The elements of a value that only what is drawn keeps from being known.
  template <class N>
  std::optional<Tensor> elements_of_draws(Evaluator<N>* evaluator, int value,
                                          const TensorType& type) {
    if (is_float(type.dtype) || !stand_in_for_draws()) return std::nullopt;
    for (int v = program.first_node_id(); v <= value; ++v) {
      evaluator->release(v);
    }
    return evaluator->exact_elements(value, type);
  }
};

// Do the inputs fit the program, and does this thread compute as it must?
Status check(const Session& session);

// The precisions to try, in order.
std::vector<int> precision_ladder(const OracleOptions& options);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ORACLE_SESSION_H_
