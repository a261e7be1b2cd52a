// Reports to files: what `run`, `judge` and `report` offer alike.
#ifndef ASSAY_HARNESS_COMMANDS_RUN_REPORT_FILES_H_
#define ASSAY_HARNESS_COMMANDS_RUN_REPORT_FILES_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/report/gate.h"
#include "harness/report/page.h"
#include "harness/report/report.h"
#include "harness/run/session.h"

namespace assay::harness {

struct ReportFiles {
  std::filesystem::path html, markdown, junit, summary;  // empty: not asked for
  bool any() const;
};

// --html, --markdown, --junit and --summary.
void add_report_file_options(CLI::App* command, ReportFiles* files);

// Which of the files cannot be written, before anything is done; empty if all
// can.
std::string unwritable(const ReportFiles& files);

// What the session's specs say of rows and programs, for a page.
PageInput page_input(const Session& session, const Report& report,
                     const GateDecision& decision);

// Writes what was asked for; returns what could not be written, a line each.
// `shown` is the report with equal columns folded, or the same.
std::string write_report_files(const ReportFiles& files, const Report& report,
                               const Report& shown,
                               const GateDecision& decision,
                               const PageInput& page);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_RUN_REPORT_FILES_H_
