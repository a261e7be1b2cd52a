// One ATen call of a program, its arguments bound to the operation's schema.
#ifndef ASSAY_COMPILER_CALL_H_
#define ASSAY_COMPILER_CALL_H_

#include <string>
#include <string_view>
#include <vector>

#include "compiler/builder.h"
#include "compiler/promote.h"
#include "core/program.h"
#include "core/result.h"

namespace assay::compiler {

class Call {
 public:
  // `schema` lists parameters as "KINDS name" or "KINDS name=default" (none,
  // true, false, a number, [], [0 0], [1 1], "text"). Kinds: t tensor, T
  // tensor list, n number, i integer, I integer list, IP the same of two, which
  // one integer fills, b bool, d dtype, s string, ? may be none. `nodes` maps
  // the program's values to graph nodes.
  static Result<Call> bind(const Node& node, std::string_view schema,
                           const std::vector<NodeId>& nodes,
                           const Builder& builder);

  bool given(std::size_t i) const {
    return !std::holds_alternative<None>(args_[i]);
  }
  bool is_dtype(std::size_t i) const {
    return std::holds_alternative<DType>(args_[i]);
  }
  bool is_tensor(std::size_t i) const {
    return std::holds_alternative<ValueRef>(args_[i]);
  }
  NodeId node(std::size_t i) const { return node_of(as<ValueRef>(i)); }
  std::vector<NodeId> nodes(std::size_t i) const;
  std::vector<Shape> list_sizes(std::size_t i) const;
  Type type(std::size_t i) const { return builder_->type(node(i)); }
  DType dtype(std::size_t i) const { return builder_->dtype(node(i)); }
  Shape sizes(std::size_t i) const { return builder_->sizes(node(i)); }
  std::int64_t rank(std::size_t i) const { return builder_->rank(node(i)); }
  std::int64_t numel(std::size_t i) const { return element_count(sizes(i)); }
  // Size of dimension d; a negative d counts from the end. In range.
  std::int64_t dim(std::size_t i, std::int64_t d) const;

  std::int64_t integer(std::size_t i) const { return as<std::int64_t>(i); }
  bool boolean(std::size_t i) const { return as<bool>(i); }
  DType dtype_arg(std::size_t i) const { return as<DType>(i); }
  const std::string& text(std::size_t i) const { return as<std::string>(i); }
  Shape ints(std::size_t i) const;
  // A Python number's kind: bool, i64, or f32 for a float.
  DType number_kind(std::size_t i) const;
  double number(std::size_t i) const;  // as a double

  // The result type of the named operands (tensors or numbers).
  DType promoted(std::initializer_list<std::size_t> operands) const;

  // Breaks the promotion rule: a defect on demand.
  bool flat_promotion = false;

 private:
  template <class T>
  const T& as(std::size_t i) const {
    return std::get<T>(args_[i]);
  }
  NodeId node_of(ValueRef v) const {
    return (*values_)[static_cast<std::size_t>(v.id)];
  }

  std::vector<Arg> args_;
  const std::vector<NodeId>* values_ = nullptr;
  const Builder* builder_ = nullptr;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_CALL_H_
