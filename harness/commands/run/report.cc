// assay report: a run that was recorded, in every form, without its subjects.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/run/report_files.h"
#include "harness/recorded/run_folder.h"
#include "harness/records/files.h"
#include "harness/report/fold.h"
#include "harness/report/json.h"
#include "harness/report/text.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

struct ReportOptions {
  std::vector<std::filesystem::path> folders;
  ReportFiles files;
  std::filesystem::path json;
  bool terminal = false;
  bool unfold = false;
  std::filesystem::path specs, known;
};

// The gate of each run by itself: runs side by side need not have asked for
// the same cases.
GateDecision decide_all(const std::vector<RunFolder>& folders) {
  GateDecision out;
  out.meaning = "there are no cases, only sweeps";
  const bool several = folders.size() > 1;
  const auto take = [&](const std::string& label,
                        const std::vector<std::string>& from,
                        std::vector<std::string>* to) {
    for (const std::string& line : from) {
      to->push_back(several ? fmt::format("{}: {}", label, line) : line);
    }
  };
  bool first = true;
  for (const RunFolder& f : folders) {
    if (f.report.columns.empty()) continue;
    const GateDecision one = decide(f.report);
    if (first || one.exit_code > out.exit_code) {
      out.exit_code = one.exit_code;
      out.meaning = one.meaning;
    }
    first = false;
    take(f.label, one.because, &out.because);
    take(f.label, one.counts, &out.counts);
    take(f.label, one.notes, &out.notes);
  }
  return out;
}

std::string write_all_files(const ReportOptions& o,
                            const std::vector<RunFolder>& folders,
                            const Report& report, const Report& shown,
                            const GateDecision& decision,
                            const Session& session) {
  PageInput page = page_input(session, report, decision);
  for (const RunFolder& f : folders) {
    if (!f.report.header.is_null()) {
      page.runs.emplace_back(f.label, f.report.header);
    }
    page.other_specs = page.other_specs || f.other_specs;
    page.sweeps.insert(page.sweeps.end(), f.sweeps.begin(), f.sweeps.end());
  }
  std::string faults =
      write_report_files(o.files, report, shown, decision, page);
  if (!o.json.empty()) {
    const Status written = replace_file(o.json, json_report(report, decision));
    if (!written) faults += written.error().message + "\n";
  }
  return faults;
}

int report(const ReportOptions& o) {
  std::string fault = unwritable(o.files);
  if (fault.empty() && !o.json.empty()) {
    const Status writable = check_writable(o.json);
    if (!writable) fault = writable.error().message;
  }
  if (!fault.empty()) return complain(fault);
  Result<std::unique_ptr<Session>> session = open_session(o.specs);
  if (!session) return complain(session.error().message);
  std::vector<RunFolder> folders;
  for (const std::filesystem::path& path : o.folders) {
    Result<RunFolder> folder = read_run_folder(path, **session, o.known);
    if (!folder) return complain(folder.error().message);
    if (folder->other_specs) {
      fmt::print(stderr,
                 "assay: {} was made with other specs than those here: "
                 "programs are shown as they are now\n",
                 path.string());
    }
    folders.push_back(std::move(*folder));
  }
  const Result<Report> all = side_by_side(folders);
  if (!all) return complain(all.error().message);
  const GateDecision decision = decide_all(folders);
  const Report shown = o.unfold ? *all : folded(*all);
  const std::string faults =
      write_all_files(o, folders, *all, shown, decision, **session);
  int code = decision.exit_code;
  if (o.terminal || (!o.files.any() && o.json.empty())) {
    TextOptions text;
    text.colour =
        ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
    code = print(text_report(shown, decision, text), code);
  }
  return faults.empty() ? code : complain(faults, kIncomplete);
}

}  // namespace

void add_report_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* c = app.add_subcommand(
      "report",
      "Report a run that was recorded, without its subjects: as a page, "
      "Markdown, JUnit, JSON, or on the terminal.");
  c->add_option("DIR", o->folders,
                "folder of a run (out/latest) or of sweeps; several stand "
                "side by side")
      ->required();
  add_report_file_options(c, &o->files);
  c->add_option("--json", o->json, "also write it as JSON")->type_name("FILE");
  c->add_flag("--terminal", o->terminal,
              "print it too; the default where no file is named");
  c->add_flag("--unfold", o->unfold,
              "show equal CUDA columns one by one, not as one");
  add_specs_option(c, &o->specs);
  CLI::Option* known =
      c->add_option("--known", o->known,
                    "folder of known failures, for entries that no longer "
                    "hold; default results/known, none if --specs is given")
          ->type_name("DIR");
  c->callback([=] {
    if (known->empty() && c->get_option("--specs")->empty()) {
      o->known = home() / "results" / "known";
    }
    *exit_code = report(*o);
  });
}

}  // namespace assay::harness
