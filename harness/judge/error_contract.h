// Does an exception keep the promise that a program must be refused?
#ifndef ASSAY_HARNESS_JUDGE_ERROR_CONTRACT_H_
#define ASSAY_HARNESS_JUDGE_ERROR_CONTRACT_H_

#include <string>

#include "core/result.h"
#include "harness/subject/observation.h"
#include "reference/oracle/oracle.h"

namespace assay::harness {

struct ErrorMatch {
  bool conforms = false;
  // It conforms, but the subject names another promise than the one broken.
  bool wrong_clause = false;
  std::string reason;  // empty where nothing is to be said
};

// A class matches if it is the exception's own, one of its bases, or the same
// of an exception that caused it. Fails where the spec's pattern is no regular
// expression.
Result<ErrorMatch> match_error(const reference::GoldenError& due,
                               const RaisedError& raised);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_ERROR_CONTRACT_H_
