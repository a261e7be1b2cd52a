// A CUBIN: the ELF file that an assembler makes of PTX for one target. Read as
// data, with nothing of CUDA.
#ifndef ASSAY_PTX_LINT_CUBIN_H_
#define ASSAY_PTX_LINT_CUBIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "ptx/lint/sass.h"

namespace assay::ptx {

struct CubinKernel {
  std::string name;
  // Without the assembler's own subroutines, which stand behind the kernel in
  // its section: the slow paths of division and square root.
  std::vector<SassWord> code;
  unsigned registers = 0;
  std::uint64_t local_bytes = 0;   // of a thread: arrays and spilled registers
  std::uint64_t shared_bytes = 0;  // static
};

struct Cubin {
  int sm = 0;  // 90 also for sm_90a: the file does not tell them apart
  std::vector<CubinKernel> kernels;
};

// Fails on what is no such file, or one that is cut off.
Result<Cubin> read_cubin(std::string_view bytes);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LINT_CUBIN_H_
