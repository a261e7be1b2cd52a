// The same cases on one subject in several releases: which release broke a
// case, and which mended it.
#ifndef ASSAY_HARNESS_HISTORY_TIMELINE_H_
#define ASSAY_HARNESS_HISTORY_TIMELINE_H_

#include <string>
#include <vector>

#include "harness/records/result.h"

namespace assay::harness {

// What a result says of a release. `unknown` is what did not run, is not
// supported, or could not be judged.
enum class Standing { conforms, broken, unknown };
Standing standing_of(const CaseResult& result);

struct Timeline {
  std::string case_path;
  std::vector<CaseResult> results;  // one per release, in their order
};

struct History {
  std::string subject;                // "torch:inductor"
  std::vector<std::string> releases;  // rising
  std::vector<std::string> absent;    // why one could not be asked, or empty
  std::vector<Timeline> cases;
};

// In the order of releases: "2.9.1" before "2.10.0".
bool is_earlier(const std::string& a, const std::string& b);
// Digits and dots: "2.12.1".
bool is_release(const std::string& text);

// "broken by 2.12.0, mended by 2.14.0". Where a release in between was not
// judged, or is none of `releases`: "broken after 2.11.0, by 2.13.0".
std::string story_of(const std::vector<std::string>& releases,
                     const std::vector<Standing>& standings);

std::string history_text(const History& history);
std::string history_markdown(const History& history);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_HISTORY_TIMELINE_H_
