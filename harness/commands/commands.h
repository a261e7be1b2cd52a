// The commands of `assay`, one file each. Every add_* function registers its
// options; the command's exit code goes to *exit_code.
#ifndef ASSAY_HARNESS_COMMANDS_COMMANDS_H_
#define ASSAY_HARNESS_COMMANDS_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace assay {

void add_run_command(CLI::App& app, int* exit_code);
void add_list_command(CLI::App& app, int* exit_code);
void add_lint_command(CLI::App& app, int* exit_code);
void add_golden_command(CLI::App& app, int* exit_code);
void add_explain_command(CLI::App& app, int* exit_code);
void add_repro_command(CLI::App& app, int* exit_code);
void add_judge_command(CLI::App& app, int* exit_code);
void add_exhaustive_command(CLI::App& app, int* exit_code);
void add_certify_oracle_command(CLI::App& app, int* exit_code);
void add_boundaries_command(CLI::App& app, int* exit_code);

// Options that several commands share.
void add_specs_option(CLI::App* command, std::filesystem::path* specs);

// The words of the command line, for messages that repeat it.
std::vector<std::string>& command_line();

// Says on standard error what is wrong; returns the exit code given.
int complain(const std::string& message, int exit_code = 2);

// Writes to standard output; what could not be written is a complaint, and
// the exit code then is 3.
int print(const std::string& text, int exit_code = 0);

}  // namespace assay

#endif  // ASSAY_HARNESS_COMMANDS_COMMANDS_H_
