// A challenge: cases whose random inputs hang on a number that nobody knew
// before it was issued, so that their answers were worked out after that.
#ifndef ASSAY_HARNESS_CERTIFY_CHALLENGE_H_
#define ASSAY_HARNESS_CERTIFY_CHALLENGE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/certify/level.h"
#include "harness/judge/adjudicate.h"

namespace assay::harness {

struct Challenge {
  std::string nonce;  // 256 bits, 64 digits
  std::string level;
  std::string specs;          // sha256_of_specs, by which its cases are made
  std::string issued;         // "2026-10-01T12:00:00Z"
  std::int64_t within = 0;    // seconds to answer it in; 0: any time
  double oracle_seconds = 0;  // of one thread, for all of its answers
  std::vector<std::string> cases;  // paths, in order
};

std::string to_text(const Challenge& challenge);
// `file` is what messages name.
Result<Challenge> parse_challenge(const std::string& file,
                                  const std::string& text);

// 256 bits from the kernel.
Result<std::string> fresh_nonce();

// The case with the inputs that the nonce decides. Requires draw_inputs.
cases::Case challenged(const cases::Case& c, const std::string& nonce);

// Fills in cases and oracle_seconds from nonce and level: half of `count` are
// spread over the rows as the nonce says, the other half are those of a larger
// sample whose answers take the oracle longest. Cases for which the drawn
// inputs allow no golden are left out. An error: too few are left.
Status choose_cases(const std::vector<Duty>& duties,
                    const Adjudicator& adjudicator, std::size_t count, int jobs,
                    Challenge* out);

// The duties of a challenge with their drawn inputs; `cases` owns what they
// point to. An error names a case that the level does not ask for or that
// holds nothing random.
struct ChallengeDuties {
  std::vector<cases::Case> cases;
  std::vector<Duty> duties;
};
Result<ChallengeDuties> duties_of(const Challenge& challenge,
                                  const std::vector<Duty>& level);

// Seconds since 1970 of "2026-10-01T12:00:00Z"; nothing where it is no time.
std::optional<std::int64_t> parse_time(const std::string& text);

// A file of nonces and of the submissions that answered them, one a line. An
// error: another submission has answered this nonce. Notes this one.
Status note_answer(const std::filesystem::path& ledger,
                   const std::string& nonce, const std::string& submission);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_CHALLENGE_H_
