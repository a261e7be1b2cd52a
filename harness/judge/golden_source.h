// The oracle as the judge asks it: an interface, so that tests can put a fake
// in its place.
#ifndef ASSAY_HARNESS_JUDGE_GOLDEN_SOURCE_H_
#define ASSAY_HARNESS_JUDGE_GOLDEN_SOURCE_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "reference/oracle/oracle.h"

namespace assay::harness {

// Called by several threads at once.
class GoldenSource {
 public:
  virtual ~GoldenSource() = default;
  virtual Result<reference::Golden> golden(
      const Program& program, const std::vector<Tensor>& inputs,
      const reference::OracleOptions& options) const = 0;
  // Why the golden could not tell right from wrong; empty if it can. `share`
  // of an output's elements may admit a lazy answer.
  virtual std::string vacuity(const reference::Golden& golden,
                              const Program& program,
                              const std::vector<Tensor>& inputs,
                              double share) const = 0;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_GOLDEN_SOURCE_H_
