// What a program's results are asked that no single element of them answers:
// the relations that its operations state (`relations` of a spec).
#ifndef ASSAY_SUITE_LANGUAGE_BIND_RELATIONS_H_
#define ASSAY_SUITE_LANGUAGE_BIND_RELATIONS_H_

#include <optional>

#include "core/program.h"
#include "suite/language/model/spec.h"

namespace assay::language {

// The program with the relations of its calls as outputs, in place of its own:
// truth values that must all be true, once what it returned is given for its
// own outputs. Values keep their ids. Relations are asked of calls whose
// outputs are all returned, and where neither these nor their operands are
// written to afterwards; nothing if there is no such call.
std::optional<Program> related_program(const SpecSet& specs,
                                       const Program& program);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_RELATIONS_H_
