// Single changes of a valid call, each of which some promise may refuse.
#ifndef ASSAY_SUITE_CASES_INVALID_MUTATE_H_
#define ASSAY_SUITE_CASES_INVALID_MUTATE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suite/cases/valid/call.h"

namespace assay::cases {

struct Mutation {
  std::string kind;   // rank size layout dtype dtypes value number attr
                      // duplicate length absent; repeated meeting turned
  std::string param;  // the one that changes, empty if several do
  std::optional<std::size_t> operand;  // its index in operands(), if a tensor
  // Segment of the path where the rest of it does not show the change:
  // "index.3=-1".
  std::string segment;
  // Independent of other changes of other parameters.
  std::function<void(Call*)> apply;
  // The valid call that differs in this respect alone, and the segment of its
  // path, where that is not the call which is changed.
  std::function<void(Call*)> control;
  std::string control_segment;
};

// Every single change worth trying:
// - an operand's rank: one more dimension in front or behind, one less, none;
// - one of its sizes: one more, one less, 0, 1;
// - its layout: transposed, strided, where a requirement reads strides;
// - its dtype: every other; the dtype of all operands at once;
// - a Python number in its place, none in its place, where the schema allows;
// - elements of tensors that a requirement reads. Integers: below 0, at and
//   beyond the sizes of the other operands, the ends of their type. Floats:
//   next to and beyond the numbers in the requirement, infinities and NaN;
// - attributes: integers at and around ranks and sizes of either sign, lists
//   longer, shorter, with an entry repeated or out of range, numbers of other
//   kinds and magnitudes, other strings and dtypes, the other bool, none.
std::vector<Mutation> mutations(const Call& base);

// One operand in c64, and all of them.
std::vector<Mutation> complex_operands(const Call& base);
// All operands of one type in type `t`, for each of their types.
std::vector<Mutation> operands_of_type(const Call& base, DType t);

// Gives an operand another dtype, and other elements where its own cannot be.
void set_type(Operand* o, DType t);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_INVALID_MUTATE_H_
