// What an accuracy entry grants at one element. Tolerances are computed in
// double and rounded up: a bound may be wider than stated by a part in a
// billion. Sums: gamma_h of Higham, section 3.1 (docs/accuracy.md).
#ifndef ASSAY_REFERENCE_ELEMENTS_TOLERANCES_H_
#define ASSAY_REFERENCE_ELEMENTS_TOLERANCES_H_

#include <optional>

#include "reference/elements/expressions.h"

namespace assay::reference {

template <class N>
class Tolerances {
 public:
  // `expressions` must outlive it.
  explicit Tolerances(Expressions<N>* expressions)
      : expressions_(*expressions) {}

  // Nothing where the entry grants none. Call after the element's own value
  // has been evaluated: contractions leave their magnitudes behind.
  std::optional<Tolerance> at(const Nest& plan, Frame& frame,
                              const Set<N>& exact_values);

 private:
  Tolerance of_sums(const Nest& plan, Frame& frame, const Set<N>& exact_values);
  Magnitude magnitude(const Nest& plan, int node, Frame& frame);
  Magnitude magnitude_of_sum(const Nest& plan, int reduction, Frame& frame);

  Expressions<N>& expressions_;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ELEMENTS_TOLERANCES_H_
