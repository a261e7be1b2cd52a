// The build for any CPU.
#define ASSAY_LANES_NAMESPACE lanes_baseline
#include "ptx/machine/lanes_body.inc"
