#include "harness/fuzz/call_site.h"

#include <algorithm>
#include <utility>

#include "harness/fuzz/elements.h"
#include "harness/fuzz/generator.h"
#include "suite/language/bind/bind_program.h"

namespace assay::harness {
namespace {

// Works out the types of what was added.
std::optional<TypedDraft> typed(TypedDraft d, const language::SpecSet& specs) {
  const Candidate c = d.draft.candidate({d.draft.value(0)});
  Result<language::ProgramTypes> types =
      language::type_program(specs, program_of(c), inputs_of(c));
  if (!types || types->undecided) return std::nullopt;
  const auto large = [](const TensorType& t) {
    return element_count(t.sizes) > kMostElements;
  };
  if (std::any_of(types->types.begin(), types->types.end(), large)) {
    return std::nullopt;
  }
  d.types = std::move(types->types);
  d.refused = types->refused;
  return d;
}

// An operand's elements: those that its template declares, where a requirement
// reads them or now and then; else any.
GivenTensor drawn(cases::Operand operand, bool as_declared,
                  cases::Random* random) {
  GivenTensor g;
  g.dtype = operand.dtype;
  g.sizes = operand.sizes;
  g.layout = operand.layout;
  operand.seed = random->next();
  if (as_declared && check_operand(operand)) {
    g.bits = generate_bits(operand);
  } else {
    g.bits = draw_elements(g.dtype, g.sizes, random);
  }
  // Where elements share storage they are equal.
  g.bits = given_of(tensor_of(g)).bits;
  return g;
}

}  // namespace

std::optional<TypedDraft> with_call(const TypedDraft& from,
                                    const CallSite& site,
                                    const language::SpecSet& specs,
                                    cases::Random* random) {
  TypedDraft out = from;
  const auto operands = site.call.operands();
  const auto params = site.call.operand_params();
  std::vector<Arg> args;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    if (site.sources[n]) {
      args.emplace_back(*site.sources[n]);
      continue;
    }
    const bool as_declared = params[n]->elements_read || random->below(10) < 3;
    args.emplace_back(
        out.draft.add_given(drawn(*operands[n], as_declared, random)));
  }
  const ValueRef call = out.draft.add_node(call_node(site.call, args));
  const std::size_t outputs = cases::returned_tensors(site.call);
  for (std::size_t k = 1; k < outputs; ++k) {
    out.draft.add_node(
        {std::string(kGetitem), {call, static_cast<std::int64_t>(k)}, {}});
  }
  return typed(std::move(out), specs);
}

std::optional<TypedDraft> with_node(const TypedDraft& from, Node node,
                                    const language::SpecSet& specs) {
  TypedDraft out = from;
  out.draft.add_node(std::move(node));
  std::optional<TypedDraft> made = typed(std::move(out), specs);
  if (!made || !made->refused.empty()) return std::nullopt;
  return made;
}

}  // namespace assay::harness
