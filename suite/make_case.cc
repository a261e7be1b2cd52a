#include "suite/make_case.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "suite/quota.h"

namespace assay {

Case make_case(const CaseNames& names, PlannedProgram planned) {
  Case c;
  c.path = names.path;
  c.spec = names.spec;
  c.clause = names.clause;
  c.context = names.context;
  c.must_raise = names.must_raise;
  c.control = names.control;
  c.quick = false;
  std::int64_t elements = 0;
  for (const TensorType& t : planned.program.inputs) {
    elements += element_count(t.sizes);
  }
  for (const Tensor& t : planned.program.constants) elements += t.numel();
  c.packable = c.must_raise.empty() && elements <= kPackableElements;
  c.program = std::move(planned.program);
  const auto plans = std::make_shared<const std::vector<OperandPlan>>(
      std::move(planned.inputs));
  c.make_inputs = [plans] {
    std::vector<Tensor> inputs;
    for (const OperandPlan& plan : *plans) inputs.push_back(generate(plan));
    return inputs;
  };
  return c;
}

}  // namespace assay
