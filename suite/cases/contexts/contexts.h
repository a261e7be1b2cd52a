// Contexts: a call surrounded by other steps (specs/contexts.yaml).
#ifndef ASSAY_SUITE_CASES_CONTEXTS_CONTEXTS_H_
#define ASSAY_SUITE_CASES_CONTEXTS_CONTEXTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "suite/cases/case_program.h"
#include "suite/cases/valid/call.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// The call by itself.
CaseProgram alone(const Call& call);

// Does a step other than the call use the operand (or the call's result)?
bool uses_operand(const language::ContextSpec& context);
bool uses_result(const language::ContextSpec& context);
// Does it hold the operand in another dtype and cast it?
bool casts_operand(const language::ContextSpec& context);

// Is the call's own result among the outputs of a context that also reads it?
bool is_observer(const language::ContextSpec& context);

// Is it for calls that write, and does the call write into what the program has
// made?
bool makes_written_operand(const language::ContextSpec& context);

// Does it return a view of its first operand, perhaps, or a copy of one? Those
// are the operations that contexts with `views: true` are for.
bool is_about_views(const language::OpSpec& spec);
// Does a step other than the call write into a tensor?
bool writes_beside_call(const language::ContextSpec& context);

// May cases in it be of the standard profile? Those that ask a compiler of few
// operations for others of its own (to fill, to count, to write) are in the
// full one, and in the quick one by name.
bool is_standard(const language::ContextSpec& context);

// Is the call given anything other than in0's own elements?
bool changes_operand(const language::ContextSpec& context);
// Is that one number, which the program itself makes?
bool fills_operand(const language::ContextSpec& context);
// Does a requirement ask for elements of such an operand, or does it share
// storage with others?
bool reads_filled(const language::ContextSpec& context, const Call& call,
                  std::size_t in0);
// Are all operands drawn from distributions, rather than lists of telling
// values?
bool has_regular_inputs(const Call& call);

// "float", "int" or "bool".
std::string dtype_category(DType t);

// What a context's steps are like: who asks of many calls finds it out once.
struct ContextTraits {
  explicit ContextTraits(const language::ContextSpec& context);

  const language::ContextSpec* context;
  // As the functions above.
  bool uses_operand, casts_operand, changes_operand, writes_beside_call;
  bool has_constant;  // a captured tensor is an operand
  bool expands;       // a tensor
};

// May calls of the operation stand in it? Some contexts are for those that
// write, or that return views, some for all others.
bool is_for(const ContextTraits& traits, const language::OpSpec& spec);

// The operand that plays in0: `wanted` (an index into call.operands()) or the
// first of the category that the context is for. Nothing if none fits. 0 for a
// call without operands, which suits a context that reads its result alone.
std::optional<std::size_t> choose_operand(
    const ContextTraits& traits, const Call& call,
    std::optional<std::size_t> wanted = std::nullopt);

// The output of the call that the context's steps read: the first of the
// category that the context is for, where they read one and it is for one.
// `results` are the dtypes of the call's outputs. Nothing if none fits.
std::optional<std::size_t> choose_output(const language::ContextSpec& context,
                                         const std::vector<DType>& results);

// The call in the context, with operand `in0` and `output` as chosen; its
// other outputs are returned last. An error is a fault of the context.
Result<CaseProgram> apply_context(const language::ContextSpec& context,
                                  const Call& call, std::size_t in0,
                                  std::size_t output = 0);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_CONTEXTS_CONTEXTS_H_
