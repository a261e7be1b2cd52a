// assay fmt: specs in their usual layout. A file that cannot be laid out stays
// as it is, and the others go on.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/files.h"
#include "suite/language/format/format.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

struct FmtOptions {
  std::vector<fs::path> paths;
  bool check = false;
  fs::path specs;
};

struct Outcome {
  std::size_t files = 0;
  std::vector<std::string> changed;  // with --check: to be changed
  int exit_code = 0;
};

bool is_hidden(const fs::path& file) {
  return file.filename().string().starts_with(".");
}

// The specs of a folder that people write: not what other commands do.
Status add_folder(const fs::path& folder, std::vector<fs::path>* files) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (; it != fs::recursive_directory_iterator(); it.increment(error)) {
    const fs::path& path = it->path();
    std::error_code unknown;  // of a link to nothing, which reading will tell
    if (it->is_directory(unknown)) {
      if (is_hidden(path) || path.filename() == "schemas") {
        it.disable_recursion_pending();
      }
    } else if (path.extension() == ".yaml" && !is_hidden(path) &&
               path.filename() != "boundaries.yaml" && !it->is_other(unknown)) {
      files->push_back(path);
    }
  }
  if (!error) return success();
  return Error{fmt::format("{}: {}", folder.string(), error.message())};
}

void format_file(const fs::path& file, bool check, Outcome* out) {
  const auto failed = [out](const std::string& message) {
    out->exit_code = complain(message);
  };
  ++out->files;
  const Result<std::string> text = read_file(file);
  if (!text) return failed(text.error().message);
  std::vector<language::Fault> faults;
  const auto formatted = language::format_spec(*text, &faults);
  for (const language::Fault& f : faults) {
    failed(language::to_string({file.string(), f.pos, f.message}));
  }
  if (!formatted || *formatted == *text) return;
  if (!check) {
    std::error_code error;
    // Behind a link, the file that it names.
    const Status written = replace_file(fs::canonical(file, error), *formatted);
    if (!written) return failed(written.error().message);
  }
  out->changed.push_back(file.string());
}

std::string summary(const Outcome& o, bool check) {
  std::string text;
  for (const std::string& file : o.changed) text += file + "\n";
  const bool hint = check && !o.changed.empty();
  return text + fmt::format("{} of {} file{} {}changed{}\n", o.changed.size(),
                            o.files, o.files == 1 ? "" : "s",
                            check ? "would be " : "",
                            hint ? "; ./assay fmt does it" : "");
}

int format_files(FmtOptions o) {
  std::vector<fs::path> files;
  if (o.paths.empty()) o.paths.push_back(o.specs);
  for (const fs::path& path : o.paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      const Status added = add_folder(path, &files);
      if (!added) return complain(added.error().message);
    } else if (fs::is_regular_file(path, error)) {
      files.push_back(path);
    } else {
      return complain(
          fmt::format("{}: there is no such file or folder", path.string()));
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  Outcome out;
  for (const fs::path& file : files) format_file(file, o.check, &out);
  if (o.check && !out.changed.empty() && out.exit_code == 0) out.exit_code = 1;
  return print(summary(out, o.check), out.exit_code);
}

}  // namespace

void add_fmt_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<FmtOptions>();
  CLI::App* c = app.add_subcommand(
      "fmt", "Lay out the specs: spaces, long lines, order of sections.");
  c->add_option("FILE", o->paths, "spec files, or folders; default: all specs");
  c->add_flag("--check", o->check,
              "change nothing; exit 1 if a file would change");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = format_files(*o); });
}

}  // namespace assay::harness
