// What a CUDA target's name says of its generation.
#ifndef ASSAY_COMPILER_TEXT_CUDA_SM_NUMBER_H_
#define ASSAY_COMPILER_TEXT_CUDA_SM_NUMBER_H_

#include <cstdlib>
#include <string>

namespace assay::compiler {

// 90 of "sm_90a".
inline int sm_number(const std::string& target) {
  return std::atoi(target.c_str() + target.find('_') + 1);
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CUDA_SM_NUMBER_H_
