// Numbers of a text that follow from the sizes of operands.
#ifndef ASSAY_COMPILER_TEXT_SIZE_H_
#define ASSAY_COMPILER_TEXT_SIZE_H_

#include <cstdint>
#include <functional>
#include <string>

namespace assay::compiler {

// What such a number is to the text.
enum class SizeUse {
  index,    // of the kernel's index type
  offset,   // the same, and added to what variables give
  divisor,  // the same, and something is divided by it
  wide,     // a long
};

// Which of them stand in the text of a CPU, so that code is built around them.
// All others are given to each launch.
enum class FixedSizes {
  ones,         // 0 and 1, which are no loops
  short_loops,  // those of short loops too, and what is divided by
  all,          // so that each shape has a text of its own
};

// One that is given to each launch of kernel number `kernel`.
struct SizeParameter {
  std::int64_t value = 0;
  int kernel = 0;
  std::string meaning;
};

// Writes such a number, given what it is.
using WriteSize = std::function<std::string(std::int64_t, const std::string&)>;

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_SIZE_H_
