// LibTorch's exceptions as a Python user would see them.
#ifndef ASSAY_HARNESS_WORKERS_EAGER_EAGER_ERRORS_H_
#define ASSAY_HARNESS_WORKERS_EAGER_EAGER_ERRORS_H_

#include <string>

#include "harness/workers/serve.h"

namespace assay::harness::worker {

// Call inside a catch block. Out of memory and faults that are not the
// program's have their own kinds; anything else is a refusal.
Failure failure_of_current_exception();

// A refusal that Python's own call checking would give.
Failure refused(const std::string& exception, std::string message);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_EAGER_EAGER_ERRORS_H_
