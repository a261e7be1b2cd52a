// What the operations of index expressions do with integers.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_INDEX_ARITHMETIC_H_
#define ASSAY_SUITE_LANGUAGE_NEST_INDEX_ARITHMETIC_H_

#include <cstdint>
#include <optional>

#include "suite/language/nest/nest.h"

namespace assay::language {

// Nothing where a divisor is zero, or where `op` is none of two integers (of
// one, `b` is left alone).
std::optional<std::int64_t> index_arithmetic(IndexNode::Op op, std::int64_t a,
                                             std::int64_t b);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_INDEX_ARITHMETIC_H_
