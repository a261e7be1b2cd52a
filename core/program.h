// A program: an SSA list of ATen calls, what every subject is given.
#ifndef ASSAY_CORE_PROGRAM_H_
#define ASSAY_CORE_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/dtype.h"
#include "core/tensor.h"

namespace assay {

// A value of the program: its position in inputs, then constants, then nodes.
struct ValueRef {
  int id = 0;
  bool operator==(const ValueRef&) const = default;
};

struct None {
  bool operator==(const None&) const = default;
};

// A list of fractions.
using Numbers = std::vector<double>;

// One argument of a call. Python numbers keep their kind, because type
// promotion depends on it.
using Arg =
    std::variant<None, ValueRef, bool, std::int64_t, double, DType, std::string,
                 std::vector<std::int64_t>, std::vector<ValueRef>, Numbers>;

struct Node {
  std::string op;  // qualified ATen overload, "aten.add.Tensor"
  std::vector<Arg> args;
  std::vector<std::pair<std::string, Arg>> kwargs;
};

// The operation of a node that is a further output of a call. A call's own
// value is its first output; the others are getitem(%call, 1) and so on.
// A call of an operation with several outputs has at least one such node; of
// one that returns a list, a node for each member but the first.
inline constexpr std::string_view kGetitem = "getitem";

struct FurtherOutput {
  ValueRef call;
  std::size_t output = 1;
};
// Nothing for a call.
std::optional<FurtherOutput> further_output(const Node& node);

struct Program {
  std::vector<TensorType> inputs;
  std::vector<Tensor> constants;  // captured tensors, contiguous
  std::vector<Node> nodes;        // each is one tensor
  std::vector<ValueRef> outputs;
  // Where a machine has several devices of the kind: the one that all tensors
  // are on, 0 the first. A promise does not hang on it.
  int device = 0;

  int value_count() const {
    return static_cast<int>(inputs.size() + constants.size() + nodes.size());
  }
  bool is_input(ValueRef v) const {
    return v.id < static_cast<int>(inputs.size());
  }
  bool is_constant(ValueRef v) const {
    return !is_input(v) && v.id < first_node_id();
  }
  bool is_node(ValueRef v) const { return v.id >= first_node_id(); }
  int first_node_id() const {
    return static_cast<int>(inputs.size() + constants.size());
  }
  const Node& node(ValueRef v) const {
    return nodes[static_cast<std::size_t>(v.id - first_node_id())];
  }
  // The call that makes a node: of a further output, the one it is an output
  // of.
  const Node& call(ValueRef v) const;
};

// The values that `arg` names.
std::vector<ValueRef> operands(const Arg& arg);

// How many outputs of the call the program names: 1, and one per getitem of
// it.
std::size_t output_count(const Program& program, ValueRef call);
// The first value that is output `output` of a call; nothing where the program
// does not name it.
std::optional<ValueRef> output_value(const Program& program, ValueRef call,
                                     std::size_t output);
// Adds the nodes of outputs 1 to `count` - 1 of a call that was just added.
std::vector<ValueRef> add_further_outputs(std::size_t count, Program* program);

// Merges independent programs into one, inputs and outputs in order, so that
// a subject that compiles slowly is asked once for many. All are for the same
// device.
Program pack(const std::vector<const Program*>& programs);

}  // namespace assay

#endif  // ASSAY_CORE_PROGRAM_H_
