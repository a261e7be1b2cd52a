// The oracle: what a program must return, worked out from the specs alone.
#ifndef ASSAY_REFERENCE_ORACLE_H_
#define ASSAY_REFERENCE_ORACLE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "suite/spec.h"

namespace assay {

// fused: implicit intermediates may keep more precision than their dtype,
// explicit casts may not vanish. strict: every operation rounds to its dtype.
enum class Profile { fused, strict };

// What is admissible for one element of an output of dtype T: every T value
// from `lo` to `hi` (bit patterns; for floats in the order of values with -0
// below +0, for integers and bool in numeric order), if `has_values`.
struct ElementSet {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  bool has_values = true;  // false: only NaN is admissible
  bool nan = false;        // any NaN is admissible
  bool any_zero_sign = false;
  bool unspecified = false;  // anything is admissible (an undefined clause)
  // The rounding of an end point was not decided at the precision used.
  bool undecided = false;
  std::uint16_t clause = 0;  // index into GoldenOutput::clauses
  // Of an index that is left open: these alone of lo to hi, rising. Null: all.
  std::shared_ptr<const std::vector<std::uint64_t>> members;
};

struct GoldenOutput {
  TensorType type;                   // dtype and sizes; strides row-major
  std::vector<ElementSet> elements;  // row-major
  // The exact value (a point near the middle of an enclosure of it) and the
  // distance from it to the farther end of the set; for error_over_bound.
  std::vector<double> exact;
  std::vector<double> bound;
  std::vector<std::string> clauses;  // "exp/A1": what decides an element
  // Of sums, what their quality is told by (harness/quality.h): the distance
  // from `exact` that the declared tree grants, 0 where it is no matter; the
  // scale of a random error, 0 where the result is rounded to another format.
  // Empty where no element has any.
  std::vector<double> tree, spread;
};

struct GoldenError {
  std::string clause;  // "bmm/E4"
  std::vector<std::string> raises;
  std::string message;  // regular expression or empty
  std::string phase;    // or empty
};

struct Golden {
  std::optional<GoldenError> error;   // set: the program must be refused
  std::vector<GoldenOutput> outputs;  // else one per program output
  int precision = 53;                 // bits of the engine that decided it
};

struct OracleOptions {
  Profile profile = Profile::fused;
  TorchVersion torch = kDefaultTorch;  // the release that is followed
  // Values of nodes that a subject returned: consumers are judged from them
  // (coherence). Keyed by value id.
  std::map<int, Tensor> observed;
  int first_precision = 53;  // 53: double intervals; more: MPFR intervals
  int last_precision = 4096;
};

class Oracle {
 public:
  explicit Oracle(const SpecSet& specs);
  ~Oracle();

  // Escalates precision until every element of every output is decided, up
  // to options.last_precision. An error means that no golden can be given:
  // unknown operation, spec fault, or undecided (status internal_error).
  Result<Golden> golden(const Program& program,
                        const std::vector<Tensor>& inputs,
                        const OracleOptions& options = {}) const;

  // The set of every node, printed: for `assay explain`. One line per node
  // and listed element: operation, clause, bound evaluated, enclosure.
  Result<std::string> explain(const Program& program,
                              const std::vector<Tensor>& inputs,
                              const OracleOptions& options, int output,
                              std::int64_t element) const;

 private:
  const SpecSet* specs_;
};

// Is `bits` of dtype `t` in the set?
bool admits(const ElementSet& set, DType t, std::uint64_t bits);

// |got - exact| / bound, infinity where the classes differ; 0 if equal.
double error_over_bound(const GoldenOutput& golden, std::int64_t element,
                        std::uint64_t bits);

// Share of elements with exactly one admissible bit pattern (NaN counts as
// one).
double share_single_valued(const GoldenOutput& golden);
// Why a golden is vacuous, empty if it is not. A lazy answer may be admitted
// for `share` of an output's elements, and for one of three or more.
std::string vacuity(const Golden& golden, const Program& program,
                    const std::vector<Tensor>& inputs, double share);

}  // namespace assay

#endif  // ASSAY_REFERENCE_ORACLE_H_
