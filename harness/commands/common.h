// What the commands share: options, complaints, printing.
#ifndef ASSAY_HARNESS_COMMANDS_COMMON_H_
#define ASSAY_HARNESS_COMMANDS_COMMON_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/in_parallel.h"  // IWYU pragma: export
#include "suite/cases/case.h"

namespace assay::harness {

// Options that several commands share.
void add_specs_option(CLI::App* command, std::filesystem::path* specs);

// --profile, which cases; what it holds is the default.
void add_profile_option(CLI::App* command, cases::Profile* profile);

// The words of the command line, for messages that repeat it.
std::vector<std::string>& command_line();

// Says on standard error what is wrong; returns the exit code given.
int complain(const std::string& message, int exit_code = 2);

// Writes to standard output; what could not be written is a complaint, and
// the exit code then is 3.
int print(const std::string& text, int exit_code = 0);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_COMMON_H_
