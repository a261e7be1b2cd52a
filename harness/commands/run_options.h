// What `assay run` was asked to do.
#ifndef ASSAY_HARNESS_COMMANDS_RUN_OPTIONS_H_
#define ASSAY_HARNESS_COMMANDS_RUN_OPTIONS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "reference/oracle.h"

namespace assay {

struct RunOptions {
  std::vector<std::string> filters;
  std::vector<std::string> subjects;
  std::string profile = "quick";
  bool strict = false;
  bool no_known = false;
  int jobs = 0;
  std::filesystem::path out;  // empty: a fresh folder
  bool resume = false;
  bool json = false;
  bool verbose = false;
  double deadline = 0;  // seconds, 0: the default
  std::filesystem::path junit, markdown, record;
  std::filesystem::path specs, known;

  bool full() const { return profile == "full"; }
  Profile numerics() const { return strict ? Profile::strict : Profile::fused; }
  const char* numerics_name() const { return strict ? "strict" : "fused"; }
};

// Where results go: `asked`, or a folder under home()/out that is named by
// the time, or, to resume, the one that out/latest points to.
Result<std::filesystem::path> choose_out_folder(
    const std::filesystem::path& asked, bool resume);

// Points out/latest to `dir` if that lies in home()/out.
void point_latest_to(const std::filesystem::path& dir);

}  // namespace assay

#endif  // ASSAY_HARNESS_COMMANDS_RUN_OPTIONS_H_
