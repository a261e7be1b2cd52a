// A candidate as a program spec, specs/programs/NAME.yaml.
#ifndef ASSAY_HARNESS_REDUCE_PROGRAM_YAML_H_
#define ASSAY_HARNESS_REDUCE_PROGRAM_YAML_H_

#include <cstdint>
#include <string>

#include "harness/reduce/candidate.h"

namespace assay::harness {

// Laid out as `assay fmt` does.
std::string program_yaml(const Candidate& c, const std::string& name,
                         const std::string& doc);

// An element as a literal of a spec that stands for exactly these bits:
// "1", "-0.0", "0x1.8p+70", "nan", "0x7fc00001:f32".
std::string literal_text(DType t, std::uint64_t bits);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REDUCE_PROGRAM_YAML_H_
