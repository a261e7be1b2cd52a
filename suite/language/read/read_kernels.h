// Element types that kernels of operations know nothing of:
// specs/shared/kernels.yaml. ATen looks for a kernel by element types, whatever
// the operation, so that one table says it of all.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_KERNELS_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_KERNELS_H_

#include <map>
#include <string>
#include <vector>

#include "suite/language/model/spec.h"
#include "suite/language/read/read_fields.h"

namespace assay::language {

// Operations that refuse operands of some types.
struct KernelClause {
  std::map<std::string, SourcePos> ops;
  Requirement requirement;  // with `types`, without `that`
};

std::vector<KernelClause> read_kernels(const YamlNode& root, Faults* faults);

// Before its own requirements, some of which ask for elements, `op` has those
// of the clauses that name it: that its operands, but for indices and truth
// values, do not have such types alone.
void require_kernels(const std::vector<KernelClause>& clauses, OpSpec* op);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_KERNELS_H_
