// Files of specs/faults: wrong implementations by name, each of several
// operations.
//
//   tail_lost:
//     doc: The last elements, less than a vector, are never computed.
//     source: pytorch#12345            # optional
//     of: ['*']                        # operations, patterns
//     except: {a reason: [arange]}     # optional, patterns by reason
//     results: where(ravel(i..., shape(result)) < 8, result[i...], 0)
//
// What goes wrong is one of:
//   results:   what becomes of an element `result[i...]` of a right result, of
//              dtype T and shape S; of all outputs
//   operands:  the same of elements `operand[i...]` of what is read, of every
//              tensor; or {x: ...} of one parameter
//   reads: storage_order               # strides are ignored
//   writes: lost                       # or late, or early
//   sections of an operation (let, value, forms, outputs, without, ...), which
//   replace the operation's own as an entry of a family does
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_FAULTS_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_FAULTS_H_

#include <map>
#include <string>
#include <vector>

#include "suite/language/model/fault_spec.h"
#include "suite/language/read/read_shared.h"

namespace assay::language {

// `operations` are those of all specs by name, their short forms written out.
std::vector<FaultSpec> read_faults(
    const YamlNode& root, const std::map<std::string, YamlNode>& operations,
    const Shared& shared, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_FAULTS_H_
