// A first spec of an operation, from its schema: what can be read off it is
// filled in, what cannot is marked with a comment "# DECIDE", which lint
// reports until it is gone.
#ifndef ASSAY_SUITE_LANGUAGE_SCHEMA_DRAFT_H_
#define ASSAY_SUITE_LANGUAGE_SCHEMA_DRAFT_H_

#include <string>
#include <string_view>

#include "suite/language/schema/schema.h"

namespace assay::language {

inline constexpr std::string_view kDecide = "# DECIDE";

// "softmax" for aten.softmax.int: the operation's name and that of its file.
std::string draft_name(const Schema& schema);

// The text of specs/ops/NAME.yaml.
std::string draft_spec(const Schema& schema);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SCHEMA_DRAFT_H_
