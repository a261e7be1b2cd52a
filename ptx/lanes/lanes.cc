#include "ptx/lanes/lanes.h"

namespace assay::ptx {

LanesBuild best_lanes_build() {
#ifdef ASSAY_PTX_HAVE_V3
  static const bool capable =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (capable) return LanesBuild::v3;
#endif
  return LanesBuild::baseline;
}

LanesRun lanes_of(LanesBuild build, Lane lane) {
  if (build == LanesBuild::baseline) return lanes_baseline::find(lane);
#ifdef ASSAY_PTX_HAVE_V3
  if (best_lanes_build() == LanesBuild::v3) return lanes_v3::find(lane);
#endif
  return nullptr;
}

LanesRun lanes_run(Lane lane) { return lanes_of(best_lanes_build(), lane); }

}  // namespace assay::ptx
