// Does an exception keep the promise that a program must be refused?
#ifndef ASSAY_HARNESS_ERROR_CONTRACT_H_
#define ASSAY_HARNESS_ERROR_CONTRACT_H_

#include <string>

#include "core/result.h"
#include "harness/subject.h"
#include "reference/oracle.h"

namespace assay {

struct ErrorMatch {
  bool conforms = false;
  // It conforms, but the subject names another promise than the one broken.
  bool wrong_clause = false;
  std::string reason;  // empty where nothing is to be said
};

// A class matches if it is the exception's own, one of its bases, or one of
// an exception that caused it. An error is a pattern that is no regular
// expression: the spec's fault.
Result<ErrorMatch> match_error(const GoldenError& due,
                               const RaisedError& raised);

}  // namespace assay

#endif  // ASSAY_HARNESS_ERROR_CONTRACT_H_
