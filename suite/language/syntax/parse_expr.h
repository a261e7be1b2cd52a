// Parser of the expression language (docs/spec-language.md, section 3).
// A null or empty result comes with at least one fault.
#ifndef ASSAY_SUITE_LANGUAGE_SYNTAX_PARSE_EXPR_H_
#define ASSAY_SUITE_LANGUAGE_SYNTAX_PARSE_EXPR_H_

#include <string_view>
#include <vector>

#include "core/result.h"
#include "suite/language/syntax/expr.h"
#include "suite/language/syntax/located_text.h"

namespace assay::language {

ExprPtr parse_expr(const LocatedText& text, std::vector<Fault>* faults);

// `name[i, j...] = body; ...`, the last one of `out`.
std::vector<Definition> parse_definitions(const LocatedText& text,
                                          std::vector<Fault>* faults);

// The same for text that is in no file; an error names the column.
Result<ExprPtr> parse_expr(std::string_view text);
Result<std::vector<Definition>> parse_definitions(std::string_view text);

// Is it a word that no parameter or index may have as its name?
bool is_reserved(std::string_view name);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SYNTAX_PARSE_EXPR_H_
