// The functions of the expression language: one table that the loader's
// checks and the evaluators share.
#ifndef ASSAY_SUITE_FUNCTIONS_H_
#define ASSAY_SUITE_FUNCTIONS_H_

#include <string_view>
#include <vector>

namespace assay {

// What an expression or an argument is. `number` is a real value, `integer`
// one that is known to be whole.
enum class ValueKind {
  any,
  number,
  integer,
  boolean,
  dtype,
  string,
  shape,
  tensor,
  tensors,
  none
};
const char* kind_name(ValueKind kind);

struct Function {
  std::string_view name;
  // Argument kinds, one letter each: t tensor, l list of tensors, p any
  // parameter, n number, i integer, o integer or none, d dtype, s shape, pack
  // or list of integers, q the same or none, w integer or such a list, m number
  // or such a list, v any list, b boolean, c parameter or dtype, a anything. A
  // final '*' repeats the letter before it any number of times.
  std::string_view args;
  ValueKind result;
  // Where it may stand: static expressions, values (over elements), or both.
  bool in_static;
  bool in_value;
  std::string_view usage;  // "dim(a, d)"
};

const std::vector<Function>& functions();
const Function* find_function(std::string_view name);

// Does a call with `count` arguments agree with `f`?
bool accepts_arity(const Function& f, std::size_t count);
// The letter of argument `n`. Requires accepts_arity for some larger count.
char argument_letter(const Function& f, std::size_t n);

}  // namespace assay

#endif  // ASSAY_SUITE_FUNCTIONS_H_
