#include "harness/commands/common.h"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "harness/records/files.h"
#include "harness/subject/places.h"

namespace assay::harness {

void add_specs_option(CLI::App* command, std::filesystem::path* specs) {
  *specs = home() / "specs";
  command->add_option("--specs", *specs, "folder of specs")->type_name("DIR");
}

void add_profile_option(CLI::App* command, cases::Profile* profile) {
  command
      ->add_option_function<std::string>(
          "--profile",
          [profile](const std::string& name) {
            *profile = cases::parse_profile(name).value_or(*profile);
          },
          "which cases")
      ->check(CLI::IsMember({"quick", "standard", "full"}))
      ->default_str(cases::profile_name(*profile));
}

std::vector<std::string>& command_line() {
  static std::vector<std::string> words;
  return words;
}

int complain(const std::string& message, int exit_code) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    fmt::print(stderr, "assay: {}\n", line);
  }
  return exit_code;
}

int print(const std::string& text, int exit_code) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) == 0) return exit_code;
  return complain(fmt::format("standard output: {}", errno_text()), 3);
}

}  // namespace assay::harness
