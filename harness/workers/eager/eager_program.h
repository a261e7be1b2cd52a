// A program executed node by node through LibTorch's dispatcher, operations
// looked up by name. Nothing here knows any operation.
#ifndef ASSAY_HARNESS_WORKERS_EAGER_EAGER_PROGRAM_H_
#define ASSAY_HARNESS_WORKERS_EAGER_EAGER_PROGRAM_H_

#include <memory>
#include <string>

#include "harness/workers/serve.h"

namespace assay::harness::worker {

// Refuses unknown text (internal) and operations that this LibTorch does not
// have or that do not return one tensor (unsupported).
Outcome<std::unique_ptr<Executable>> eager_compile(const std::string& text);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_EAGER_EAGER_PROGRAM_H_
