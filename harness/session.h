// Specs, cases and columns as the commands need them: opened once, with
// errors that say what to do.
#ifndef ASSAY_HARNESS_SESSION_H_
#define ASSAY_HARNESS_SESSION_H_

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/executor.h"
#include "harness/report/report.h"
#include "harness/subject.h"
#include "suite/case.h"
#include "suite/spec.h"

namespace assay {

// The project's root: ASSAY_HOME, or where the program was built from.
std::filesystem::path home();

struct Session {
  SpecSet specs;
  Expansion expansion;
};

// Loads and expands. An error lists every fault, one per line.
Result<std::unique_ptr<Session>> open_session(
    const std::filesystem::path& specs_dir);

// Cases that the filters name, in path order; only quick ones unless `full`.
// A filter that matches nothing is an error.
Result<std::vector<const Case*>> select_cases(
    const Session& session, const std::vector<std::string>& filters, bool full);

// One case by its whole path; an error names the nearest ones.
Result<const Case*> find_case(const Session& session, const std::string& path);

// For reports: programs before operations, each in name order.
std::vector<CaseInfo> case_infos(const Session& session,
                                 const std::vector<const Case*>& cases);

struct StartedColumn {
  SubjectConfig config;
  Identity identity;
  std::unique_ptr<Executor> executor;  // started
};

// Starts a worker for each subject, side by side, and asks who it is. An
// error lists all that could not be started.
Result<std::vector<StartedColumn>> start_columns(
    const std::vector<std::string>& spellings);

}  // namespace assay

#endif  // ASSAY_HARNESS_SESSION_H_
