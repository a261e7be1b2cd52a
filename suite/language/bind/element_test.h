// What is asked of each element of one tensor by itself: "0 <= index[i...] and
// index[i...] < n". An index may have millions of elements, so that they are
// looked at in blocks and no expression is evaluated for each.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_ELEMENT_TEST_H_
#define ASSAY_SUITE_LANGUAGE_BIND_ELEMENT_TEST_H_

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suite/language/bind/operand.h"

namespace assay::language {

class ElementTest {
 public:
  // Gives what an expression without the range's index is, or stops.
  using Evaluate = std::function<Operand(const Expr&)>;

  // Of "all(i... < shape(x): ...)", where comparisons of x[i...] with what
  // hangs on no index are all there is; nothing of other expressions, of
  // elements that are not known, and where `evaluate` stops: there an
  // evaluation in order may yet have a result.
  static std::optional<ElementTest> of(const Expr& all,
                                       const Evaluate& evaluate);

  bool holds_for_all() const;

 private:
  static constexpr std::size_t kBlock = 512;
  template <class T>
  using Block = std::array<T, kBlock>;

  // A comparison of the element with `bound`, or of two nodes, or of one.
  struct Node {
    Operator op = Operator::eq;
    bool is_leaf = false;
    bool in_integers = false;
    std::int64_t integer = 0;
    double number = 0;
    int a = -1, b = -1;
  };

  class Builder;
  // Elements of one block, in the type that comparisons are made in.
  struct Elements {
    Block<std::int64_t> integers;
    Block<double> numbers;
  };
  void read(std::int64_t first, std::size_t count, Elements* x) const;
  void apply(int node, const Elements& x, std::size_t count,
             Block<bool>* out) const;

  // The integers of which it holds, where they are all of an interval that
  // holds 0.
  struct Interval {
    std::int64_t least, greatest;
  };
  std::optional<Interval> interval() const;
  bool all_lie_in(const Interval& in) const;

  const TensorArg* tensor_ = nullptr;
  bool compares_numbers_ = false;
  std::vector<Node> nodes_;  // operands before users
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_ELEMENT_TEST_H_
