// The arguments of one ATen call. An operation's parameters are a struct whose
// members are bound where they are declared, in the order of ATen's schema:
//
//   struct Elu : Arguments {
//     Operand self = tensor("self");
//     Number alpha = number("alpha", 1);
//   };
//
// Guards and lowerings read these members, so that a name which an operation
// does not have cannot be compiled.
#ifndef ASSAY_COMPILER_OPS_ARGUMENTS_H_
#define ASSAY_COMPILER_OPS_ARGUMENTS_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/builder.h"
#include "core/program.h"
#include "core/result.h"

namespace assay::compiler {

// A Python number.
class Number {
 public:
  Number() = default;
  Number(bool v) : value_(v) {}          // NOLINT: implicit
  Number(int v) : Number(I64{v}) {}      // NOLINT: implicit
  Number(std::int64_t v) : value_(v) {}  // NOLINT: implicit
  Number(double v) : value_(v) {}        // NOLINT: implicit

  // bool, i64, or f32 for a float.
  DType dtype() const;
  double real() const;
  // A float's truncated value.
  std::int64_t integer() const;

 private:
  using I64 = std::int64_t;
  std::variant<bool, I64, double> value_ = false;
};

// A tensor, or a number that stands where a tensor may.
class Operand {
 public:
  Operand() = default;
  Operand(Number n) : number_(n) {}  // NOLINT: implicit
  Operand(NodeId node, const Builder& builder)
      : node_(node), builder_(&builder) {}

  bool is_tensor() const { return builder_ != nullptr; }
  // Requires is_tensor().
  NodeId node() const { return node_; }
  // Requires !is_tensor().
  const Number& number() const { return number_; }

  DType dtype() const;
  Shape sizes() const;  // empty of a number
  std::int64_t rank() const {
    return static_cast<std::int64_t>(sizes().size());
  }
  std::int64_t numel() const { return element_count(sizes()); }
  // Those that the program states of an input; of what it computes, row-major.
  Shape strides() const;
  // The size of dimension d. Requires that d is in range; a negative d counts
  // from the end.
  std::int64_t size(std::int64_t d) const;

 private:
  NodeId node_ = -1;
  const Builder* builder_ = nullptr;
  Number number_;
};

// Where a call stands.
struct CallSite {
  const Node& node;
  const std::vector<NodeId>& values;  // the graph's, for the program's
  const Builder& builder;
  bool flat_promotion = false;  // defect wrong-promotion
};

class Arguments {
 public:
  // Implicit, so that the structs need no constructors.
  Arguments(const CallSite& site) : site_(site) {}  // NOLINT: implicit

  // An error if the call does not fit the parameters: then what was read from
  // it has no meaning.
  Status fit() const;

  // The names of the parameters, in their order.
  const std::vector<std::string>& names() const { return names_; }

  // The result type of the operands that are given.
  DType promoted(std::initializer_list<std::optional<Operand>> operands) const;

 protected:
  // The next parameter. One without a default must be given.
  Operand tensor(const char* name);
  Operand tensor_or_number(const char* name);
  std::vector<Operand> tensors(const char* name);
  Number number(const char* name, std::optional<Number> otherwise = {});
  std::int64_t integer(const char* name,
                       std::optional<std::int64_t> otherwise = {});
  // One integer is taken for a list of it alone.
  Shape integers(const char* name, std::optional<Shape> otherwise = {});
  // A list of two, which one integer fills, or a list of it.
  Shape pair(const char* name, std::optional<Shape> otherwise = {});
  bool boolean(const char* name, std::optional<bool> otherwise = {});
  DType dtype(const char* name);
  std::string text(const char* name, const char* otherwise);
  // May be None, which is the default.
  std::optional<Operand> maybe_tensor(const char* name);
  std::optional<Number> maybe_number(const char* name);
  std::optional<std::int64_t> maybe_integer(const char* name);
  std::optional<Shape> maybe_integers(const char* name);
  std::optional<DType> maybe_dtype(const char* name);
  std::optional<std::string> maybe_text(const char* name);

 private:
  const Arg* find(const char* name);
  void fail(std::string message);
  template <class T, class Convert>
  std::optional<T> read(const char* name, const Arg* arg, Convert convert);
  template <class T, class Convert>
  T required(const char* name, std::optional<T> otherwise, Convert convert);
  template <class T, class Convert>
  std::optional<T> maybe(const char* name, Convert convert);
  std::optional<Operand> as_tensor(const Arg& arg) const;

  CallSite site_;
  std::vector<std::string> names_;
  std::size_t named_ = 0;             // arguments found by name
  std::optional<std::string> fault_;  // the first
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_OPS_ARGUMENTS_H_
