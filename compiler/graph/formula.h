// A value given by its definition: index notation over operands, in native
// arithmetic. An operation that nobody lowered by hand becomes such a node, so
// that whatever can be defined can be compiled.
#ifndef ASSAY_COMPILER_GRAPH_FORMULA_H_
#define ASSAY_COMPILER_GRAPH_FORMULA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/order.h"
#include "compiler/graph/scalar_op.h"
#include "core/tensor.h"

namespace assay::compiler {

// A scalar. Operands stand before their users; where a term stands in the text
// is where it is computed, so that a choice computes one branch alone, and a
// sum its terms one by one.
struct Term {
  enum class Kind : std::uint8_t {
    number,    // bits of dtype
    variable,  // i64: an index of the result, or of a sum around it
    load,      // operand[args...], one i64 for each dimension
    apply,     // scalar(args)
    cast,      // args[0] to dtype, as casts of the graph have it
    choose,    // args[0] ? args[1] : args[2]; only that branch is computed
    fold,      // args[0] over `ranges`, by combiner, in order
  };
  // A variable of a fold, from args[from] to args[to], excluded. Both are terms
  // outside of the fold.
  struct Range {
    int variable = 0;
    int from = 0, to = 0;
    bool operator==(const Range&) const = default;
  };

  Kind kind = Kind::number;
  DType dtype = DType::f32;
  std::vector<int> args;
  std::uint64_t bits = 0;             // number
  int variable = 0;                   // variable
  int operand = 0;                    // load: which of the node's args
  ScalarOp scalar = ScalarOp::add;    // apply
  Combiner combiner = Combiner::sum;  // fold
  std::vector<Range> ranges;          // fold, outermost first
  bool operator==(const Term&) const = default;
};

// The element of a result at the indices 0, 1, ..., one for each dimension, is
// the last term. Folds have variables of their own, after those.
struct Formula {
  std::vector<Term> terms;
  int variables = 0;  // all of them
  bool operator==(const Formula&) const = default;

  const Term& at(int i) const { return terms[static_cast<std::size_t>(i)]; }
};

// What is wrong with it, for operands and a result of these types; empty where
// nothing is. Says nothing of whether loads are in range.
std::string fault_of(const Formula& formula,
                     const std::vector<DType>& operand_types,
                     const std::vector<Shape>& operand_sizes, DType result,
                     const Shape& sizes);

// How often the innermost term of its folds is computed for an element, as far
// as numbers say it.
std::int64_t work_of(const Formula& formula);

// "sum(i1 from 0 to 4: a0[i0, i1])": for people.
std::string to_text(const Formula& formula);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_FORMULA_H_
