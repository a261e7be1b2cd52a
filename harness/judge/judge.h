// The judge: what was observed against what is admissible. A pure function,
// so that a recording can be judged again anywhere.
#ifndef ASSAY_HARNESS_JUDGE_JUDGE_H_
#define ASSAY_HARNESS_JUDGE_JUDGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "harness/records/result.h"
#include "harness/subject/observation.h"
#include "reference/oracle/oracle.h"
#include "suite/cases/case.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// Protocol clauses. P1 to P3 come from the worker (docs/subject-protocol.md).
inline constexpr const char* kMetadataClause = "M1";
inline constexpr const char* kLayoutClause = "M2";
inline constexpr const char* kSharingClause = "M4";
inline constexpr const char* kProtocolClause = "P0";

// Judges one observation of one case. case_path, status, failure (never elided
// or incoherent: adjudicate.h), clause, evidence, error_over_bound, counts,
// reason, witness, seconds and output_hash are set; column, verdict and known
// are the caller's. `golden` has been made coherent with the observation
// (coherence.h); `specs`, where given, promise layouts (layout.h), and help to
// name a witness's operands.
CaseResult judge(const cases::Case& c, const std::vector<Tensor>& inputs,
                 const reference::Golden& golden,
                 const Observation& observation,
                 const language::SpecSet* specs = nullptr);

// The result of a case for which there is no golden: nobody's fault but ours.
CaseResult no_golden(const cases::Case& c, const std::string& why);

// The types of a golden's outputs, for subjects that do not allocate them.
std::vector<TensorType> expected_types(const reference::Golden& golden);

// What is wrong with the number, dtypes or sizes of outputs; empty if nothing.
std::string metadata_fault(const reference::Golden& golden,
                           const std::vector<Tensor>& outputs);

// Hash of dtypes, sizes and bits; all NaN of a type count as one value.
std::uint64_t hash_outputs(const std::vector<Tensor>& outputs);

// The elements outside their sets, the largest errors first and equal ones by
// position; at most `limit`.
struct WrongElement {
  int output = 0;
  std::int64_t element = 0;
  double error = 0;  // over bound
};
std::vector<WrongElement> worst_elements(const reference::Golden& golden,
                                         const std::vector<Tensor>& outputs,
                                         std::size_t limit);

// The witness for one element, right or wrong.
Witness make_witness(const reference::Golden& golden,
                     const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& outputs, bool elementwise,
                     int output, std::int64_t element);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_JUDGE_H_
