// What the decoders write into: operations, slots for registers and
// constants, and the errors of instructions that the machine does not have.
#ifndef ASSAY_PTX_DECODE_EMITTER_H_
#define ASSAY_PTX_DECODE_EMITTER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/lanes/lanes.h"
#include "ptx/machine/program.h"
#include "ptx/numbers/approximate.h"

namespace assay::ptx {

// Thrown by decoders and turned into an Error by compile_kernel.
struct Unsupported {
  std::string message;
};

class Emitter {
 public:
  Emitter(const CompiledModule& module, Kernel& kernel)
      : module_(module), kernel_(kernel) {}

  // The instruction in hand.
  void begin(const Instruction& i);
  const Instruction& instruction() const { return *instruction_; }
  // "unsupported: wgmma.mma_async ... (PTX line 7): WHY"
  [[noreturn]] void refuse(std::string_view why = "") const;

  // Slots. A predicate's has width 1 bit. Sizes in bits.
  std::uint32_t temporary(unsigned bits);
  std::uint32_t source(const Operand& o, unsigned bits);
  std::uint32_t source(std::size_t operand, unsigned bits);
  std::uint32_t destination(const Operand& o, unsigned bits);
  std::uint32_t destination(std::size_t operand, unsigned bits);
  // The register's own size; an immediate has the size asked for.
  unsigned width_of(const Operand& o, unsigned otherwise) const;
  std::uint32_t constant(std::uint64_t value, unsigned bits);
  // A constant that only the launch knows; `slot` is filled in.
  std::uint32_t launch_constant(const Constant& c);
  std::uint32_t predicate(const Operand& o);  // of a source, with its !
  std::uint32_t predicate_destination(const Operand& o);
  const Operand& operand(std::size_t i) const;
  std::size_t operands() const { return instruction_->operands.size(); }

  // Operations.
  Operation& emit(Lane lane, std::uint32_t d, std::uint32_t a,
                  std::uint32_t b = kZeroSlot, std::uint32_t c = kZeroSlot,
                  std::uint64_t imm = 0);
  Operation& emit(LanesRun run, std::uint32_t d, std::uint32_t a,
                  std::uint32_t b = kZeroSlot, std::uint32_t c = kZeroSlot,
                  std::uint64_t imm = 0);
  Operation& emit_warp(WarpRun run, OperationKind kind = OperationKind::warp);
  // d = c ? a : b; d is undefined where the chosen one is.
  Operation& emit_select(unsigned bits, std::uint32_t d, std::uint32_t a,
                         std::uint32_t b, std::uint32_t c);
  // From here on the guard is a copy, so that the instruction may write it.
  std::uint32_t hold_guard();
  void drop_guard(std::uint32_t held);
  std::uint32_t add_access(Access access);
  std::uint32_t add_approximate();

  // Variables and parameters of the function in hand.
  struct Binding {
    enum class Kind : std::uint8_t { local, shared, parameter };
    Kind kind;
    std::uint64_t offset;
  };
  struct Frame {
    const Function* function = nullptr;
    std::vector<std::uint32_t> slots;  // by register
    std::map<std::string, Binding, std::less<>> variables;
    std::vector<std::pair<std::size_t, std::uint32_t>> branches;  // op, label
    std::vector<std::size_t> returns;                             // ops
    std::vector<std::uint32_t> starts;  // operation of each instruction
    std::uint32_t carry = 0;            // slot of the condition code
  };
  Frame& frame() { return *frame_; }
  void set_frame(Frame* frame) { frame_ = frame; }
  std::optional<Binding> find_variable(std::string_view name) const;
  std::uint32_t register_slot(std::uint32_t index);
  std::uint32_t carry_slot();
  void note_grain(Space space, unsigned bytes);

  const CompiledModule& module() const { return module_; }
  Kernel& kernel() { return kernel_; }

  // PTX version and target, as a lint of what exists where.
  // Refuses what the target string does not have: a number below `least`, or
  // (specific) neither an 'a' nor an 'f' behind it.
  void require_target(unsigned least, bool specific = false) const;
  unsigned target_number() const;  // 90 of "sm_90a"
  char target_suffix() const;      // 'a', 'f' or 0

  std::uint32_t allocate(unsigned bits);
  // Of a symbol: its address, as an operand of `mov` or an address.
  std::uint32_t symbol(const Operand& o, unsigned bits, std::int64_t offset);

 private:
  std::uint32_t special(const Operand& o, unsigned bits);
  const CompiledModule& module_;
  Kernel& kernel_;
  Frame* frame_ = nullptr;
  const Instruction* instruction_ = nullptr;
  std::uint32_t source_ = 0;
  bool first_ = true;
  std::uint32_t held_guard_ = 0;
  std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> constants_;
  std::map<std::pair<std::string, unsigned>, std::uint32_t> specials_;
  std::multimap<unsigned, std::uint32_t> spare_;  // temporaries by bits
  std::vector<std::pair<unsigned, std::uint32_t>> lent_;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_DECODE_EMITTER_H_
