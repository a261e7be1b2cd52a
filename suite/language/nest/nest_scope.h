// The names that an expression of a definition may use while its nest is
// compiled: index variables, operands, definitions; and the values of what is
// static.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_NEST_SCOPE_H_
#define ASSAY_SUITE_LANGUAGE_NEST_NEST_SCOPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "suite/language/nest/nest.h"

namespace assay::language {

// Thrown by everything that compiles nests, caught in compile_nest.
struct CompileError {
  std::string message;
};
[[noreturn]] void give_up(const Expr& e, const std::string& why);

class NestScope {
 public:
  // An index, or a pack of them.
  struct Variable {
    std::string name;
    bool pack = false;
    std::vector<int> slots;
  };

  explicit NestScope(const Nest& nest) : nest_(nest) {}

  // Nothing is in scope but operands and the first `n` definitions.
  void restart(std::size_t n);
  // The first `n` definitions are.
  void see_definitions(std::size_t n) { visible_ = n; }
  int new_slot();
  void enter(Variable v) { variables_.push_back(std::move(v)); }
  // Leaves all but the first `n` variables.
  void leave(std::size_t n) { variables_.resize(n); }
  std::size_t variable_count() const { return variables_.size(); }

  // The innermost of that name, or null.
  const Variable* find(const std::string& name) const;
  const Actual* actual(const std::string& name) const;      // or null
  const std::vector<TensorArg>* list(const Expr& e) const;  // by name, or null
  int find_definition(const std::string& name) const;       // or -1
  // Does indexing `base` read an element of a tensor or of a definition?
  bool reads_elements(const Expr& base) const;

  // Independent of elements and index variables.
  bool is_static(const Expr& e) const;
  // greatest(u64), which no static value can hold.
  bool is_greatest_u64(const Expr& e) const;
  // The values of static expressions, of the kind that is needed.
  StaticValue constant(const Expr& e) const;
  std::int64_t integer(const Expr& e) const;
  bool truth(const Expr& e) const;
  DType dtype(const Expr& e) const;
  Shape shape(const Expr& e) const;

 private:
  const Nest& nest_;
  std::vector<Variable> variables_;  // the innermost last
  int slots_ = 0;
  std::size_t visible_ = 0;
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_NEST_SCOPE_H_
