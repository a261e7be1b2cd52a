// What the oracle says of a program: an acceptance set per output element, or
// the error that must come.
#ifndef ASSAY_REFERENCE_GOLDEN_GOLDEN_H_
#define ASSAY_REFERENCE_GOLDEN_GOLDEN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace assay::reference {

// fused: implicit intermediates may keep more precision than their dtype,
// explicit casts may not vanish. strict: every operation rounds to its dtype.
enum class Numerics { fused, strict };

// Every value of an output's dtype from `lo` to `hi`: bit patterns, in the
// order of values with -0 below +0 for floats, in numeric order for integers
// and bool.
struct ElementRange {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  bool operator==(const ElementRange&) const = default;
};

// What is admissible for one element of an output: every value from `lo` to
// `hi`, if `has_values`, or those in `pieces`.
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
  // Two ranges or more, rising, with inadmissible values between them, from lo
  // to hi. Null: all of lo to hi.
  std::shared_ptr<const std::vector<ElementRange>> pieces;
};

struct GoldenOutput {
  // dtype and sizes; strides row-major. Of a complex output that of its parts,
  // which are a last dimension of 2.
  TensorType type;
  bool is_complex = false;
  std::vector<ElementSet> elements;  // row-major
  // The exact value (a point near the middle of an enclosure of it) and the
  // distance from it to the farther end of the set; for error_over_bound.
  std::vector<double> exact;
  std::vector<double> bound;
  std::vector<std::string> clauses;  // "exp/A1": what decides an element
  // By which the quality of sums is judged (harness/judge/quality.h): the
  // distance from `exact` that the declared tree grants, 0 where it does not
  // matter; the scale of a random error, 0 where the result is rounded to
  // another format. Empty where no element has any.
  std::vector<double> tree, spread;

  // What a subject returns.
  TensorType returned() const;
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
  // Of one answer to the program: what its operations promise of all results
  // together. Each element must be true (harness/judge/relations.h).
  std::vector<GoldenOutput> relations;
  int precision = 53;  // bits of the engine that decided it
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_GOLDEN_GOLDEN_H_
