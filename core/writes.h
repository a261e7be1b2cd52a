// What a program writes into tensors that it was given. ATen's convention says
// which calls write: aten.add_.Tensor writes into its first operand and returns
// it. After the call, whoever needs the operand names the call: in a program no
// call reads a value that was written over, so that its meaning is that of a
// program without writes.
#ifndef ASSAY_CORE_WRITES_H_
#define ASSAY_CORE_WRITES_H_

#include <optional>
#include <vector>

#include "core/program.h"

namespace assay {

// Into its elements: Python's dunder methods (aten.__and__.Scalar) do not, nor
// what changes sizes and strides alone.
bool writes_operand(const Node& node);

// aten.squeeze_.dim and its like: other sizes and strides for the operand.
bool changes_metadata(const Node& node);

// What becomes of an input.
struct InputWrite {
  // The last call that writes into it.
  ValueRef by;
  // Is that call's result the input, as a whole? It may be a view of it.
  bool whole = true;
};

// For each input; nothing where no call writes to it.
using InputWrites = std::vector<std::optional<InputWrite>>;
InputWrites input_writes(const Program& program);

// A value that is read or returned after a call has written into its storage,
// or a constant that is written to: of such a program there is no meaning.
std::optional<ValueRef> misused_value(const Program& program);

}  // namespace assay

#endif  // ASSAY_CORE_WRITES_H_
