// What an instruction is decoded into. Registers of a warp lie in a frame: one
// slot of 32 lanes for each, at a byte offset that is a multiple of 64. An
// operation names its slots by these offsets. Instructions with modifiers
// become several operations in a row; all of them share the guard.
#ifndef ASSAY_PTX_MACHINE_OPERATION_H_
#define ASSAY_PTX_MACHINE_OPERATION_H_

#include <cstddef>
#include <cstdint>

namespace assay::ptx {

constexpr unsigned kLanes = 32;
constexpr std::uint32_t kAllLanes = 0xffffffffU;
constexpr std::uint32_t kSlotUnit = 64;

// The first slots of every frame: 32 zeros, which read as always defined, and
// a place for results that nobody wants.
constexpr std::uint32_t kZeroSlot = 0;
constexpr std::uint32_t kSinkSlot = 256;
constexpr std::uint32_t kFirstSlot = 512;

class Warp;
struct Operation;

// Computes the lanes of `mask` from slots to slots and sees nothing else.
using LanesRun = void (*)(std::byte* frame, const Operation& op,
                          std::uint32_t mask);
// May see memory, the other lanes and the block.
using WarpRun = void (*)(Warp& warp, const Operation& op, std::uint32_t mask);

enum class OperationKind : std::uint8_t {
  lanes,
  warp,
  branch,          // to `target`
  branch_indexed,  // a: index; lists[list ...]: targets
  exit,
  sync,  // waits for the lanes of a (or of imm), then runs `warp`
  barrier,
};

enum class Taint : std::uint8_t {
  any,    // the result is undefined where one of a, b, c, e is
  none,   // the operation sees to it itself, or has no result
  clear,  // the result is always defined
};

enum class Rounding : std::uint8_t { nearest, zero, down, up };

struct Operation {
  OperationKind kind = OperationKind::lanes;
  Taint taint = Taint::any;
  Rounding rounding = Rounding::nearest;
  bool guard_negated = false;
  bool first = false;       // of its instruction
  std::uint32_t guard = 0;  // slot of a predicate; 0: none
  union {
    LanesRun lanes = nullptr;
    WarpRun warp;
    std::uint32_t target;
  };
  std::uint32_t d = kSinkSlot;
  std::uint32_t a = kZeroSlot;
  std::uint32_t b = kZeroSlot;
  std::uint32_t c = kZeroSlot;
  std::uint32_t e = kZeroSlot;
  std::uint32_t list = 0;    // into the kernel's lists or accesses
  std::uint32_t source = 0;  // into the kernel's instructions
  std::uint64_t imm = 0;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_OPERATION_H_
