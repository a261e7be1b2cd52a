// How large a candidate is: what a reduction makes smaller at every step, so
// that it comes to an end.
#ifndef ASSAY_HARNESS_REDUCE_WEIGHT_H_
#define ASSAY_HARNESS_REDUCE_WEIGHT_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "core/dtype.h"
#include "harness/reduce/candidate.h"

namespace assay::harness {

// In the order in which the members count.
struct Weight {
  std::size_t steps = 0;
  std::size_t operands = 0;  // inputs and constants
  std::size_t outputs = 0;
  std::size_t reads = 0;      // values that calls name
  std::int64_t elements = 0;  // of inputs, constants and outputs
  std::size_t dimensions = 0;
  std::size_t dtypes = 0;   // how far from f32, i64 and bool
  std::size_t layouts = 0;  // other than row-major
  std::size_t constants = 0;
  std::uint64_t arguments = 0;  // those that are no values
  std::uint64_t values = 0;     // complexity of the elements
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null in it
  auto operator<=>(const Weight&) const = default;
};

// `types` are those of the values, up to a call that is refused.
Weight weigh(const Candidate& c, const std::vector<TensorType>& types);

// How hard an element is to take in: 0 for zero, 1 for one, little for powers
// of two, then more with every significant bit and every one among them.
std::uint64_t complexity(DType t, std::uint64_t bits);
std::uint64_t complexity(const Arg& arg);

// 0 for f32, i64 and bool, which a reader need not think about.
std::size_t dtype_rank(DType t);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REDUCE_WEIGHT_H_
