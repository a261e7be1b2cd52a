// How an operation says that it does not answer: thrown by what plans or runs
// it, and handed over the plugin's interface as codes.
#ifndef ASSAY_KIT_FAILURE_H_
#define ASSAY_KIT_FAILURE_H_

#include <string>
#include <utility>

#include "assay/plugin.h"

namespace assay::kit {

// The program is invalid: PyTorch raises here. The error contract.
struct Raised {
  std::string exception;  // Python class name, "RuntimeError"
  std::string message;
  std::string clause = {};  // the promise that refused, "bmm/E4", if known
};

// The program is not one that the plugin claims: declared before it runs.
struct Unsupported {
  std::string reason;
};

// Fills `error` in, as far as its struct_size goes, and returns `code`. The
// strings stay valid until the thread reports again.
AssayCode report(AssayError* error, AssayCode code, Raised text);

inline AssayCode report_internal(AssayError* error, std::string message) {
  return report(error, ASSAY_INTERNAL, {"", std::move(message)});
}
inline AssayCode report_unsupported(AssayError* error, std::string reason) {
  return report(error, ASSAY_UNSUPPORTED, {"", std::move(reason)});
}

}  // namespace assay::kit

#endif  // ASSAY_KIT_FAILURE_H_
