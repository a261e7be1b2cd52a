// The arithmetic on 32 lanes that kernels spend their time in. It is compiled
// twice from one text, for any CPU and for those with AVX2 and FMA
// (x86-64-v3), and the program takes what the CPU has. The results are the
// same: each expression has one rounding, which IEEE 754 defines.
#ifndef ASSAY_PTX_LANES_LANES_H_
#define ASSAY_PTX_LANES_LANES_H_

#include <cstdint>

#include "ptx/machine/operation.h"

namespace assay::ptx {

// In families of three, the _16, _32 and _64 forms follow one another.
enum class Lane : std::uint16_t {
#define LANE1(name, D, A, value) name,
#define LANE2(name, D, A, B, value) name,
#define LANE3(name, D, A, B, C, value) name,
#define COMPARE(name, A, value) name,
#define SELECT(name, D) name,
#include "ptx/lanes/lanes_float.inc"
#include "ptx/lanes/lanes_integer.inc"
#undef LANE1
#undef LANE2
#undef LANE3
#undef COMPARE
#undef SELECT
  count,
};

enum class LanesBuild : std::uint8_t { baseline, v3 };

// The build that this CPU can run.
LanesBuild best_lanes_build();
// Null if this CPU cannot run that build or it was not compiled.
LanesRun lanes_of(LanesBuild build, Lane lane);
// From the best build.
LanesRun lanes_run(Lane lane);

// The form for registers of 16, 32 or 64 bits of the family that `first`, its
// _16 form, begins.
inline Lane for_width(Lane first, unsigned bits) {
  unsigned step = bits == 16 ? 0 : bits == 32 ? 1 : 2;
  return static_cast<Lane>(static_cast<unsigned>(first) + step);
}
inline Lane operator+(Lane first, unsigned step) {
  return static_cast<Lane>(static_cast<unsigned>(first) + step);
}

namespace lanes_baseline {
LanesRun find(Lane lane);
}
namespace lanes_v3 {
LanesRun find(Lane lane);
}

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LANES_LANES_H_
