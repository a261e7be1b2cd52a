// PTX text to a Module. What is syntax but no PTX that we know is an error
// with its line; whether the machine can execute an instruction is a later
// question (ptx/machine).
#ifndef ASSAY_PTX_TEXT_PARSER_H_
#define ASSAY_PTX_TEXT_PARSER_H_

#include <string_view>

#include "core/result.h"
#include "ptx/text/module.h"

namespace assay::ptx {

Result<Module> parse_module(std::string_view text);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_TEXT_PARSER_H_
