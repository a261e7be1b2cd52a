// From what a case group declares to a call plan: shapes from symbols, types
// from symbols, attributes and numbers by name.
#ifndef ASSAY_SUITE_PLAN_CALL_H_
#define ASSAY_SUITE_PLAN_CALL_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "suite/base_cases.h"
#include "suite/call_plan.h"
#include "suite/spec.h"

namespace assay {

struct CallRequest {
  const OpSpec& spec;
  const SymbolSizes& sizes;
  const std::map<std::string, Arg>& attrs;
  const std::map<std::string, Generator>& inputs;
  std::map<std::string, Arg> numbers;  // in place of tensors, by parameter
  std::map<std::string, DType> types;  // by symbol ("T", "T.1")
};

// An error names the symbol that has no size or no type here.
Result<CallPlan> plan_call(const CallRequest& request);

// A symbol of element types and the choices it has.
struct TypeAxis {
  std::string symbol;
  std::vector<DType> types;
};
// The symbols that decide types here: not those that follow another (unless
// `chosen` names them), not those whose every parameter is `replaced`.
std::vector<TypeAxis> type_axes(
    const OpSpec& spec, const std::map<std::string, std::vector<DType>>& chosen,
    const SymbolSizes& sizes, const std::set<std::string>& replaced);

// Fills in path and seeds from clause, plan and layout.
void finish_base_case(BaseCase* c);

// Why the case is not a valid input of its operation; empty if it is one.
std::string base_case_fault(const BaseCase& c);

}  // namespace assay

#endif  // ASSAY_SUITE_PLAN_CALL_H_
