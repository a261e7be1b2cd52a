// The judge: what was observed against what is admissible. A pure function,
// so that a recording can be judged again anywhere.
#ifndef ASSAY_HARNESS_JUDGE_H_
#define ASSAY_HARNESS_JUDGE_H_

#include <string>
#include <vector>

#include "harness/executor.h"
#include "harness/result.h"
#include "harness/subject.h"
#include "reference/oracle.h"
#include "suite/case.h"
#include "suite/spec.h"

namespace assay {

// Protocol clauses. P1 to P3 come from the worker (docs/subject-protocol.md).
inline constexpr const char* kMetadataClause = "M1";
inline constexpr const char* kProtocolClause = "P0";

// Judges one observation of one case. case_path, status, clause, evidence,
// error_over_bound, counts, reason, witness, seconds and output_hash are set;
// column, verdict and known are the caller's. `golden` has been made coherent
// with the observation (harness/coherence.h); `specs`, where given, helps to
// name a witness's operands.
CaseResult judge(const Case& c, const std::vector<Tensor>& inputs,
                 const Golden& golden, const Observation& observation,
                 const SpecSet* specs = nullptr);

// The result of a case for which there is no golden: nobody's fault but ours.
CaseResult no_golden(const Case& c, const std::string& why);

// The types of a golden's outputs, for subjects that do not allocate them.
std::vector<TensorType> expected_types(const Golden& golden);

}  // namespace assay

#endif  // ASSAY_HARNESS_JUDGE_H_
