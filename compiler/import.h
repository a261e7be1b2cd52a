// From a program to what is compiled: its body, its guards, its ledger.
#ifndef ASSAY_COMPILER_IMPORT_H_
#define ASSAY_COMPILER_IMPORT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/derived/derivation.h"
#include "compiler/graph/defects.h"
#include "compiler/graph/ledger.h"
#include "compiler/ops/guard.h"
#include "core/program.h"
#include "core/result.h"

namespace assay::compiler {

// As an option, which calls are lowered from what their specs say: those that
// nobody lowered by hand (hand), or all (derived).
enum class Lowering { hand, derived };
const char* lowering_name(Lowering lowering);

struct Imported {
  Body body;
  Ledger ledger;
  // Types of the program's outputs: the first ones of body.outputs. Others
  // follow: for each range guard the value that it looks at, then those that
  // the contract reads, then the screen.
  std::vector<Type> outputs;
  std::vector<bool> complex_outputs;  // for each of them: is it one of pairs?
  std::vector<RangeGuard> guards;
  std::shared_ptr<const ValueContract> contract;  // of derived calls, or null
  // Is there a screen: a bool[] that is true only where neither the contract
  // refuses nor a range guard of a value that is computed?
  bool is_screened = false;
  // The program is refused, unless a range guard or the contract refuses first:
  // then only what these look at is computed.
  std::optional<Refusal> refusal;
  std::vector<std::string> clauses;  // those that guards looked at, in order
  std::string unsupported;           // what is not supported, or empty
  // Derived as soon as one of the calls is, of a refused program one of those
  // up to the one that is refused.
  Lowering lowering = Lowering::hand;
};

// An error is a malformed call, which is neither refused nor unsupported.
Result<Imported> import_program(const Program& program,
                                std::optional<Defect> defect = {},
                                Lowering lowering = Lowering::hand);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_IMPORT_H_
