// Index expressions: integers over index variables, and packs of them.
//
// The functions that rearrange packs (drop, insert, weave, ...) are applied by
// the evaluator of static expressions, so that there is one implementation of
// each: every index in the pack is replaced by a number that stands for it, a
// tag.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_INDEX_COMPILER_H_
#define ASSAY_SUITE_LANGUAGE_NEST_INDEX_COMPILER_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "suite/language/nest/nest_scope.h"

namespace assay::language {

class IndexCompiler {
 public:
  using Pack = std::vector<int>;  // IndexNodes
  // Gives the ValueNode of an expression: an element that serves as an index,
  // or the condition of a choice.
  using Value = std::function<int(const Expr&)>;

  IndexCompiler(Nest* nest, const NestScope& scope, Value value)
      : nest_(*nest), scope_(scope), value_(std::move(value)) {}

  int index(const Expr& e);
  Pack pack(const Expr& e);
  bool is_pack(const Expr& e) const;
  // What stands in the brackets of access `e`, one entry per index.
  std::vector<int> indices(const Expr& e);

  int constant(std::int64_t n);
  int binary(IndexNode::Op op, int a, int b);

 private:
  int add(IndexNode node);
  int operation(const Expr& e);
  int call(const Expr& e);
  int entry(const Expr& e);
  int quotient(const Expr& e);
  int ravel(const Expr& e);
  Pack unravel(const Expr& e);
  ExprPtr tagged(const ExprPtr& e);
  ExprPtr tag(int index_node);
  int untagged(std::int64_t value);

  Nest& nest_;
  const NestScope& scope_;
  Value value_;
  std::vector<int> tags_;  // IndexNodes behind tags
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_INDEX_COMPILER_H_
