#include "harness/commands/run/out_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>

#include "harness/subject/places.h"

namespace assay::harness {

namespace fs = std::filesystem;

Result<fs::path> choose_out_folder(const fs::path& asked, bool resume) {
  if (!asked.empty()) return asked;
  const fs::path out = out_root();
  std::error_code error;
  if (resume) {
    const fs::path latest = fs::canonical(out / "latest", error);
    if (!error) return latest;
    return Error{
        fmt::format("there is no {} to resume: name the folder with "
                    "--out",
                    (out / "latest").string())};
  }
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "run-%Y%m%d-%H%M%S", &parts);
  fs::path dir = out / text;
  for (int n = 2; fs::exists(dir, error); ++n) {
    dir = out / fmt::format("{}-{}", text, n);
  }
  return dir;
}

void point_latest_to(const fs::path& dir) {
  std::error_code error;
  const fs::path out = fs::canonical(out_root(), error);
  if (error || fs::canonical(dir, error).parent_path() != out) return;
  // Renamed into place, so that the link is never missing.
  const fs::path fresh = out / fmt::format("latest.{}", ::getpid());
  fs::create_symlink(fs::canonical(dir, error).filename(), fresh, error);
  if (!error) fs::rename(fresh, out / "latest", error);
  if (error) fs::remove(fresh, error);
}

}  // namespace assay::harness
