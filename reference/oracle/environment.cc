#include "reference/oracle/environment.h"

#include <cfenv>
#include <limits>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace assay::reference {

Status check_environment() {
  if (std::fegetround() != FE_TONEAREST) {
    return Error{
        "the oracle needs rounding to nearest, but this thread rounds "
        "otherwise; run the code that changed it in a process of its own"};
  }
#if defined(__SSE2__)
  constexpr unsigned kStatus = 0x3f;
  constexpr unsigned kDefault = 0x1f80;
  if ((_mm_getcsr() & ~kStatus) != kDefault) {
    return Error{
        "the oracle needs the default floating-point environment, but MXCSR "
        "flushes subnormals or traps; run the code that changed it (often a "
        "library linked with -ffast-math) in a process of its own"};
  }
#endif
  volatile double smallest = std::numeric_limits<double>::min();
  volatile double half = smallest / 2;
  if (half == 0 || half + half != smallest) {
    return Error{"the oracle needs subnormals, but this thread flushes them"};
  }
  return success();
}

}  // namespace assay::reference
