// Who is asked for the results of a sweep: a worker process, or the C library
// of this process, function by function.
#ifndef ASSAY_HARNESS_SWEEP_SUBJECT_H_
#define ASSAY_HARNESS_SWEEP_SUBJECT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/subject/executor.h"
#include "reference/sweep/sweep.h"

namespace assay::harness {

class SweepSubject {
 public:
  virtual ~SweepSubject() = default;
  virtual Result<Identity> identify() = 0;
  // The results of inputs first ... first + n - 1, contiguous. An error says
  // what the subject did instead.
  virtual Result<Tensor> results(const reference::Sweep& sweep,
                                 std::uint64_t first, std::int64_t n) = 0;
  // Was the last error the device's, which is lost twice for these inputs?
  // Others may still fare well.
  virtual bool lost_device() const { return false; }
};

// One thread drives one executor.
std::unique_ptr<SweepSubject> executor_subject(
    std::unique_ptr<Executor> executor);

// "libm": the float functions of the C library, for operations that are one
// elementary function (exp10f aside), and 1 / sqrtf(x) for rsqrt. The library
// chooses its own variants for this CPU.
std::unique_ptr<SweepSubject> libm_subject();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SWEEP_SUBJECT_H_
