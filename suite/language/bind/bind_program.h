// The calls of a program bound to their specs, and the first promise that one
// of them breaks. The suite and the oracle walk programs by the same steps:
// whether a program must be refused is said here, by requirements alone.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_BIND_PROGRAM_H_
#define ASSAY_SUITE_LANGUAGE_BIND_BIND_PROGRAM_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "core/writes.h"
#include "suite/language/bind/bind.h"
#include "suite/language/bind/places.h"
#include "suite/language/model/spec.h"

namespace assay::language {

// Elements that a value has for the node that is bound next, where the program
// computes them or has written into them; null where they are not known. The
// reader keeps the tensor.
using ElementReader =
    std::function<const Tensor*(int value, const TensorType& type)>;

// One node: a call, or a further output of one.
struct BoundNode {
  int value = 0;                        // id of the value that it gives
  const Requirement* broken = nullptr;  // then it gives none
  Binding binding;
  TensorType type;
  std::size_t output = 0;  // which of its call's outputs it is
};

class ProgramBinder {
 public:
  // All must outlive the binder and what it binds. `inputs` may be empty, or
  // have no storage: their elements are not known then. Without a reader a
  // requirement that reads what the program computes is taken to hold; with one
  // it is an error if that cannot be read.
  ProgramBinder(const SpecSet& specs, const Program& program,
                const std::vector<Tensor>& inputs, ElementReader reader = {});
  ProgramBinder(const SpecSet&, const Program&, std::vector<Tensor>&&,
                ElementReader = {}) = delete;
  ProgramBinder(const ProgramBinder&) = delete;
  ProgramBinder& operator=(const ProgramBinder&) = delete;

  // Binds the next node; requires that there is one and that none is broken
  // so far. An error, which names the node, is an operation without a spec, a
  // call that its schema refuses, or a result that cannot be worked out.
  Result<BoundNode> next();
  bool done() const { return types_.size() == value_count_; }

  // The types of the values so far.
  const std::vector<TensorType>& types() const { return types_; }
  // Was a requirement taken to hold?
  bool undecided() const { return undecided_; }
  // May a call have written twice to one place, where places are known?
  bool writes_twice() const { return writes_twice_; }

 private:
  Status bind_call_of(const Node& node, BoundNode* out);
  Status bind_output(const FurtherOutput& further, BoundNode* out);
  std::optional<Node> with_memory(const OpSpec& spec, const Node& call) const;
  bool names_outputs(const Form& form, std::size_t count, ValueRef call) const;
  const Tensor* elements_of(int id, bool read);
  // Other sizes for what the call writes into: nobody may know it, or a view of
  // it, by another name from then on.
  Status check_resized(const Node& node, const BoundNode& out) const;

  const SpecSet& specs_;
  const Program& program_;
  const std::vector<Tensor>& inputs_;
  ElementReader reader_;
  std::size_t value_count_;
  Storages storages_;
  std::optional<Places> places_;  // where something is written, or asks
  std::vector<TensorType> types_;
  std::map<int, Binding> calls_;  // those of several outputs, by value
  bool undecided_ = false;
  bool writes_twice_ = false;
};

// Static walk of a program: the type of every value, and the first promise
// that refuses it.
struct ProgramTypes {
  std::vector<TensorType> types;  // per value, up to a refused node
  std::string refused;            // "bmm/E4", empty if nothing refuses it
  // Some requirement could not be decided, because it reads elements that
  // the program computes; it was taken to hold.
  bool undecided = false;
  // Some call may write twice to one place, for which no order is promised.
  bool writes_twice = false;
};
Result<ProgramTypes> type_program(const SpecSet& specs, const Program& program,
                                  const std::vector<Tensor>& inputs = {});

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_BIND_PROGRAM_H_
