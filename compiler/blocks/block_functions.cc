#include "compiler/blocks/block_functions.h"

namespace assay::compiler {

#if defined(__x86_64__)
extern const BlockFunctions block_functions_v3;
extern const BlockFunctions block_functions_v4;
#endif

const BlockFunctions* block_functions([[maybe_unused]] std::string_view march) {
#if defined(__x86_64__)
  if (march == "x86-64-v4") return &block_functions_v4;
  if (march == "x86-64-v3") return &block_functions_v3;
#endif
  return nullptr;
}

}  // namespace assay::compiler
