// The heart of verification: every verdict worked out anew from what was
// recorded, a case at a time, and compared with what the records say.
#ifndef ASSAY_HARNESS_CERTIFY_RECORDS_CHECK_H_
#define ASSAY_HARNESS_CERTIFY_RECORDS_CHECK_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/certify/level.h"
#include "harness/certify/manifest.h"
#include "harness/certify/objections.h"
#include "harness/judge/adjudicate.h"
#include "harness/judge/flush.h"
#include "harness/records/recording.h"

namespace assay::harness {

// An open file, and what messages call it.
struct OpenFile {
  int fd = -1;
  std::string name;
};

// A duty that was recorded.
struct JudgedCase {
  const Duty& duty;
  const CaseResult& result;   // by the promises that hold for everybody
  const CaseResult& counted;  // by what was declared, too
  Flushing flushing = Flushing::unseen;
  const std::vector<RecordedObservation>& observations;
};

struct RecordsCheck {
  const std::vector<Duty>& duties;  // in path order
  const Adjudicator& adjudicator;
  const Manifest& manifest;
  int jobs = 0;
  Objection missing = Objection::missing;  // what a case that lacks is
  // The run may be of another build of the suite than the manifest names.
  bool any_build = false;
  Flush flush = {};  // as declared, where that is allowed
  const language::SpecSet& specs;
  std::function<void(const JudgedCase&)> judged;  // in path order
};

struct CheckedRecords {
  std::string started;  // of the run
  std::size_t judged = 0;
};

// Memory: that of the duties, a few dozen bytes for each record, and as many
// recorded cases as are judged side by side.
CheckedRecords check_records(const RecordsCheck& check, const OpenFile& results,
                             const OpenFile& recording, Objections* out);

// The result that all observations of one case give together, at least one:
// flaky where some conform and some do not.
CaseResult judge_observations(
    const PreparedCase& prepared,
    const std::vector<RecordedObservation>& observations,
    const Adjudicator& adjudicator);

// What two results of one case have to agree in: all that was judged, but not
// how long it took, and of a flaky case not the words.
std::string judged_text(const CaseResult& result);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_RECORDS_CHECK_H_
