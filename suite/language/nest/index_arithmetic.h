// What the operations of index expressions do with integers.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_INDEX_ARITHMETIC_H_
#define ASSAY_SUITE_LANGUAGE_NEST_INDEX_ARITHMETIC_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/integer_math.h"
#include "suite/language/nest/nest.h"

namespace assay::language {

// Nothing where a divisor is zero, or where `op` is none of two integers (of
// one, `b` is left alone). Here, since the oracle asks at every element.
inline std::optional<std::int64_t> index_arithmetic(IndexNode::Op op,
                                                    std::int64_t a,
                                                    std::int64_t b) {
  using Op = IndexNode::Op;
  const bool divides =
      op == Op::floor_div || op == Op::ceil_div || op == Op::mod;
  if (divides && b == 0) return std::nullopt;
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    case Op::neg:
      return -a;
    case Op::abs:
      return a < 0 ? -a : a;
    case Op::floor_div:
      return floor_div(a, b);
    case Op::ceil_div:
      return ceil_div(a, b);
    case Op::mod:
      return floor_mod(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_INDEX_ARITHMETIC_H_
