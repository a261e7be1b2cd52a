// All 2^32 f32 patterns but the NaNs to each of the seven narrower formats.
// Minutes: label long.
#include "reference/testing/conversion_testing.h"

namespace assay::reference {
namespace {

TEST(ConversionSweep, EveryF32) {
  for (const DType t : kNarrow) sweep(t, 1);
}

}  // namespace
}  // namespace assay::reference
