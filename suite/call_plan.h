// A call as the suite plans it: each parameter's argument, tensors as plans
// of their contents. Valid cases, invalid ones and cases in company are all
// made from call plans.
#ifndef ASSAY_SUITE_CALL_PLAN_H_
#define ASSAY_SUITE_CALL_PLAN_H_

#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "suite/bind.h"
#include "suite/generate.h"
#include "suite/spec.h"

namespace assay {

// Left out, a plain argument (a Python number in a tensor's place included), a
// tensor, or a list of tensors.
using ArgPlan =
    std::variant<std::monostate, Arg, OperandPlan, std::vector<OperandPlan>>;

struct CallPlan {
  const OpSpec* spec = nullptr;
  std::vector<ArgPlan> args;  // one per parameter

  // Tensor operands in order of parameters, list members one by one.
  std::vector<const OperandPlan*> operands() const;
  std::vector<OperandPlan*> operands();
  // Parameter of each of them, "tensors.1" for members of a list.
  std::vector<std::string> operand_names() const;
  // That parameter itself.
  std::vector<const Param*> operand_params() const;

  const ArgPlan& arg(const std::string& param) const;
  ArgPlan& arg(const std::string& param);
  std::int64_t numel() const;  // of all operands
};

// The call, with these values as its operands (a Python number may stand for
// one). Requires one per operand.
Node call_node(const CallPlan& plan, const std::vector<Arg>& operands);

// One program input per operand and the call's result as the only output.
Program call_program(const CallPlan& plan);

// Segments of a case's path: "f32" or "f16-f32"; "2x3_3x4", "0d";
// "dim=1,keepdim=true" (what differs from the defaults), empty if nothing.
std::string dtype_segment(const CallPlan& plan);
std::string shape_segment(const CallPlan& plan);
std::string attr_segment(const CallPlan& plan);

// Sets the operands' seeds from a path.
void seed_operands(const std::string& stem, CallPlan* plan);

// The call bound to its spec. Elements are known of the tensors of which a
// requirement of the operation reads some.
struct BoundPlan {
  std::deque<Tensor> values;  // what `binding` points to
  Binding binding;
};
Result<BoundPlan> bind_plan(const CallPlan& plan);

// Ids of all requirements that can be evaluated and do not hold, in order;
// and whether the first that does not hold comes before any that cannot be
// evaluated.
struct Violations {
  std::vector<const Requirement*> failing;
  bool first_decides = true;
};
Result<Violations> violations(const CallPlan& plan);

}  // namespace assay

#endif  // ASSAY_SUITE_CALL_PLAN_H_
