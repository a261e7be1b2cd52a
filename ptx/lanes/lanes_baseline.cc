// The build for any CPU.
#define ASSAY_LANES_NAMESPACE lanes_baseline
#include "ptx/lanes/lanes_body.inc"
