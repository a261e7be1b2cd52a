// How far a pass was shown.
#ifndef ASSAY_HARNESS_SUBJECT_EVIDENCE_H_
#define ASSAY_HARNESS_SUBJECT_EVIDENCE_H_

#include <optional>
#include <string>

namespace assay::harness {

// From the weakest to the strongest.
enum class Evidence {
  none,
  compiled,
  compiled_linted,  // and its code looked at
  emulated,         // by a machine that stands in for the device
  ran,
};

const char* evidence_name(Evidence e);
std::optional<Evidence> parse_evidence(const std::string& name);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_EVIDENCE_H_
