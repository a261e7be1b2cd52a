// The build for CPUs with AVX2 and FMA.
#define ASSAY_LANES_NAMESPACE lanes_v3
#include "ptx/lanes/lanes_body.inc"
