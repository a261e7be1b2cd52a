// From instructions to operations. Each family of instructions has a file
// with a table of its own; compile_kernel puts an entry together.
#ifndef ASSAY_PTX_DECODE_DECODE_H_
#define ASSAY_PTX_DECODE_DECODE_H_

#include <span>
#include <string_view>

#include "core/result.h"
#include "ptx/decode/emitter.h"

namespace assay::ptx {

struct Decoder {
  std::string_view opcode;
  void (*decode)(Emitter& e);
};

std::span<const Decoder> approximate_decoders();  // decode_approximate.cc
std::span<const Decoder> arithmetic_decoders();   // decode_arithmetic.cc
std::span<const Decoder> atomic_decoders();       // decode_atomic.cc
std::span<const Decoder> bit_decoders();          // decode_bits.cc
std::span<const Decoder> carry_decoders();        // decode_carry.cc
std::span<const Decoder> compare_decoders();      // decode_compare.cc
std::span<const Decoder> convert_decoders();      // decode_convert.cc
std::span<const Decoder> copy_decoders();         // decode_copy.cc
std::span<const Decoder> matrix_decoders();       // decode_matrix.cc
std::span<const Decoder> memory_decoders();       // decode_memory.cc
std::span<const Decoder> mma_decoders();          // decode_mma.cc
std::span<const Decoder> move_decoders();         // decode_move.cc
std::span<const Decoder> thread_decoders();       // decode_threads.cc

// add.cc, sub.cc, mad.cc; false if the instruction leaves no carry.
bool decode_carry_out(Emitter& e);

// The division, reciprocal and square root that round as IEEE 754 says.
void decode_rounded(Emitter& e);
// The other forms of the same three.
void decode_approximate(Emitter& e);

// The entry of that name; an Error that begins with "unsupported:" where the
// machine lacks an instruction.
Result<Kernel> compile_kernel(const CompiledModule& module,
                              const Function& entry);

// The last type of the instruction, which most go by.
Type type_of(const Emitter& e);

// Slots of the parts of packed operands, and the other way round.
struct Parts {
  Type element;
  unsigned count;
};
Parts parts_of(Type t);  // {t, 1} for what is not packed
void unpack(Emitter& e, std::uint32_t whole, unsigned bits, Parts parts,
            std::uint32_t* slots);
void pack(Emitter& e, std::uint32_t whole, Parts parts,
          const std::uint32_t* slots);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_DECODE_DECODE_H_
