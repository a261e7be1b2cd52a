#include "suite/cases/case_program.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/writes.h"
#include "suite/cases/inputs/random.h"
#include "suite/cases/quota.h"

namespace assay::cases {
namespace {

std::int64_t count_elements(const Program& program) {
  std::int64_t elements = 0;
  for (const TensorType& t : program.inputs) {
    elements += element_count(t.sizes);
  }
  for (const Tensor& t : program.constants) elements += t.numel();
  return elements;
}

}  // namespace

std::vector<Tensor> generate_all(const std::vector<Operand>& inputs) {
  std::vector<Tensor> tensors;
  for (const Operand& o : inputs) tensors.push_back(generate(o));
  return tensors;
}

Case make_case(const CaseNames& names, CaseProgram made) {
  Case c;
  c.path = names.path;
  c.spec = names.spec;
  c.clause = names.clause;
  c.context = names.context;
  c.must_raise = names.must_raise;
  c.control = names.control;
  c.profile = Profile::full;
  // What changes an operand's sizes shifts the outputs of others in Inductor
  // (docs/findings.md#sizes-in-place).
  c.packable = c.must_raise.empty() && made.program.device == 0 &&
               count_elements(made.program) <= kPackableElements &&
               std::none_of(made.program.nodes.begin(),
                            made.program.nodes.end(), changes_metadata);
  c.program = std::move(made.program);
  const auto inputs =
      std::make_shared<const std::vector<Operand>>(std::move(made.inputs));
  c.make_inputs = [inputs] { return generate_all(*inputs); };
  if (std::any_of(inputs->begin(), inputs->end(), is_random)) {
    c.draw_inputs = [inputs](std::uint64_t salt) {
      std::vector<Operand> drawn = *inputs;
      for (Operand& o : drawn) o.seed = Random(o.seed ^ salt).next();
      return generate_all(drawn);
    };
  }
  return c;
}

}  // namespace assay::cases
