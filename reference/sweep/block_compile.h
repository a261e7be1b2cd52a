// From a nest's expressions to the steps of a BlockProgram.
#ifndef ASSAY_REFERENCE_SWEEP_BLOCK_COMPILE_H_
#define ASSAY_REFERENCE_SWEEP_BLOCK_COMPILE_H_

#include <map>
#include <string>
#include <utility>

#include "reference/sweep/block_program.h"

namespace assay::reference {

class BlockProgram::Compiler {
 public:
  Compiler(const Nest& nest, Operands operands, BlockProgram* out)
      : nest_(nest), operands_(operands), out_(*out) {}

  // An error where the loops cannot do it.
  Status compile();

 private:
  struct Refusal {
    std::string what;
  };

  // `last`: nothing but the final rounding follows.
  int value(int node, bool last = false);
  int compute(const ValueNode& v, bool last);
  int element(const Access& a);
  int constant(double lo, double hi);
  int step(Step s, bool point, bool narrow);
  // Compiles a choice's branch; `branch` says which that became.
  int value_in_branch(int node, bool last, int* branch);
  int unary(const ValueNode& v, bool last);
  int binary(const ValueNode& v, bool last);
  bool may_mark(const Step& s) const;
  bool narrow(int r) const;
  bool point(int r) const;

  const Nest& nest_;
  Operands operands_;
  BlockProgram& out_;
  // Registers by ValueNode. Within a branch, also those of the ones around it,
  // and afterwards not its own: their marks count where it is taken.
  std::map<std::pair<int, bool>, int> known_;
  int branch_ = 0;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_BLOCK_COMPILE_H_
