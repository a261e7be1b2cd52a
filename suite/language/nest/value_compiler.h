// Value expressions: numbers over elements and index variables.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_VALUE_COMPILER_H_
#define ASSAY_SUITE_LANGUAGE_NEST_VALUE_COMPILER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "suite/language/nest/index_compiler.h"
#include "suite/language/nest/nest_scope.h"

namespace assay::language {

class ValueCompiler {
 public:
  ValueCompiler(Nest* nest, NestScope* scope);

  // The ValueNode of an expression.
  int value(const Expr& e);
  // The same of what is true or false, and no number of a complex result.
  int condition(const Expr& e);

  // From here on a complex element is the part that the IndexNode says, 0 the
  // real one; -1: only re() and im() may name one.
  void set_part(int index_node) { part_ = index_node; }

 private:
  int name(const Expr& e);
  int operation(const Expr& e);
  int product(const Expr& e);
  int logical(const Expr& e);
  int call(const Expr& e);
  int after(const Expr& e);
  int part_of(const Expr& e, std::int64_t part);
  int pair(const Expr& e);
  int by_part(int real, int imaginary);
  int choice(const Expr& e);
  int extreme(const Expr& e);
  int reduction(const Expr& e);

  // Elements: a[i, j], a[i...], list[n][i...], flat(x)[n],
  // concat(list, d)[i...]. Where `otherwise` is given, the access stands in
  // inside(.., else otherwise).
  struct Source {
    int id = 0;  // as in Access
    DType dtype = DType::f64;
    Shape sizes;
    bool integral = false;
    bool complex = false;            // then `dtype` is that of its parts
    std::optional<DType> held = {};  // of what Access calls stored
  };
  static Source source(const TensorArg& tensor);
  int element(const Expr& e, const Expr* otherwise);
  Source source(const Expr& e, const Expr& holder);
  Source as_stored(Source from, const Expr& type, const Expr& e);
  int concatenated(const Expr& e);
  int access(const Source& source, const std::vector<int>& indices,
             const Expr& e, bool guarded);

  // Nodes.
  int add(ValueNode node);
  int integer(std::int64_t n) {
    return integer(DType::i64, static_cast<std::uint64_t>(n));
  }
  int integer(DType t, std::uint64_t bits);
  int index(const Expr& e);
  int index(int index_node);
  int operation(ValueNode::Op op, int a, int b = -1, int c = -1);
  int rounded(int node, DType t);
  int constant(const Expr& e);

  Nest& nest_;
  NestScope& scope_;
  IndexCompiler index_;
  int part_ = -1;
  bool decides_ = false;  // of a condition: its integers have no parts
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_VALUE_COMPILER_H_
