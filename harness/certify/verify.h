// Verification: a submission is believed nothing. Every golden and verdict is
// worked out anew by our own specs and oracle, from what was recorded alone.
// Nothing that the file holds is executed.
#ifndef ASSAY_HARNESS_CERTIFY_VERIFY_H_
#define ASSAY_HARNESS_CERTIFY_VERIFY_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/certify/objections.h"
#include "harness/certify/submission_file.h"
#include "harness/run/session.h"

namespace assay::harness {

struct VerifyRequest {
  const Session& session;
  std::filesystem::path specs_dir;
  std::filesystem::path allowed_signers;        // empty: anybody, or nobody
  std::filesystem::path challenge;              // as it was issued; empty: none
  std::filesystem::path ledger;                 // of nonces that were answered
  std::vector<std::filesystem::path> programs;  // the product, at hand
  std::string now;                              // "2026-10-01T12:00:00Z"
  int jobs = 0;
};

struct Verification {
  Objections objections;
  std::vector<std::string> facts;  // what was established, a line each
  std::string product;             // "Example examplec 1.2 on cpu-avx512"
  std::string level;
};

// An error: the submission is of other specs than ours, so that nothing can
// be said of it here; the message names the suite to take.
Result<Verification> verify(const SubmissionFile& file,
                            const VerifyRequest& request);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_VERIFY_H_
