// What the parts of the plan compiler share: names in scope, the plan under
// construction, and the one way to give up (caught in compile_plan).
#ifndef ASSAY_REFERENCE_COMPILE_SCOPE_H_
#define ASSAY_REFERENCE_COMPILE_SCOPE_H_

#include <string>
#include <utility>
#include <vector>

#include "reference/plan.h"

namespace assay::reference {

struct CompileError {  // thrown; never crosses compile_plan
  std::string message;
};

class PlanCompiler {
 public:
  PlanCompiler(NodePlan* plan, TorchVersion torch)
      : plan_(*plan), torch_(torch) {}

  void compile(std::size_t output);

 private:
  // --- compile.cc: definitions, clauses, accuracy.
  void definition(const Definition& d, bool is_out);
  void clauses(const OutputSpec& out);
  void accuracy(const OutputSpec& out);
  int scalar_in_out_scope(const ExprPtr& e);

  // --- compile_static.cc: what does not depend on elements or indices.
  bool is_static(const Expr& e) const;
  bool is_greatest_u64(const Expr& e) const;
  StaticValue constant(const Expr& e) const;
  std::int64_t constant_integer(const Expr& e) const;
  bool constant_truth(const Expr& e) const;
  DType constant_dtype(const Expr& e) const;
  Shape constant_shape(const Expr& e) const;
  const Actual* actual(const std::string& name) const;
  bool reads_elements(const Expr& base) const;
  int find_definition(const std::string& name) const;

  // --- compile_index.cc: integers and packs of them.
  using Pack = std::vector<int>;
  int index(const Expr& e);
  Pack pack(const Expr& e);
  bool is_pack(const Expr& e) const;
  ExprPtr tagged(const ExprPtr& e);
  ExprPtr tag(int index_node);
  int untagged(std::int64_t value);
  int index_constant(std::int64_t n);
  int index_binary(IndexNode::Op op, int a, int b);
  int ravel(const Pack& p, const Shape& s);

  // --- compile_access.cc: elements of operands and definitions.
  int element(const Expr& e, const Expr* otherwise);
  int concatenated(const Expr& e);
  int make_access(int source, DType dtype, const Shape& sizes,
                  std::vector<std::pair<int, bool>> index, const Expr& e,
                  bool guarded);
  std::vector<std::pair<int, bool>> index_list(const Expr& e);

  // --- compile_value.cc: numbers.
  int value(const Expr& e);
  int value_name(const Expr& e);
  int value_operator(const Expr& e);
  int value_call(const Expr& e);
  int value_reduce(const Expr& e);
  int rounded(int node, DType t);
  int from_static(const Expr& e, const StaticValue& v);
  int add_node(ValueNode node);
  int integer_node(std::int64_t n);
  int integer_node(DType t, std::uint64_t bits);
  int real_node(double x);
  int unary(ValueNode::Op op, int a);
  int binary(ValueNode::Op op, int a, int b);

  // --- compile_contraction.cc
  int contraction(const Reduction& r);

  // Names of index variables; the innermost last.
  struct Entry {
    std::string name;
    bool pack = false;
    std::vector<int> slots;
  };
  const Entry* find(const std::string& name) const;
  int new_slot();

  NodePlan& plan_;
  TorchVersion torch_;
  std::vector<Entry> scope_;
  std::vector<int> tags_;  // IndexNodes behind tags
  int slots_ = 0;
  int visible_definitions_ = 0;
};

[[noreturn]] inline void give_up(const Expr& e, const std::string& why) {
  throw CompileError{"'" + to_string(e) + "': " + why};
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_COMPILE_SCOPE_H_
