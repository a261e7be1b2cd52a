// Calls of a program that nobody lowered by hand, lowered from what their specs
// say: the definition becomes formulas, the requirements become guards.
#ifndef ASSAY_COMPILER_DERIVED_DERIVATION_H_
#define ASSAY_COMPILER_DERIVED_DERIVATION_H_

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/graph/builder.h"
#include "compiler/ops/operation.h"
#include "core/program.h"

namespace assay::compiler {

// What requirements that read elements make of a call's inputs. Made from the
// program alone; asked at each call.
class ValueContract {
 public:
  virtual ~ValueContract() = default;
  // Values that the program computes and that requirements read, by number.
  virtual const std::vector<int>& read_values() const = 0;
  // Whether they read input number `i`. Of others, only the type is looked at.
  virtual bool reads_input(std::size_t i) const = 0;
  // The first refusal by a call that was derived; `inputs` are the program's,
  // `computed` the values above, in that order.
  virtual std::optional<Refusal> check(
      const std::vector<Tensor>& inputs,
      const std::vector<Tensor>& computed) const = 0;
};

class Derivation {
 public:
  // `program` must outlive it. by_definition: no value is made by an algorithm
  // (algorithms.h).
  Derivation(const Program& program, bool by_definition);
  ~Derivation();
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;

  // Lowers the call that gives value `id`, or its further output. `values` are
  // the nodes of the values before. What it refuses goes to `refusal`.
  Lowered lower(int id, const std::vector<NodeId>& values, Builder* builder,
                std::optional<Refusal>* refusal);

  // Of the values before `end`, which all have been lowered. Null where no
  // requirement of a derived call had to be left open.
  std::shared_ptr<const ValueContract> contract(int end) const;

  // Nodes, bool[], that all hold where the contract of the calls lowered so far
  // refuses nothing; nothing where a requirement has no such node.
  std::optional<std::vector<NodeId>> kept() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_DERIVATION_H_
