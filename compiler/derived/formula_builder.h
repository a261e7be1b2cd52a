// Puts terms together, with the conversions between whole numbers and reals
// that index notation leaves unsaid.
#ifndef ASSAY_COMPILER_DERIVED_FORMULA_BUILDER_H_
#define ASSAY_COMPILER_DERIVED_FORMULA_BUILDER_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/graph/formula.h"

namespace assay::compiler {

// A term is a truth value (bool), a whole number (i64) or a real (`wide`);
// elements of other types are widened when they are loaded. Where `wide` is f32
// a real may be in f64 as well, for its range: it stays there among numbers and
// others like it, and is rounded where it meets one in f32. Every function that
// makes a term gives its number.
class FormulaBuilder {
 public:
  // `whole`: no real is ever an operand or the result, and what specs write as
  // one (inf, nan, -0.0) stands for the ends of i64, for nothing, for zero.
  FormulaBuilder(DType wide, bool whole) : wide_(wide), whole_(whole) {}

  DType wide() const { return wide_; }
  // The type of what comes next.
  void set_wide(DType t) { wide_ = t; }
  DType dtype(int term) const { return formula_.at(term).dtype; }
  const Term& at(int term) const { return formula_.at(term); }
  // A whole number or a truth value?
  bool is_whole(int term) const { return !is_float(dtype(term)); }

  int integer(std::int64_t value);
  int real(double value);
  int boolean(bool value);
  int variable(int number);
  // In i64, bool or `wide`, whatever the operand's dtype; f64 stays as it is.
  int load(int operand, DType stored, std::vector<int> index);

  // Of operands that have the right types.
  int apply(ScalarOp op, std::vector<int> args);
  // In i64 where all are whole, otherwise in `wide`.
  int number(ScalarOp op, std::vector<int> args);
  // In `wide`.
  int floating(ScalarOp op, std::vector<int> args);
  // isnan, isinf or signbit, also of whole numbers.
  int of_float(ScalarOp op, int x);
  // Exact, whatever the two are.
  int compare(ScalarOp op, int a, int b);
  // floor, ceil, trunc or round_even: nothing of a whole number.
  int to_whole(ScalarOp op, int x);
  int floor_div(int a, int b);
  int ceil_div(int a, int b);
  int trunc_div(int a, int b);
  // floor, ceil or trunc of the quotient of two reals, as if that were exact.
  int whole_quotient(ScalarOp op, int a, int b);
  // x * 2^n, or x / 2^n rounded down; where everything is whole, or n is known
  // to be no less than 0, the product of a whole number is whole. Of a real it
  // overflows only where the product does.
  int times_power_of_two(int x, int n);
  int shifted_right(int x, int n);
  // a - quotient * b
  int rest(int a, int quotient, int b);
  // Of reals. Powers of few factors and what is left of whole numbers are
  // products and differences, where the number is known.
  int power(int x, int n);
  int float_rest(int x, int y);

  // Of two terms that become one type; the condition is a bool.
  int choose(int condition, int then, int otherwise);
  int fold(Combiner combiner, std::vector<Term::Range> ranges, int term);

  // `term` with `place`, a whole number, where it has a variable.
  int with_variable(int term, int variable, int place);

  // Whether it is not zero.
  int truth(int x);
  // No truth value: i64 or `wide`.
  int arithmetic(int x);
  // Converted, as a cast does.
  int as(int x, DType t);
  // The number that a cast to `t` makes of it.
  int rounded(int x, DType t);

  // The result has so many dimensions.
  void index_by(std::size_t rank) {
    formula_.variables = std::max(formula_.variables, static_cast<int>(rank));
  }
  // The operand of which the term is the element at the result's own indices,
  // which are below `sizes`.
  std::optional<int> whole_operand(int term, const Shape& sizes) const;
  // The formula of that term, which is then empty again.
  std::shared_ptr<const Formula> take(int term);

 private:
  // The type in which these are computed with, of which one is a real.
  DType real_type(const std::vector<int>& args) const;
  // The number that a term is, if a double holds it.
  std::optional<double> known(int term) const;
  // What a condition is wherever indices are below `sizes`, if that is known.
  std::optional<bool> outcome(int term, const Shape& sizes) const;
  int add(Term t);
  int cast(int x, DType t);

  DType wide_;
  bool whole_;
  Formula formula_;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_FORMULA_BUILDER_H_
