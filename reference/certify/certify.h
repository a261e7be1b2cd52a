// The oracle's elementary functions against Arb: two rigorous evaluators that
// must agree on every input.
#ifndef ASSAY_REFERENCE_CERTIFY_CERTIFY_H_
#define ASSAY_REFERENCE_CERTIFY_CERTIFY_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/certify/rounded.h"

namespace assay::reference {

struct Disagreement {
  std::uint64_t input = 0;
  std::optional<std::uint64_t> mpfr, arb;  // nothing: not decided
};

struct Certificate {
  Elementary function = Elementary::exp;
  DType dtype = DType::f32;
  std::uint64_t compared = 0;
  std::uint64_t disagreements = 0;
  std::vector<Disagreement> examples;  // the first ones
};

// Inputs where a function leaves its domain, overflows, underflows, saturates
// or changes sign, powers of two, small integers and halves, multiples of
// pi / 2, and the neighbours of all these.
std::vector<std::uint64_t> telling_inputs(Elementary f, DType t);

// Compares every input in f16 and bf16, in other formats `samples` random bit
// patterns and the telling inputs, on `jobs` threads. Stops early when `stop`
// is set, with what it has compared.
Certificate certify(Elementary f, DType t, std::uint64_t samples, int jobs,
                    const std::atomic<bool>* stop);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_CERTIFY_CERTIFY_H_
