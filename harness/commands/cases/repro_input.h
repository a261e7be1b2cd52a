// What goes into a repro file: a case with its golden, and what subjects did
// with it.
#ifndef ASSAY_HARNESS_COMMANDS_CASES_REPRO_INPUT_H_
#define ASSAY_HARNESS_COMMANDS_CASES_REPRO_INPUT_H_

#include <vector>

#include "harness/commands/cases/repro_python.h"
#include "harness/judge/adjudicate.h"
#include "harness/run/observe.h"
#include "harness/subject/subject.h"

namespace assay::harness {

// Backend and options of "torch:inductor@2.15.0{...}"; false for a subject that
// is not torch.compile's.
bool backend_of(const SubjectConfig& config, ReproInput* out);

// Does an option say how its programs are written?
bool writes_otherwise(const SubjectConfig& config);

// The case itself, which has a golden, and the clause that it is about.
void describe(const PreparedCase& prepared, const language::SpecSet& specs,
              ReproInput* out);

// What subjects did, and the sets: where a program returns a node that it also
// reads, they depend on what came back.
void add_observed(const PreparedCase& prepared,
                  const std::vector<Observed>& observed,
                  const Adjudicator& adjudicator, ReproInput* out);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_CASES_REPRO_INPUT_H_
