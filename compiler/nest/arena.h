// Where a nest's temporaries lie in one piece of memory.
#ifndef ASSAY_COMPILER_NEST_ARENA_H_
#define ASSAY_COMPILER_NEST_ARENA_H_

#include <cstdint>
#include <vector>

#include "compiler/nest/nest.h"

namespace assay::compiler {

struct ArenaPlan {
  // Per buffer of the nest: bytes from the arena's start, a multiple of
  // kArenaAlignment; -1 of those that are no temporaries.
  std::vector<std::int64_t> offsets;
  std::int64_t bytes = 0;
};
inline constexpr std::int64_t kArenaAlignment = 64;

// Temporaries overlap only where no kernel comes between the first and the last
// that touch the one and those that touch the other.
ArenaPlan plan_arena(const Nest& nest);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_ARENA_H_
