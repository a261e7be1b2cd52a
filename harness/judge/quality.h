// How good conforming sums are: by the tree that their operation is declared to
// use, and by the statistics of a whole tensor of them. A conforming result
// that is worse is a quality_warning, never a failure: the bound of any order
// of summation (gamma_h) is a theorem, these are expectations.
#ifndef ASSAY_HARNESS_JUDGE_QUALITY_H_
#define ASSAY_HARNESS_JUDGE_QUALITY_H_

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "reference/oracle/oracle.h"

namespace assay::harness {

// With fewer results there is no distribution to speak of.
inline constexpr std::size_t kLeastResults = 64;

struct QualityFault {
  std::string clause;  // "sum/A1"
  std::string reason;
};

// What is worse than expected of conforming outputs: the first of
// - an error beyond that of the declared tree;
// - the variance of e, the errors in units of u * sum |terms| * sqrt(terms):
//   sum e^2 <= 0.4 T over the T results of a tensor;
// - where `unbiased`, their bias: |sum e| <= 2 sqrt(T).
// Variance and bias as in the check of dot products in TOSA's conformance
// tests (reference model, verify_dot_product.cc), which has them for the error
// in units of u * sum |terms| and KS terms: 0.4 KS T and 2 sqrt(KS T).
std::optional<QualityFault> quality_fault(const reference::Golden& golden,
                                          const std::vector<Tensor>& outputs,
                                          bool unbiased);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_QUALITY_H_
