// Names and kinds in expressions: what is undeclared, called wrongly or of
// the wrong kind is a fault at its own line and column.
#ifndef ASSAY_SUITE_LANGUAGE_CHECK_CHECK_EXPR_H_
#define ASSAY_SUITE_LANGUAGE_CHECK_CHECK_EXPR_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "suite/language/functions/functions.h"
#include "suite/language/read/read_fields.h"

namespace assay::language {

// What an expression may refer to.
struct Names {
  const OpSpec* op = nullptr;
  // The form whose dimension symbols are known; null before one is chosen,
  // that is in requirements and in the choice itself.
  const Form* form = nullptr;
  // The outputs that may be read, by name: those after the first read it,
  // relations read all.
  std::set<std::string> outputs;
  // Where a list comes back: the symbol that is a member's number.
  std::string member;
  std::map<std::string, const Definition*> definitions;
  std::map<std::string, bool> indices;  // name, is pack
};

class ExprChecker {
 public:
  ExprChecker(const Names& names, Faults* faults);

  // Checks `e` and returns its kind (`any` after a fault). Static expressions
  // may not call functions of elements.
  ValueKind check(const Expr& e, bool is_static);

  // As check, and a fault where `e` is of another kind than `expected`.
  void expect(const Expr& e, ValueKind expected, bool is_static,
              std::string_view what);

  // Checks the ranges of binders and puts their names in scope; the caller
  // removes them with `leave`.
  void enter(const std::vector<Binder>& binders, SourcePos pos);
  void leave(const std::vector<Binder>& binders);

  // Definitions that were referred to.
  const std::set<std::string>& used() const { return used_; }
  const std::set<std::string>& used_names() const { return used_names_; }

 private:
  ValueKind fail(SourcePos pos, std::string message);
  ValueKind name(const Expr& e);
  ValueKind symbol(const Expr& e, bool* found);
  ValueKind pack(const Expr& e);
  ValueKind operation(const Expr& e, bool is_static);
  ValueKind comparison(const Expr& e, bool is_static);
  ValueKind member(const Expr& e, bool is_static);
  ValueKind call(const Expr& e, bool is_static);
  ValueKind access(const Expr& e, bool is_static);
  ValueKind list(const Expr& e, bool is_static);
  ValueKind reduce(const Expr& e, bool is_static);
  ValueKind fold(const Expr& e, bool is_static);
  ValueKind result(const Expr& call, const std::vector<ValueKind>& kinds);
  void argument(const Expr& call, std::size_t n, char letter, ValueKind found);
  // Indices of `e` (args[1..]); true if all are single integers.
  bool indices(const Expr& e, bool is_static);
  ValueKind element(const Expr& e, const std::string& name, std::size_t given,
                    bool single);
  std::vector<std::string> known_names() const;

  Names names_;
  Faults* faults_;
  std::set<std::string> used_, used_names_;
};

bool is_numeric(ValueKind k);      // a number, an integer or unknown
std::string quote(const Expr& e);  // for messages, shortened

// The shape of parameter `p` in `form` (which may be null), or null.
const ShapePattern* pattern_of(const Param& p, const Form* form);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_CHECK_CHECK_EXPR_H_
