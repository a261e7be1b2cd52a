// Declarations of variables and parameters:
//   .visible .global .align 4 .b8 table[16] = {0, 1, ...};
#ifndef ASSAY_PTX_TEXT_VARIABLES_H_
#define ASSAY_PTX_TEXT_VARIABLES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "ptx/text/module.h"
#include "ptx/text/token_stream.h"

namespace assay::ptx {

// ".shared" and its kin; ".shared::cta" counts as .shared.
std::optional<Space> parse_space(std::string_view word);

// What follows the space, up to and with the semicolon; several names may be
// declared at once.
std::vector<Variable> parse_variables(TokenStream& in, Space space,
                                      bool is_extern);

// One parameter: ".param .u64 .ptr .global .align 16 name".
Variable parse_parameter(TokenStream& in);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_TEXT_VARIABLES_H_
