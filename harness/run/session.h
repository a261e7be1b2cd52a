// Specs, cases, the oracle and columns as the commands need them: opened once,
// with errors that say what to do.
#ifndef ASSAY_HARNESS_RUN_SESSION_H_
#define ASSAY_HARNESS_RUN_SESSION_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/judge/golden_source.h"
#include "harness/run/scheduler.h"
#include "harness/subject/executor.h"
#include "harness/subject/subject.h"
#include "suite/cases/expand/expand.h"
#include "suite/language/model/fault_spec.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

struct Session {
  language::SpecSet specs;
  cases::Expansion expansion;
};

// Loads and expands nothing. An error lists every fault, one per line.
Result<std::unique_ptr<Session>> load_session(
    const std::filesystem::path& specs_dir);

// Loads and expands. An error lists every fault, one per line. With filters,
// or paths, only the rows that they may name are expanded: none, if none does.
Result<std::unique_ptr<Session>> open_session(
    const std::filesystem::path& specs_dir,
    const std::vector<std::string>& filters = {});

// Expands the rows that are wanted into a session that is loaded. An error
// lists every fault, one per line.
Status expand_rows(Session* session,
                   const std::function<bool(const std::string& row)>& wanted);

// The wrong implementations beside the specs; an error lists every fault of
// their files.
Result<std::vector<language::FaultSpec>> load_faults(
    const std::filesystem::path& specs_dir);

// Cases of the profile that the filters name, in path order.
// A filter that matches nothing is an error.
Result<std::vector<const cases::Case*>> select_cases(
    const Session& session, const std::vector<std::string>& filters,
    cases::Profile profile);

// How many cases of all profiles the filters name.
std::size_t count_cases(const Session& session,
                        const std::vector<std::string>& filters);

// One case by its whole path; an error names the nearest ones.
Result<const cases::Case*> find_case(const Session& session,
                                     const std::string& path);

// The real oracle. `specs` must outlive it.
std::unique_ptr<GoldenSource> live_oracle(const language::SpecSet& specs);

struct StartedColumn {
  SubjectConfig config;
  Identity identity;
  std::unique_ptr<Executor> executor;  // started
};

// What is executed where a worker is started so: its program, its plugin, the
// scripts beside a script, and the package that ours stand on.
std::vector<std::filesystem::path> program_files(
    const std::vector<std::string>& command);

// Of hashes of their texts, in order: the fact "program". Two compilers under
// one name are two columns.
std::string program_hash(const std::vector<std::uint64_t>& hashes);

// A subject that could not be started.
struct AbsentColumn {
  std::string spelling;
  std::string why;  // names the subject
};

// Starts a worker for each subject, side by side, and asks who it is. An
// error lists all that could not be started; with `absent` those are listed
// there, and it is an error only if none is left.
Result<std::vector<StartedColumn>> start_columns(
    const std::vector<std::string>& spellings,
    std::vector<AbsentColumn>* absent = nullptr);

// Which columns a command is to ask.
struct ColumnChoice {
  std::vector<std::string> subjects;  // named one by one; or else all of
  std::string device = "cpu";         // this device (subjects_of_device)
};

// Starts them. A subject that was named, and one of the CPU's, is an error
// where it cannot be started; others are left out, and `absent` says why.
// `every_target`: also of GPUs for which code is only linted.
Result<std::vector<StartedColumn>> start_chosen(
    const ColumnChoice& choice, bool every_target,
    std::vector<AbsentColumn>* absent);

// What the scheduler wants to know of started columns, whose workers it takes.
std::vector<ColumnPlan> plans_of(std::vector<StartedColumn>* columns);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_SESSION_H_
