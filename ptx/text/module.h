// PTX text as data: what a lint reads and what the machine executes. Names are
// resolved: a register operand is an index into its function's registers, a
// label an index into its labels.
#ifndef ASSAY_PTX_TEXT_MODULE_H_
#define ASSAY_PTX_TEXT_MODULE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/type.h"

namespace assay::ptx {

enum class Space : std::uint8_t {
  generic,
  constant,
  global,
  local,
  param,
  shared,
};

// A variable, or a parameter of a function.
struct Variable {
  std::string name;
  Space space = Space::generic;
  Type type = Type::b8;
  std::size_t align = 1;
  std::size_t bytes = 0;  // 0: extern array without a size (dynamic shared)
  bool is_extern = false;
  int line = 0;
  std::vector<std::byte> initial;  // empty, or `bytes` long
  // Places in `initial` that hold the address of another variable.
  struct Address {
    std::size_t at;     // byte offset
    std::size_t width;  // 4 or 8
    std::string symbol;
    std::int64_t offset;
  };
  std::vector<Address> addresses;
};

struct Register {
  std::string name;
  Type type;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,      // index: into Function::registers
    special,  // name: "%tid.x"
    integer,  // bits: two's complement
    real32,   // bits: of 0fXXXXXXXX
    real64,   // bits: of 0dXXXXXXXXXXXXXXXX or of a decimal literal
    symbol,   // name (a variable or function), offset
    label,    // index: into Function::labels
    address,  // [elements[0] + offset]
    vector,   // {elements}
    pair,     // elements[0] | elements[1]
    list,     // (elements): arguments of a call
    sink,     // _
  };
  Kind kind = Kind::sink;
  bool negated = false;  // !p
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string name;
  std::vector<Operand> elements;
};

struct Guard {
  std::uint32_t reg = 0;
  bool negated = false;
};

struct Instruction {
  std::string opcode;                  // "cvt"
  std::vector<std::string> modifiers;  // "rn", "f16", "f32": without dots
  std::vector<Operand> operands;
  std::optional<Guard> guard;
  int line = 0;

  bool has(std::string_view modifier) const;
  // The types among the modifiers, in order.
  std::vector<Type> types() const;
  std::string full_opcode() const;  // "cvt.rn.f16.f32"
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_defined = false;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  std::vector<Variable> variables;  // of the body: shared, local, param ...
  std::vector<Register> registers;
  std::vector<std::size_t> labels;  // index of the instruction that follows
  std::vector<Instruction> body;
  // .branchtargets by name: labels.
  std::map<std::string, std::vector<std::uint32_t>> branch_targets;
  // .maxntid, .reqntid, .minnctapersm ...; what is not given is 1.
  std::map<std::string, std::array<std::uint32_t, 3>> directives;
  int line = 0;
};

struct Module {
  int version_major = 0;
  int version_minor = 0;
  std::string target;  // "sm_90a"
  unsigned address_size = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function* find(std::string_view name) const;
  // How often each full opcode stands in the text, over all functions.
  std::map<std::string, std::size_t> count_opcodes() const;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_TEXT_MODULE_H_
