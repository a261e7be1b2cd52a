// The six comparisons, and nothing more: the loops of the sweeps, which may
// include no inline function, use them too.
#ifndef ASSAY_SUITE_LANGUAGE_FUNCTIONS_COMPARISON_H_
#define ASSAY_SUITE_LANGUAGE_FUNCTIONS_COMPARISON_H_

namespace assay::language {

enum class Comparison { eq, ne, lt, le, gt, ge };

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FUNCTIONS_COMPARISON_H_
