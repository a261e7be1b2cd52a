// The oracle: what a program must return, worked out from the specs alone.
#ifndef ASSAY_REFERENCE_ORACLE_ORACLE_H_
#define ASSAY_REFERENCE_ORACLE_ORACLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "reference/golden/golden.h"
#include "suite/language/model/spec.h"

namespace assay::reference {

struct OracleOptions {
  Numerics numerics = Numerics::fused;
  TorchVersion torch = kDefaultTorch;  // the release that is followed
  // Explicit casts may vanish as well: by which the judge names a failure, and
  // no subject passes. Only with fused numerics.
  bool elided_casts = false;
  // Values of nodes that a subject returned: consumers are judged from them
  // (coherence). Keyed by value id.
  std::map<int, Tensor> observed;
  int first_precision = 53;  // 53: double intervals; more: MPFR intervals
  int last_precision = 4096;
};

class Oracle {
 public:
  explicit Oracle(const language::SpecSet& specs);
  ~Oracle();

  // Escalates precision until every element of every output is decided, up
  // to options.last_precision. An error means that no golden can be given:
  // unknown operation, spec fault, or undecided (status internal_error).
  Result<Golden> golden(const Program& program,
                        const std::vector<Tensor>& inputs,
                        const OracleOptions& options = {}) const;

  // Text for `assay explain`: one element of one output, and the elements it
  // was computed from, with operation, clause, bound and enclosure (explain.h).
  Result<std::string> explain(const Program& program,
                              const std::vector<Tensor>& inputs,
                              const OracleOptions& options, int output,
                              std::int64_t element) const;

 private:
  const language::SpecSet* specs_;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ORACLE_ORACLE_H_
