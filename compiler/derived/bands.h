// Sums of which few terms count: those within a distance of a place that is
// computed, as where a plane is resized or sampled.
#ifndef ASSAY_COMPILER_DERIVED_BANDS_H_
#define ASSAY_COMPILER_DERIVED_BANDS_H_

#include <vector>

#include "compiler/derived/formula_builder.h"

namespace assay::compiler {

// As f.fold. Where a sum's term is 0 unless |x - i| < r, of one of its
// variables i, a place x that is the same for all of them and a number r, the
// variable goes over the whole numbers next to x alone.
int fold_within_bands(FormulaBuilder& f, Combiner combiner,
                      std::vector<Term::Range> ranges, int term);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_BANDS_H_
