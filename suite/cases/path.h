// A case's path, its identity: the one place where paths are made.
//
//   op/clause/dtypes/shape[/attrs][/layout][/part][/change][/context]
//   program[/value of an axis]...
//
//   clause   C1 a case group, B2 a boundary, E4 the requirement that is broken
//   dtypes   f32, or one per operand: f16-f32; none where there is no operand
//   shape    2x3x5, or one per operand: 2x3x5_2x5x4; 0d where it has no sizes
//   attrs    dim=1,keepdim=true: what differs from the schema's defaults
//   layout   transposed; contiguous is left out
//   part     part2, of a boundary with more literals than one vector holds
//   change   index.3=-1: the element that makes an input invalid
//   context  after_exp, or cast@other where in0 is not the operand that the
//            context takes by default
//
// Seeds follow from paths, so that adding a case reshuffles nothing.
#ifndef ASSAY_SUITE_CASES_PATH_H_
#define ASSAY_SUITE_CASES_PATH_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "suite/cases/contexts/contexts.h"
#include "suite/cases/valid/call.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// Up to the attributes: what decides the elements of a valid case.
std::string call_path(const Call& call, const std::string& clause);
std::string program_path(const language::ProgramSpec& spec,
                         const language::ProgramVariant& variant);
// The path itself if the segment is empty.
std::string path_below(const std::string& path, const std::string& segment);

// Segments; empty where there is nothing to say.
std::string dtype_segment(const Call& call);
std::string shape_segment(const Call& call);
std::string attr_segment(const Call& call);
std::string layout_segment(language::Layout layout);
std::string change_segment(const std::string& operand, const Poke& poke);
std::string context_segment(const ContextTraits& traits, const Call& call,
                            std::size_t in0);
// The value without separators and characters that filters take as patterns.
std::string axis_segment(const std::string& value);

// The seed of a tensor (by its name) in the case or call of this path.
std::uint64_t seed_of(const std::string& path, const std::string& tensor);
// Sets the seeds of all operands.
void seed_operands(const std::string& path, Call* call);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_PATH_H_
