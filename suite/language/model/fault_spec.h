// A wrong implementation of an operation, of those that real compilers contain:
// as another definition of it, as what is done to what it is given, or as what
// is done to what it returns.
#ifndef ASSAY_SUITE_LANGUAGE_MODEL_FAULT_SPEC_H_
#define ASSAY_SUITE_LANGUAGE_MODEL_FAULT_SPEC_H_

#include <map>
#include <memory>
#include <string>

#include "suite/language/model/spec.h"

namespace assay::language {

// What goes wrong with what a call writes: nobody sees it; calls do not, but
// who has the results does; copies that were made before see it, too.
enum class WrongWrite { none, lost, late, early };

// Where what a call returns lies: in memory of its own where it should be a
// view of its operand, in its operand's where it should not; or it is a view,
// but what lies beside it in the operand becomes zero when it is written to.
enum class WrongMemory { none, copied, shared, alone };

// How what a call returns lies where another order is promised: row-major; in
// the order of its operand.
enum class WrongStrides { none, lost, kept };

// Exactly one of the last seven says what goes wrong. The operations in
// `operands` and `results` are pointwise, of one parameter.
struct FaultSpec {
  std::string name;
  std::string doc, source;
  std::string row;   // the operation
  std::string aten;  // what it calls
  std::string file;
  SourcePos pos;

  std::shared_ptr<const OpSpec> definition;
  std::map<std::string, std::shared_ptr<const OpSpec>> operands;  // "": all
  std::shared_ptr<const OpSpec> results;
  bool storage_order = false;  // operands are read without their strides
  WrongWrite writes = WrongWrite::none;
  WrongMemory memory = WrongMemory::none;
  WrongStrides strides = WrongStrides::none;
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_MODEL_FAULT_SPEC_H_
