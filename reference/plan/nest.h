// The nest of a call (suite/language/nest), under the names by which its
// evaluators call it.
#ifndef ASSAY_REFERENCE_PLAN_NEST_H_
#define ASSAY_REFERENCE_PLAN_NEST_H_

#include "suite/language/nest/nest.h"

namespace assay::reference {

using language::Access;
using language::Contraction;
using language::Frame;
using language::IndexNode;
using language::kMaxSlots;
using language::Nest;
using language::NestAccuracy;
using language::NestClause;
using language::NestDefinition;
using language::Reduction;
using language::ReductionNode;
using language::ValueNode;

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_PLAN_NEST_H_
