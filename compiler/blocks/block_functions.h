// Scalar operations, casts, copies and reductions over blocks of elements,
// compiled ahead of time from the math text that kernels have, for each
// instruction set: what a nest is run with before its own code is there.
#ifndef ASSAY_COMPILER_BLOCKS_BLOCK_FUNCTIONS_H_
#define ASSAY_COMPILER_BLOCKS_BLOCK_FUNCTIONS_H_

#include <string_view>

#include "compiler/graph/order.h"
#include "compiler/graph/scalar_op.h"
#include "core/dtype.h"

namespace assay::compiler {

// Elements of a block: a multiple of the lanes of every order.
inline constexpr int kBlock = 256;
// Bytes of the state of a reduction, and their alignment.
inline constexpr int kReductionBytes = 1024;
inline constexpr int kReductionAlignment = 64;

// out[i] = f(args[0][i], args[1][i], ...) for i < n. Elements are stored as
// kernels store them: narrow floats as patterns, bool as a byte, 0 or 1. `out`
// is none of the args.
using BlockFunction = void (*)(const void* const* args, void* out, long n);

// Takes every `stride`-th element. Any byte but 0 becomes a true bool.
using BlockLoad = void (*)(const void* from, long stride, void* out, long n);
using BlockStore = void (*)(const void* from, void* to, long stride, long n);

// A reduction in a stated order. Terms come in multiples of its lanes, except
// at the end.
struct BlockReduction {
  // `identity`: an element, as it is stored.
  void (*begin)(void* state, const void* identity);
  void (*add)(void* state, const void* terms, long n);
  void (*end)(void* state, void* result);
};

// Null, or of null pointers, where there is none for these types.
struct BlockFunctions {
  BlockFunction (*apply)(ScalarOp op, DType operands);
  BlockFunction (*cast)(DType from, DType to);
  BlockLoad (*load)(DType t);
  BlockStore (*store)(DType t);
  BlockReduction (*reduce)(Combiner c, Order order, DType t);
};

// Those for code of -march=`march`; null where there are none.
const BlockFunctions* block_functions(std::string_view march);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_BLOCKS_BLOCK_FUNCTIONS_H_
