// Results written as text: `result: T of [M, N]`.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_SHORT_RESULT_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_SHORT_RESULT_H_

#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {

// Writes out the results of an operation, its outputs and its forms: the text
// before the first ` of ` outside of brackets is the dtype, the rest the shape.
void write_out_results(YamlNode* op);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_SHORT_RESULT_H_
