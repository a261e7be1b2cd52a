// Specs against the schemas of the overloads that they describe.
#ifndef ASSAY_SUITE_LANGUAGE_SCHEMA_CHECK_SCHEMA_H_
#define ASSAY_SUITE_LANGUAGE_SCHEMA_CHECK_SCHEMA_H_

#include <vector>

#include "suite/language/model/spec.h"
#include "suite/language/schema/schema.h"

namespace assay::language {

// An overload that is not registered; a parameter of another kind, name,
// default or order than the schema's argument, or beyond them; an argument
// that the spec neither has nor names under `omits`; another number of
// outputs. The name of a tensor is the spec's own, since it is given by
// position.
std::vector<Diagnostic> check_schema(const OpSpec& op,
                                     const SchemaSet& schemas);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SCHEMA_CHECK_SCHEMA_H_
