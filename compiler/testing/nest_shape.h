// How long the loops of a nest are, as text.
#ifndef ASSAY_COMPILER_TESTING_NEST_SHAPE_H_
#define ASSAY_COMPILER_TESTING_NEST_SHAPE_H_

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <variant>

#include "compiler/nest/nest.h"

namespace assay::compiler {

// "[4 3] x 70, ": of each kernel the points and a row's length. All of them
// have loops.
inline std::string shape_of(const Nest& nest) {
  std::string text;
  for (const Kernel& k : nest.kernels) {
    const auto& loops = std::get<LoopKernel>(k);
    text += fmt::format("[{}] x {}, ", fmt::join(loops.outer, " "), loops.row);
  }
  return text;
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TESTING_NEST_SHAPE_H_
