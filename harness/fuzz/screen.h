// Which random programs are worth a subject's time: those whose golden could
// tell right from wrong.
#ifndef ASSAY_HARNESS_FUZZ_SCREEN_H_
#define ASSAY_HARNESS_FUZZ_SCREEN_H_

#include <string>

#include "harness/judge/adjudicate.h"
#include "harness/reduce/candidate.h"

namespace assay::harness {

struct Screened {
  enum class Kind {
    kept,
    vacuous,    // every output would accept almost anything, or is all NaN
    undecided,  // the oracle gives no golden, for a reason that it names
    at_odds,    // the suite and the oracle differ on what must refuse it
  };
  Kind kind = Kind::kept;
  Candidate candidate;  // without the outputs that tell nothing
  std::string why;
};

Screened screen(const Candidate& drawn, const Adjudicator& adjudicator);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_SCREEN_H_
