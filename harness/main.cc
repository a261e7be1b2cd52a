// assay: the command line. Exit codes of every command: 0 conforms, 1 does
// not, 2 the spec, the harness or the usage is at fault, 3 incomplete.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/identity.h"
#include "harness/run/interrupt.h"

namespace harness = assay::harness;

int main(int argc, char** argv) {
  harness::install_signal_handlers();
  harness::command_line().assign(argv, argv + argc);
  CLI::App app{
      "Certifies compilers of tensor programs against executable "
      "specs."};
  app.name("assay");
  app.require_subcommand(1);
  app.set_version_flag("--version", "assay " + harness::program_version());
  app.footer(
      "Exit codes: 0 conforms, 1 does not, 2 spec, harness or usage at "
      "fault, 3 incomplete.");
  int exit_code = 2;
  harness::add_run_command(app, &exit_code);
  harness::add_list_command(app, &exit_code);
  harness::add_lint_command(app, &exit_code);
  harness::add_fmt_command(app, &exit_code);
  harness::add_baseline_command(app, &exit_code);
  harness::add_census_command(app, &exit_code);
  harness::add_faults_command(app, &exit_code);
  harness::add_profile_command(app, &exit_code);
  harness::add_widths_command(app, &exit_code);
  harness::add_new_command(app, &exit_code);
  harness::add_schemas_command(app, &exit_code);
  harness::add_golden_command(app, &exit_code);
  harness::add_explain_command(app, &exit_code);
  harness::add_show_command(app, &exit_code);
  harness::add_compile_command(app, &exit_code);
  harness::add_repro_command(app, &exit_code);
  harness::add_reduce_command(app, &exit_code);
  harness::add_fuzz_command(app, &exit_code);
  harness::add_history_command(app, &exit_code);
  harness::add_judge_command(app, &exit_code);
  harness::add_report_command(app, &exit_code);
  harness::add_merge_command(app, &exit_code);
  harness::add_submit_command(app, &exit_code);
  harness::add_costs_command(app, &exit_code);
  harness::add_certify_command(app, &exit_code);
  harness::add_verify_command(app, &exit_code);
  harness::add_challenge_command(app, &exit_code);
  harness::add_exhaustive_command(app, &exit_code);
  harness::add_certify_oracle_command(app, &exit_code);
  harness::add_approximate_command(app, &exit_code);
  harness::add_boundaries_command(app, &exit_code);
  harness::add_selfcheck_command(app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help, --version
    app.exit(e);
    return 0;
  } catch (const CLI::ParseError& e) {
    app.exit(e);
    return 2;
  }
  return exit_code;
}
