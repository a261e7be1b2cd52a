// Known failures of a column: results/known/<column>.yaml. They are what people
// say of a compiler, by operation and clause, and hold on any machine: whatever
// fails by such a clause stays red in the matrix but does not change the exit
// code.
//
//   recorded: {cpu: Intel*}           # facts of the machine that ran them all
//   also: cpu                         # optional: a list beside, or another
//                                     # column's (inductor@2.11.0/cpu), that
//                                     # holds too; or several
//   entries:
//     - op: bmm                       # rows of the matrix: patterns
//       clause: bmm/E4                # or E4, each row's own
//       status: fail                  # fail, crash, flaky, quality_warning
//       reason: returns f32 where eager refuses
//       link: https://github.com/pytorch/pytorch/issues/177630
//       class: lost_error         # optional: these alone, one or a list
//       cases: '*/f16-f32/*'          # optional: these alone, patterns
//       max_error: 4                  # optional: over bound, at most
//       where: {cpu_capability: avx512}  # optional: facts of the column, globs
//       expires: 2027-01-31           # optional: not known from this day on
//
// An entry on an operation holds of its in-place form, too: add/E2 of add_/E2.
// An entry has gone stale where nothing fails by it in a run of the full
// profile, without filters, on a machine like the recorded one; elsewhere that
// is worth a note. A crash is known where it is listed as one: some compilers
// end the process on the inputs that they should refuse. A timeout or a lost
// device never is.
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
  std::vector<std::string> ops;    // patterns of rows
  std::vector<std::string> cases;  // patterns; empty: all
  std::string clause;
  std::vector<CellStatus> statuses;
  std::string reason;
  std::string link;
  std::optional<double> max_error;
  std::map<std::string, std::string> where;
  std::string expires;  // YYYY-MM-DD or empty
  int line = 0;
  std::vector<FailureClass> classes = {};  // of a fail; empty: all
  bool from_other = false;  // of the list that `also` names: not ours to mend
};

struct KnownList {
  std::string file;
  bool recorded_here = false;         // on a machine like this one
  std::vector<KnownFailure> entries;  // those that apply here
};

// "results/known/inductor@2.11.0/cpu.yaml": characters that are awkward in
// file names become '_'.
std::filesystem::path known_path(const std::filesystem::path& dir,
                                 const std::string& column);

// The list of a column in the folder `dir`; without one, that of its device's
// family: "inductor@2.11.0/cuda.yaml" for "inductor@2.11.0/cuda-sm_90". To the
// facts are added `cpu`, the machine's model, and `device`, the column's.
Result<KnownList> load_known_of(const std::filesystem::path& dir,
                                const std::string& column,
                                std::map<std::string, std::string> facts,
                                const std::string& cpu);

// A missing file is an empty list. Errors give file:line:column, all of the
// file at once. Entries whose `where` does not hold of `facts` are left out.
Result<KnownList> load_known(const std::filesystem::path& file,
                             const std::map<std::string, std::string>& facts);

// The same of a text that stands alone: it may name no list beside it.
Result<KnownList> parse_known(const std::string& file, const std::string& text,
                              const std::map<std::string, std::string>& facts);

// Marks a failure that is listed. `today` is YYYY-MM-DD.
void apply_known(const KnownList& list, const std::string& today,
                 CaseResult* result);

// Undoes apply_known: for results read back from a file.
void forget_known(CaseResult* result);

struct StaleEntry {
  std::string where;  // "results/known/....yaml:12"
  std::string what;   // "nothing fails by it any more"
  bool is_note = false;
};

// How much of the suite ran.
struct RunExtent {
  bool whole = false;             // every case of the full profile
  std::vector<std::string> rows;  // then, of the suite
};

// Entries that are no longer true, or may not be. `results` are those of the
// list's column, with apply_known done.
std::vector<StaleEntry> stale_entries(
    const KnownList& list, const std::vector<const CaseResult*>& results,
    const RunExtent& extent, const std::string& today);

// Today in UTC.
std::string today_utc();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_KNOWN_H_
