// Steps of programs and contexts as nodes: names become values.
#ifndef ASSAY_SUITE_CASES_CONTEXTS_STEP_NODE_H_
#define ASSAY_SUITE_CASES_CONTEXTS_STEP_NODE_H_

#include <map>
#include <string>

#include "core/program.h"
#include "core/result.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// What each name in a step stands for: a value of the program, or a literal.
using StepNames = std::map<std::string, Arg>;

Result<Arg> step_arg(const language::StepArg& arg, const StepNames& names);
Result<Node> step_node(const language::Step& step, const StepNames& names);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_CONTEXTS_STEP_NODE_H_
