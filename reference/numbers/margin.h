// The relative error granted to a double function of the C library or of
// SLEEF: 1024 ulps, over 300 times the worst error seen in any of them.
#ifndef ASSAY_REFERENCE_NUMBERS_MARGIN_H_
#define ASSAY_REFERENCE_NUMBERS_MARGIN_H_

namespace assay::reference {

inline constexpr double kMargin = 0x1p-42;

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_MARGIN_H_
