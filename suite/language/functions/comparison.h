// The six comparisons. Nothing more stands here: the loops of the sweeps, which
// may include no inline function, know them too.
#ifndef ASSAY_SUITE_LANGUAGE_FUNCTIONS_COMPARISON_H_
#define ASSAY_SUITE_LANGUAGE_FUNCTIONS_COMPARISON_H_

namespace assay::language {

enum class Comparison { eq, ne, lt, le, gt, ge };

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FUNCTIONS_COMPARISON_H_
