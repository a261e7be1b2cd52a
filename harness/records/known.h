// Known failures of a column: results/known/<column>.yaml. They stay red in
// the matrix but do not change the exit code; a list that has gone stale does.
//
//   - case: bmm/E4/f16-f32/*          # a pattern, or a list of patterns
//     clause: bmm/E4
//     status: fail                    # fail, crash, flaky, quality_warning
//     reason: returns f32 where eager refuses
//     link: https://github.com/pytorch/pytorch/issues/177630
//     max_error: 4                    # optional: over bound, at most
//     where: {isa: avx512}            # optional: facts of the column, globs
//     expires: 2027-01-31             # optional: not known from this day on
//
// A crash is known where it is listed as one: some compilers end the process on
// the inputs that they should refuse. A timeout or a lost device never is.
#ifndef ASSAY_HARNESS_RECORDS_KNOWN_H_
#define ASSAY_HARNESS_RECORDS_KNOWN_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/records/result.h"

namespace assay::harness {

struct KnownFailure {
  std::vector<std::string> cases;  // patterns
  std::string clause;
  CellStatus status = CellStatus::fail;
  std::string reason;
  std::string link;
  std::optional<double> max_error;
  std::map<std::string, std::string> where;
  std::string expires;  // YYYY-MM-DD or empty
  int line = 0;
};

struct KnownList {
  std::string file;
  std::vector<KnownFailure> entries;  // those that apply here
};

// "results/known/inductor@2.11.0/cpu.yaml": characters that are awkward in
// file names become '_'.
std::filesystem::path known_path(const std::filesystem::path& dir,
                                 const std::string& column);

// A missing file is an empty list. Errors give file:line:column, all of the
// file at once. Entries whose `where` does not hold of `facts` are left out.
Result<KnownList> load_known(const std::filesystem::path& file,
                             const std::map<std::string, std::string>& facts);

// Marks a failure that is listed, and turns the pass of a listed case into
// xpass. `today` is YYYY-MM-DD.
void apply_known(const KnownList& list, const std::string& today,
                 CaseResult* result);

// Undoes apply_known: for results read back from a file.
void forget_known(CaseResult* result);

struct StaleEntry {
  std::string where;  // "results/known/....yaml:12"
  std::string what;   // "its case bmm/... passes: remove the entry"
};

// Entries that are no longer true. `results` are those of the list's
// column, with apply_known done. An entry is judged by those of its cases
// that ran; one that matches none of `all_cases` is reported too (leave it
// empty for a filtered run, which cannot tell).
std::vector<StaleEntry> stale_entries(
    const KnownList& list, const std::vector<const CaseResult*>& results,
    const std::vector<std::string>& all_cases, const std::string& today);

// Today in UTC.
std::string today_utc();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_KNOWN_H_
