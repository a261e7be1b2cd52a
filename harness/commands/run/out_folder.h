// The folders under out/ that runs leave their results in.
#ifndef ASSAY_HARNESS_COMMANDS_RUN_OUT_FOLDER_H_
#define ASSAY_HARNESS_COMMANDS_RUN_OUT_FOLDER_H_

#include <filesystem>

#include "core/result.h"

namespace assay::harness {

// Where results go: `asked`, or a folder under out_root() that is named by
// the time, or, to resume, the one that out/latest points to.
Result<std::filesystem::path> choose_out_folder(
    const std::filesystem::path& asked, bool resume);

// Points out/latest to `dir` if that lies in out_root().
void point_latest_to(const std::filesystem::path& dir);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_RUN_OUT_FOLDER_H_
