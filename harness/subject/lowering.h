// By what a subject came to the code of a program, where it tells.
#ifndef ASSAY_HARNESS_SUBJECT_LOWERING_H_
#define ASSAY_HARNESS_SUBJECT_LOWERING_H_

#include <optional>
#include <string>

namespace assay::harness {

enum class Lowering {
  untold,
  hand,     // what somebody wrote for each of its operations
  derived,  // of one call at least, what the spec itself says
};

const char* lowering_name(Lowering l);
std::optional<Lowering> parse_lowering(const std::string& name);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_LOWERING_H_
