// Where a clause comes from: file, line, wording and source.
#ifndef ASSAY_HARNESS_REPORT_CLAUSE_ORIGIN_H_
#define ASSAY_HARNESS_REPORT_CLAUSE_ORIGIN_H_

#include <optional>
#include <string>

#include "suite/language/model/spec.h"

namespace assay::harness {

struct ClauseOrigin {
  std::string where;    // "specs/ops/matmul/bmm.yaml:14:3"
  std::string wording;  // "ulp: 1 + abs(x[i...]), in opmath"
  std::string source;   // documentation, empty if none is given
};

// `clause` is "exp/A1". Empty where the specs have none of that name (M1 and
// the protocol's P clauses are not the specs').
std::optional<ClauseOrigin> find_clause(const language::SpecSet& specs,
                                        const std::string& clause);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_CLAUSE_ORIGIN_H_
