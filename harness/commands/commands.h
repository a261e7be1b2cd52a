// The commands of `assay`, one file each. Every add_* function registers its
// options; the command's exit code goes to *exit_code.
#ifndef ASSAY_HARNESS_COMMANDS_COMMANDS_H_
#define ASSAY_HARNESS_COMMANDS_COMMANDS_H_

#include <CLI/CLI.hpp>

namespace assay::harness {

void add_run_command(CLI::App& app, int* exit_code);
void add_list_command(CLI::App& app, int* exit_code);
void add_lint_command(CLI::App& app, int* exit_code);
void add_fmt_command(CLI::App& app, int* exit_code);
void add_baseline_command(CLI::App& app, int* exit_code);
void add_census_command(CLI::App& app, int* exit_code);
void add_faults_command(CLI::App& app, int* exit_code);
void add_profile_command(CLI::App& app, int* exit_code);
void add_widths_command(CLI::App& app, int* exit_code);
void add_new_command(CLI::App& app, int* exit_code);
void add_schemas_command(CLI::App& app, int* exit_code);
void add_golden_command(CLI::App& app, int* exit_code);
void add_explain_command(CLI::App& app, int* exit_code);
void add_show_command(CLI::App& app, int* exit_code);
void add_compile_command(CLI::App& app, int* exit_code);
void add_repro_command(CLI::App& app, int* exit_code);
void add_reduce_command(CLI::App& app, int* exit_code);
void add_fuzz_command(CLI::App& app, int* exit_code);
void add_history_command(CLI::App& app, int* exit_code);
void add_judge_command(CLI::App& app, int* exit_code);
void add_report_command(CLI::App& app, int* exit_code);
void add_merge_command(CLI::App& app, int* exit_code);
void add_submit_command(CLI::App& app, int* exit_code);
void add_costs_command(CLI::App& app, int* exit_code);
void add_certify_command(CLI::App& app, int* exit_code);
void add_verify_command(CLI::App& app, int* exit_code);
void add_challenge_command(CLI::App& app, int* exit_code);
void add_exhaustive_command(CLI::App& app, int* exit_code);
void add_certify_oracle_command(CLI::App& app, int* exit_code);
void add_approximate_command(CLI::App& app, int* exit_code);
void add_boundaries_command(CLI::App& app, int* exit_code);
void add_selfcheck_command(CLI::App& app, int* exit_code);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_COMMANDS_H_
