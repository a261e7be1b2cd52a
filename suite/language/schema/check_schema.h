// Specs against the schemas of the overloads that they describe.
#ifndef ASSAY_SUITE_LANGUAGE_SCHEMA_CHECK_SCHEMA_H_
#define ASSAY_SUITE_LANGUAGE_SCHEMA_CHECK_SCHEMA_H_

#include <string>
#include <vector>

#include "suite/language/model/spec.h"
#include "suite/language/schema/schema.h"

namespace assay::language {

// Arguments that say where a tensor lies and how (device, layout, ...): a
// column's business, of which no spec makes a promise.
bool is_never_specified(const std::string& argument);

// An overload that is not registered; a parameter of another kind, name,
// default or order than the schema's argument, or beyond them; an argument
// that the spec neither has nor names under `omits`, unless none is ever
// specified; another number of outputs. The name of a tensor is the spec's own,
// since it is given by position.
std::vector<Diagnostic> check_schema(const OpSpec& op,
                                     const SchemaSet& schemas);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SCHEMA_CHECK_SCHEMA_H_
