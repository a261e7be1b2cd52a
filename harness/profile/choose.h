// The quick profile: the cheapest cases of a row that together show what the
// row has to show.
#ifndef ASSAY_HARNESS_PROFILE_CHOOSE_H_
#define ASSAY_HARNESS_PROFILE_CHOOSE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/faults/kill_matrix.h"
#include "harness/records/result.h"
#include "suite/cases/case.h"

namespace assay::harness {

// A case with what it shows, each a text of its own ("refuses E3", "kills
// tail_lost"), and what it costs, in seconds of the slowest subject.
struct Worth {
  const cases::Case* source = nullptr;
  std::set<std::string> shows;
  double cost = 1;
};

// Cases that show everything that any of `all` shows: always the one that shows
// most that is new for its cost, and of equals the first (weighted set cover,
// Chvatal 1979). What must be refused needs no control here: other cases show
// that the operation takes valid calls.
std::vector<const cases::Case*> cover(const std::vector<Worth>& all);

// What the cases of a row show: every requirement is broken once, every fault
// killed, every failure of `results` (recorded ones, of any column) met, a
// context seen. A row without faults, as programs are, has to return for inputs
// of all dtypes: what a compiler breaks in one it may keep in another.
std::vector<Worth> worth_of(
    const std::vector<const cases::Case*>& cases, const faults::RowKills& kills,
    const std::map<std::string, std::vector<const CaseResult*>>& results);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_PROFILE_CHOOSE_H_
