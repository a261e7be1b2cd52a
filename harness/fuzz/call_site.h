// A call that is being fitted into a program: its operands are values that are
// there already, or inputs yet to be drawn.
#ifndef ASSAY_HARNESS_FUZZ_CALL_SITE_H_
#define ASSAY_HARNESS_FUZZ_CALL_SITE_H_

#include <optional>
#include <string>
#include <vector>

#include "harness/fuzz/draft.h"
#include "suite/cases/inputs/random.h"
#include "suite/cases/valid/call.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

struct CallSite {
  cases::Call call;
  // The value that each operand of the call is; nothing: it is drawn.
  std::vector<std::optional<ValueRef>> sources;
};

// A draft whose calls all bind, with the types of its values by position.
struct TypedDraft {
  Draft draft;
  std::vector<TensorType> types;
  std::string refused;  // the promise that refuses its last call, or empty

  const TensorType& type(ValueRef v) const { return types[draft.position(v)]; }
};

// With the call behind it, inputs drawn. Nothing where that is no program,
// where whether it is refused hangs on elements that the program computes, or
// where a result is too large.
std::optional<TypedDraft> with_call(const TypedDraft& from,
                                    const CallSite& site,
                                    const language::SpecSet& specs,
                                    cases::Random* random);

// The same with one more node, which is no further output.
std::optional<TypedDraft> with_node(const TypedDraft& from, Node node,
                                    const language::SpecSet& specs);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_CALL_SITE_H_
