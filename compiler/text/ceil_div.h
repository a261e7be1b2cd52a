// How many parts of a size something has.
#ifndef ASSAY_COMPILER_TEXT_CEIL_DIV_H_
#define ASSAY_COMPILER_TEXT_CEIL_DIV_H_

#include <cstdint>

namespace assay::compiler {

// a / b, rounded up, of a >= 0 and b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CEIL_DIV_H_
