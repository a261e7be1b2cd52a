// Index arithmetic of the nest IR: integer expressions over loop variables,
// kept in a normal form so that views of contiguous data stay affine.
#ifndef ASSAY_COMPILER_NEST_INDEX_EXPR_H_
#define ASSAY_COMPILER_NEST_INDEX_EXPR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace assay::compiler {

struct IndexExpr;

// A loop variable, or the quotient or remainder of an expression by a
// positive number.
struct IndexAtom {
  enum class Kind { variable, quotient, remainder };
  Kind kind = Kind::variable;
  int variable = 0;
  std::shared_ptr<const IndexExpr> of;
  std::int64_t by = 1;
  bool operator==(const IndexAtom& other) const;
};

struct IndexTerm {
  std::int64_t factor = 1;  // positive
  IndexAtom atom;
  bool operator==(const IndexTerm&) const = default;
};

// constant + sum of factor * atom, every part at least 0.
struct IndexExpr {
  std::int64_t constant = 0;
  std::vector<IndexTerm> terms;  // one per atom

  static IndexExpr number(std::int64_t v) { return {v, {}}; }
  static IndexExpr variable(int v);

  bool is_affine() const;
  // Does the variable occur?
  bool uses(int variable) const;
  // What a step of the variable adds, within quotients and remainders aside.
  std::int64_t factor_of(int variable) const;
  bool operator==(const IndexExpr&) const = default;
};

IndexExpr operator+(const IndexExpr& a, const IndexExpr& b);
IndexExpr operator*(const IndexExpr& a, std::int64_t factor);

// Floor division and remainder, simplified where the extents of the variables
// (each runs from 0 to its extent, excluded) allow it.
IndexExpr divide(const IndexExpr& e, std::int64_t by, const Shape& extents);
IndexExpr modulo(const IndexExpr& e, std::int64_t by, const Shape& extents);

// `e` with each variable v replaced by variables[v], at all depths; `extents`
// are those of the variables that are there then.
IndexExpr substitute(const IndexExpr& e,
                     const std::vector<IndexExpr>& variables,
                     const Shape& extents);

// How `e` moves while variable `v` goes through `width` values from a multiple
// of that on. What moves by one begins at a multiple of it, too.
enum class Moves { not_at_all, by_one, otherwise };
Moves moves(const IndexExpr& e, int v, std::int64_t width);

// The largest value, for variables below their extents.
std::int64_t largest(const IndexExpr& e, const Shape& extents);

// The largest value of `e` and of every expression in it.
std::int64_t largest_inside(const IndexExpr& e, const Shape& extents);

std::int64_t evaluate(const IndexExpr& e, const Shape& variables);

// C text; variable v is called names[v].
std::string to_text(const IndexExpr& e, const std::vector<std::string>& names);

// The same, with numbers written by somebody else: the number that is added,
// what a term counts, and what is divided by. Those within what is divided are
// of the kind `inner`.
enum class IndexNumber { offset, factor, divisor, inner };
using WriteNumber = std::function<std::string(std::int64_t, IndexNumber)>;
std::string to_text(const IndexExpr& e, const std::vector<std::string>& names,
                    const WriteNumber& number);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_INDEX_EXPR_H_
