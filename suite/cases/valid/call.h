// A call of an operation, its tensors as operands yet to be generated. Valid
// cases, invalid ones and cases in contexts are all made from calls.
#ifndef ASSAY_SUITE_CASES_VALID_CALL_H_
#define ASSAY_SUITE_CASES_VALID_CALL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "suite/cases/inputs/generate.h"
#include "suite/language/bind/bind.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// An argument: left out, a plain value (a Python number in a tensor's place
// included), a tensor, or a list of tensors.
using CallArg =
    std::variant<std::monostate, Arg, Operand, std::vector<Operand>>;

// An operand that lies in another tensor.
struct View {
  // Calls that take it from there: each is given what the one before returns.
  std::vector<Node> steps;
  Shape strides;
  std::int64_t first = 0;  // element of that tensor
};

// Operands that lie in one tensor, which a program is given in their place.
struct SharedBase {
  Operand base;                       // contiguous
  std::map<std::size_t, View> views;  // by operand; one of them is written to
};

struct Call {
  const language::OpSpec* spec = nullptr;
  std::vector<CallArg> args;  // one per parameter
  std::optional<SharedBase> shared;

  // Tensor operands in order of parameters, list members one by one.
  std::vector<const Operand*> operands() const;
  std::vector<Operand*> operands();
  // Parameter of each of them, "tensors.1" for members of a list.
  std::vector<std::string> operand_names() const;
  // That parameter itself.
  std::vector<const language::Param*> operand_params() const;

  // The one that is written into; nothing where none is.
  std::optional<std::size_t> written_operand() const;
  bool is_view(std::size_t operand) const {
    return shared && shared->views.contains(operand);
  }
  // What a program is given: the operands, and what the views lie in, where the
  // operand that is written to stands.
  std::vector<const Operand*> given() const;

  const CallArg& arg(const std::string& param) const;
  CallArg& arg(const std::string& param);
  std::int64_t numel() const;  // of all operands
};

// The call, with these values as its operands (a Python number may stand for
// one). Requires one per operand.
Node call_node(const Call& call, const std::vector<Arg>& operands);

// Adds the call's views of `base` to a program and puts them in their places
// among `operands`.
void add_views(const Call& call, ValueRef base, Program* program,
               std::vector<Arg>* operands);

// One program input per tensor that is given, and the call's result as the only
// output.
Program call_program(const Call& call);

// The call bound to its spec. The elements of a tensor are known if a
// requirement of the operation reads any.
struct BoundCall {
  std::deque<Tensor> values;  // what `binding` points to
  language::Binding binding;
};
Result<BoundCall> bind(const Call& call);

// The first two requirements that can be evaluated and do not hold, in order;
// and whether the first that does not hold comes before any that cannot be
// evaluated.
struct Violations {
  std::vector<const language::Requirement*> failing;
  bool first_decides = true;
};
Result<Violations> violations(const Call& call);

// Can the requirement be evaluated, and holds?
bool is_met(const Call& call, const language::Requirement& requirement);

// Why the call is not a valid input of its operation; empty if it is one.
std::string call_fault(const Call& call);

// How many tensors a valid call returns; of a list that must be refused 1,
// since nobody knows how many it would have.
std::size_t returned_tensors(const Call& call);

// Of an operation that writes into a tensor of its own: gives that the type and
// the sizes of what is written, where the other arguments say them.
void fit_out(Call* call);

// Is a valid call one of those that the operation's cases are about (`only`)?
bool is_meant(const Call& call);

// What a case group declares for one call: shapes and types by symbol,
// attributes and numbers by parameter.
struct CallRequest {
  const language::OpSpec& spec;
  const language::SymbolSizes& sizes;
  const std::map<std::string, Arg>& attrs;
  const std::map<std::string, language::Generator>& inputs;
  std::map<std::string, Arg> numbers;  // in place of tensors, by parameter
  std::map<std::string, DType> types;  // by symbol ("T", "T.1")
};

// An error names the symbol that has no size or no type here.
Result<Call> call_of(const CallRequest& request);

// A symbol of element types and the choices it has.
struct TypeAxis {
  std::string symbol;
  std::vector<DType> types;
};
// The symbols that decide types here: not those that follow another (unless
// `chosen` names them), not those whose every parameter is `replaced`.
std::vector<TypeAxis> type_axes(
    const language::OpSpec& spec,
    const std::map<std::string, std::vector<DType>>& chosen,
    const language::SymbolSizes& sizes, const std::set<std::string>& replaced);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_VALID_CALL_H_
