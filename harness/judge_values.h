// Values: every element of every output against its acceptance set.
#ifndef ASSAY_HARNESS_JUDGE_VALUES_H_
#define ASSAY_HARNESS_JUDGE_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "harness/plain.h"
#include "harness/result.h"
#include "reference/oracle.h"

namespace assay {

// What is wrong with the number, dtypes or sizes of outputs; empty if nothing.
std::string metadata_fault(const Golden& golden,
                           const std::vector<Tensor>& outputs);

// Requires metadata without fault. Sets status, clause (that of the worst
// element), counts, error_over_bound, reason and witness.
void judge_values(const Golden& golden, const std::vector<Tensor>& inputs,
                  const std::vector<Tensor>& outputs, bool elementwise,
                  CaseResult* result);

// Hash of dtypes, sizes and bits; all NaN of a type count as one value.
std::uint64_t hash_outputs(const std::vector<Tensor>& outputs);

// Largest first, equal errors by position: the elements outside their sets,
// at most `limit`.
struct WrongElement {
  int output = 0;
  std::int64_t element = 0;
  double error = 0;  // over bound
};
std::vector<WrongElement> worst_elements(const Golden& golden,
                                         const std::vector<Tensor>& outputs,
                                         std::size_t limit);

// The witness for one element, right or wrong.
Witness make_witness(const Golden& golden, const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& outputs, bool elementwise,
                     int output, std::int64_t element);

}  // namespace assay

#endif  // ASSAY_HARNESS_JUDGE_VALUES_H_
