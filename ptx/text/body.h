// The body of a function: register declarations, variables, labels,
// instructions, nested scopes.
#ifndef ASSAY_PTX_TEXT_BODY_H_
#define ASSAY_PTX_TEXT_BODY_H_

#include "ptx/text/module.h"
#include "ptx/text/token_stream.h"

namespace assay::ptx {

// From the opening brace to the closing one; fills everything of `f` that
// belongs to its body. Throws SyntaxError.
void parse_body(TokenStream& in, Function& f);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_TEXT_BODY_H_
