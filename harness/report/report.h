// All that a report says, whatever its form: what ran, where, with what
// result, and what follows for the exit code.
#ifndef ASSAY_HARNESS_REPORT_REPORT_H_
#define ASSAY_HARNESS_REPORT_REPORT_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/records/known.h"
#include "harness/records/result.h"
#include "suite/cases/case.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

struct ColumnInfo {
  std::string name;      // "inductor@2.11.0/cpu"
  std::string spelling;  // "torch:inductor", empty if it is not at hand
};

// What kind of promise a case is about.
enum class CaseKind {
  errors,  // a call that must be refused
  values,
  boundaries,  // where functions overflow, end, are hardest
  casts,       // a program that converts
  coherence,   // something returned, and something computed from it
};
inline constexpr CaseKind kCaseKinds[] = {CaseKind::errors, CaseKind::values,
                                          CaseKind::boundaries, CaseKind::casts,
                                          CaseKind::coherence};
const char* kind_name(CaseKind kind);

struct CaseInfo {
  std::string path;
  std::string row;
  CaseKind kind = CaseKind::values;
};

// Programs before operations, each in name order.
std::vector<CaseInfo> case_infos(const language::SpecSet& specs,
                                 const std::vector<const cases::Case*>& cases);

struct Report {
  nlohmann::ordered_json header;  // identities, as in results.jsonl
  std::string version;
  std::string profile = "quick";
  std::string numerics = "fused";
  std::vector<std::string> filters;
  std::size_t cases_in_suite = 0;  // that the filters name, of all profiles
  bool interrupted = false;
  std::string lost;  // as in RunOutcome

  std::vector<ColumnInfo> columns;
  std::vector<CaseInfo> cases;      // those selected, in path order
  std::vector<CaseResult> results;  // at most one per case and column
  std::vector<StaleEntry> stale;
};

// Of the cases of one kind that a column ran, how many are wrong, and how many
// of those are known.
struct KindTally {
  std::size_t run = 0, wrong = 0, known = 0;
};
std::map<std::pair<CaseKind, std::string>, KindTally> count_kinds(
    const Report& report);

// Rows of a whole run alone, which then are all that the suite has.
RunExtent extent_of(const Report& report);

// A partial run says so in its first line.
std::string title(const Report& report);

// Results other than "pass", grouped: those of the same row, column, clause and
// status and class are one failure; what is unsupported for one reason, without
// a clause, too.
struct FailureGroup {
  std::string row;
  std::size_t column = 0;
  std::string clause;
  CellStatus status = CellStatus::fail;
  FailureClass failure = FailureClass::none;
  bool known = false;
  std::vector<const CaseResult*> results;  // in path order, the worst first
};
std::vector<FailureGroup> failure_groups(const Report& report);

// `word` as a shell reads it back.
std::string shell_quoted(const std::string& word);

// The command that shows one result again.
std::string repro_command(const Report& report, const CaseResult& result);

// "fail elided": the status and, of a fail, its class.
std::string kind_of(CellStatus status, FailureClass failure);

std::map<Verdict, std::size_t> count_verdicts(const Report& report);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_REPORT_H_
