#include "harness/commands/run/report_files.h"

#include <memory>
#include <unordered_map>

#include "core/program_text.h"
#include "harness/records/files.h"
#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/report/summary.h"

namespace assay::harness {
namespace {

// The folder of a spec's file, specs/ops/matmul/bmm.yaml: "matmul".
std::string family_of(const std::string& file) {
  return std::filesystem::path(file).parent_path().filename().string();
}

}  // namespace

bool ReportFiles::any() const {
  return !html.empty() || !markdown.empty() || !junit.empty() ||
         !summary.empty();
}

void add_report_file_options(CLI::App* c, ReportFiles* files) {
  c->add_option("--html", files->html,
                "also write it as a page, one file with all records")
      ->type_name("FILE");
  c->add_option("--markdown", files->markdown, "also write it as Markdown")
      ->type_name("FILE");
  c->add_option("--junit", files->junit, "also write the report as JUnit XML")
      ->type_name("FILE");
  c->add_option("--summary", files->summary,
                "also write a comment for a change request: Markdown, at most "
                "60 lines")
      ->type_name("FILE");
}

std::string unwritable(const ReportFiles& files) {
  for (const auto& file :
       {files.html, files.markdown, files.junit, files.summary}) {
    if (file.empty()) continue;
    const Status writable = check_writable(file);
    if (!writable.ok()) return writable.error().message;
  }
  return {};
}

PageInput page_input(const Session& session, const Report& report,
                     const GateDecision& decision) {
  PageInput in;
  in.report = &report;
  in.decision = &decision;
  for (const language::OpSpec& op : session.specs.ops) {
    in.families.emplace(op.name, family_of(op.file));
  }
  for (const language::ProgramSpec& p : session.specs.programs) {
    in.families.emplace(p.name, "programs");
  }
  using ByPath = std::unordered_map<std::string, const cases::Case*>;
  const auto by_path = std::make_shared<ByPath>();
  for (const cases::Case& c : session.expansion.cases) {
    by_path->emplace(c.path, &c);
  }
  in.program_of = [by_path](const std::string& path) {
    const auto at = by_path->find(path);
    return at == by_path->end() ? "" : to_text(at->second->program);
  };
  return in;
}

std::string write_report_files(const ReportFiles& files, const Report& report,
                               const Report& shown,
                               const GateDecision& decision,
                               const PageInput& page) {
  std::string faults;
  const auto write = [&](const std::filesystem::path& file, auto&& text) {
    if (file.empty()) return;
    const Status written = replace_file(file, text());
    if (!written.ok()) faults += written.error().message + "\n";
  };
  write(files.html, [&] { return html_page(page); });
  write(files.markdown, [&] { return markdown_report(shown, decision); });
  write(files.junit, [&] { return junit_report(report); });
  write(files.summary, [&] { return summary_report(shown, decision); });
  return faults;
}

}  // namespace assay::harness
