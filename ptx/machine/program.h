// A module in the form in which it runs: one flat list of operations for each
// entry, with called functions inlined.
#ifndef ASSAY_PTX_MACHINE_PROGRAM_H_
#define ASSAY_PTX_MACHINE_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "ptx/machine/operation.h"
#include "ptx/text/module.h"

namespace assay::ptx {

enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
  dynamic_smem_size,
  total_smem_size,
};

// What one ld, st, atom or red accesses.
struct Access {
  Space space = Space::generic;
  unsigned bytes = 4;  // of one element
  bool sign_extend = false;
  bool address_is_32 = false;
  bool is_volatile = false;  // or relaxed, acquire, release: synchronises
  std::vector<std::uint32_t> slots;  // of the elements, in memory order
  std::vector<unsigned> widths;      // bytes of their registers
};

// A slot with the same value in all lanes, known before the kernel runs.
struct Constant {
  enum class Kind : std::uint8_t {
    bits,               // value
    variable,           // address of globals[index] + value
    parameter,          // `width` bytes of the parameters at `index`
    parameter_address,  // generic address of parameter byte `value`
  };
  Kind kind = Kind::bits;
  std::uint32_t slot = 0;
  unsigned width = 4;
  std::uint32_t index = 0;
  std::uint64_t value = 0;
  bool sign_extend = false;   // of a parameter
  unsigned source_width = 0;  // of a parameter
};

struct SpecialSlot {
  Special special;
  std::uint32_t slot;
  unsigned width;
};

struct Kernel {
  std::string name;
  std::vector<Operation> code;
  std::vector<const Instruction*> instructions;  // by Operation::source
  std::vector<Access> accesses;
  std::vector<std::uint32_t> lists;
  std::vector<std::string> approximate;  // opcodes
  std::vector<Constant> constants;
  std::vector<SpecialSlot> specials;
  std::uint32_t frame_bytes = kFirstSlot;
  std::size_t parameter_bytes = 0;
  std::size_t static_shared = 0;
  std::size_t local_bytes = 0;
  // The narrowest access; races are looked for at this grain.
  unsigned global_grain = 8;
  unsigned shared_grain = 8;
  // Blocks may talk to one another: they take turns on one host thread.
  bool synchronises_globally = false;
  std::uint32_t required_threads = 0;  // .reqntid, 0 if it does not say
  std::uint32_t max_threads = 0;       // .maxntid
};

struct CompiledModule {
  Module module;
  // Indices into module.variables of what lives in global memory.
  std::map<std::string, std::uint32_t, std::less<>> globals;
  std::map<std::string, Result<Kernel>, std::less<>> kernels;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_PROGRAM_H_
