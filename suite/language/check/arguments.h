// The kinds of arguments that the functions of the language take, by the
// letters of their table (functions.h).
#ifndef ASSAY_SUITE_LANGUAGE_CHECK_ARGUMENTS_H_
#define ASSAY_SUITE_LANGUAGE_CHECK_ARGUMENTS_H_

#include "suite/language/functions/functions.h"

namespace assay::language {

// May an argument of that kind stand where the table has `letter`? For a
// parameter (p) the kind does not decide.
bool accepts(char letter, ValueKind found);
const char* expected_text(char letter);  // "a number"

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_CHECK_ARGUMENTS_H_
