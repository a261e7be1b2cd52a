// The part of verification that tells answers which were worked out after a
// challenge from those that were at hand before.
#ifndef ASSAY_HARNESS_CERTIFY_VERIFY_CHALLENGE_H_
#define ASSAY_HARNESS_CERTIFY_VERIFY_CHALLENGE_H_

#include <vector>

#include "harness/certify/challenge.h"
#include "harness/certify/flush_seen.h"
#include "harness/certify/level.h"
#include "harness/certify/verify.h"
#include "harness/judge/adjudicate.h"
#include "harness/records/known.h"

namespace assay::harness {

struct ChallengeCheck {
  const SubmissionFile& file;
  const VerifyRequest& request;
  const Level& level;
  const std::vector<Duty>& duties;  // of the level
  const Adjudicator& adjudicator;
  const KnownList& waivers;
  Flush flush;
  FlushSeen* flush_seen;
};

// Judges the answers of the challenge that the submission holds, and whether
// it is the one that was issued. Notes the nonce as used where there is
// nothing to object to.
void verify_challenge(const ChallengeCheck& check, Verification* out);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_VERIFY_CHALLENGE_H_
