// An operation's spec, section by section. Faults are collected; what could
// be read is returned, for further checks.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_OP_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_OP_H_

#include <map>
#include <string>
#include <vector>

#include "suite/language/read/read_shared.h"

namespace assay::language {

// Names of an operation's sections, in their order.
const std::vector<std::string>& operation_sections();

struct OpReading {
  OpSpec op;
  std::map<std::string, SourcePos> unused_lets;
};

// `root` is one operation whose short forms are written out (suite/language/
// sugar), except its lets, which this writes out.
OpReading read_op(const YamlNode& root, const Shared& shared, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_OP_H_
