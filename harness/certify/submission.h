// Makes a submission from the folder of a run.
#ifndef ASSAY_HARNESS_CERTIFY_SUBMISSION_H_
#define ASSAY_HARNESS_CERTIFY_SUBMISSION_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/certify/challenge.h"
#include "harness/certify/level.h"
#include "harness/certify/objections.h"
#include "harness/certify/statement.h"

namespace assay::harness {

// A challenge, and the folder of the run that answered it.
struct AnsweredChallenge {
  std::string text;  // of its file, byte for byte
  Challenge challenge;
  const std::vector<Duty>& duties;
  std::filesystem::path run;
  std::string finished;  // when
};

struct SubmissionRequest {
  const Session& session;
  std::filesystem::path specs_dir;
  const Level& level;
  const std::vector<Duty>& duties;
  std::string statement_text;
  Statement statement;
  std::filesystem::path waivers;  // empty: none
  std::filesystem::path run;      // results.jsonl and recordings
  std::string subject;            // which column; empty: the run has one
  std::optional<AnsweredChallenge> challenge;
  std::filesystem::path key;  // empty: unsigned
  std::filesystem::path out;
};

struct SubmissionMade {
  std::string column;
  std::string summary;    // of the cases
  std::string challenge;  // the same of a challenge's; empty: there is none
  Objections objections;  // what would keep it from being certified
};

// Writes `out`: the same bytes for the same folders and texts. An error: the
// run is of other specs or programs, or something cannot be read or written.
Result<SubmissionMade> make_submission(const SubmissionRequest& request);

// The one column of a run's results that is meant, as its header spells the
// subject. An error says which there are.
Result<std::string> subject_of_run(const std::filesystem::path& run,
                                   const std::string& wanted);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_SUBMISSION_H_
