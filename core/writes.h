// What a program writes into tensors. ATen's convention says which calls write:
// aten.add_.Tensor writes into its first operand and returns it, aten.add.out
// into what it is given as `out`, whose sizes it may change. What shares
// storage with that operand, its base and its other views, has what was written
// from then on, and a value that a program returns is what it holds in the end.
#ifndef ASSAY_CORE_WRITES_H_
#define ASSAY_CORE_WRITES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "core/program.h"

namespace assay {

// Into its elements: Python's dunder methods (aten.__and__.Scalar) do not, nor
// what changes sizes and strides alone.
bool writes_operand(const Node& node);

// The operand in whose storage the call's results lie, or may lie: what it
// writes into, or its first one, also as the only one of a list. Null where it
// has no such operand. A further output is asked by its call, Program::call.
const ValueRef* base_operand(const Node& call);

// aten.squeeze_.dim and its like: other sizes and strides for the operand.
bool changes_metadata(const Node& node);

// Documented to return a view of its first operand, or a list of them, whatever
// that is like (https://pytorch.org/docs/2.11/tensor_view.html).
bool is_view(const Node& call);

// The same, or only sometimes, as of a reshape.
bool may_be_view(const Node& call);

// A copy of what a view would show: aten.select_copy.int, aten.clone.default.
bool copies_view(const Node& call);

// Which values share storage, and when it is written to.
class Storages {
 public:
  explicit Storages(const Program& program);
  // As if calls of `aten` always returned their first operand's storage, or
  // never did.
  Storages(const Program& program, std::string_view aten, bool shared);

  // The value that made the storage in which `value` lies.
  int root(int value) const;
  // May it be a copy, since its call returns a view or not?
  bool is_sure(int value) const;
  // The last call before value `reader` that writes into the storage, if it
  // comes after `value`; else `value`. For outputs, that is at the end.
  int written(int value, int reader) const;
  int written(int value) const;

 private:
  struct Place {
    int root = 0;
    bool sure = true;
  };
  std::vector<Place> places_;             // by value
  std::vector<std::vector<int>> writes_;  // by root: calls, in order
};

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

// A value that is read or returned after its storage was written to where it is
// not sure whether it shares it, or its sizes were changed; or a constant that
// is written to: of such a program there is no meaning.
std::optional<ValueRef> misused_value(const Program& program);

// Does a call compute from a tensor that a later call writes to? A compiler has
// to keep their order.
bool is_read_before_a_write(const Program& program);

}  // namespace assay

#endif  // ASSAY_CORE_WRITES_H_
