#ifndef ASSAY_COMPILER_DERIVED_UNSUPPORTED_H_
#define ASSAY_COMPILER_DERIVED_UNSUPPORTED_H_

#include <string>

namespace assay::compiler {

// Thrown for what cannot be lowered; lower_nest() turns it into its error.
struct Unsupported {
  std::string what;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_UNSUPPORTED_H_
