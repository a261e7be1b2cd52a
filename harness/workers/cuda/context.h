// The one CUDA context of this process, with its stream.
#ifndef ASSAY_HARNESS_WORKERS_CUDA_CONTEXT_H_
#define ASSAY_HARNESS_WORKERS_CUDA_CONTEXT_H_

#include <string>

#include "core/result.h"
#include "harness/workers/cuda/cuda_driver.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker::cuda {

class Context {
 public:
  // The primary context of the first device. The failure says why there is
  // none.
  static Outcome<Context> create();

  const Driver& driver() const { return driver_; }
  const DeviceFacts& facts() const { return facts_; }
  CUstream stream() const { return stream_; }

  // Waits for all that was asked of the stream.
  CUresult wait() const { return driver_.cuStreamSynchronize(stream_); }

  // Words for an error, which failure() remembers.
  Error failed(const std::string& doing, CUresult error);
  // What an operation that ended with `message` is to the harness: device_lost
  // where the context is, by the driver's last error.
  Failure failure(const std::string& message) const;

 private:
  Driver driver_;
  DeviceFacts facts_;
  CUstream stream_ = nullptr;
  CUresult error_ = kSuccess;
};

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_CONTEXT_H_
