// The real subjects and the real oracle behind the harness's interfaces.
#ifndef ASSAY_HARNESS_LIVE_H_
#define ASSAY_HARNESS_LIVE_H_

#include <memory>

#include "harness/executor.h"
#include "harness/subject.h"
#include "suite/spec.h"

namespace assay {

// A worker process of that subject; not yet started.
std::unique_ptr<Executor> live_executor(const SubjectConfig& config);

// `specs` must outlive it.
std::unique_ptr<GoldenSource> live_oracle(const SpecSet& specs);

}  // namespace assay

#endif  // ASSAY_HARNESS_LIVE_H_
