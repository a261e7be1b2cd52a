#include "harness/report/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/judge/show.h"
#include "harness/report/matrix_text.h"

namespace assay::harness {
namespace {

class Writer {
 public:
  explicit Writer(bool colour) : colour_(colour) {}

  void line(const std::string& text = {}) {
    out_ += text;
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
  }
  void put(const std::string& lines) { out_ += lines; }
  std::string paint(const char* colour, const std::string& text) const {
    return colour_ ? colour + text + kReset : text;
  }
  const std::string& text() const { return out_; }

 private:
  bool colour_;
  std::string out_;
};

void write_matrix(const Report& report, const std::vector<MatrixRow>& rows,
                  bool colour, Writer* w) {
  const MatrixText text(report.columns, rows, colour);
  w->put(text.heading("differ"));
  for (const MatrixRow& row : rows) {
    const std::string differ =
        row.disagree == 0 ? "-" : std::to_string(row.disagree);
    w->put(text.row(row, differ));
  }
}

// `text` in lines of so many columns.
void write_wrapped(const std::string& text, Writer* w) {
  constexpr std::size_t kWidth = 88;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (!line.empty() && line.size() + 1 + end - at > kWidth) {
      w->line(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + text.substr(at, end - at);
    at = end + 1;
  }
  w->line(line);
}

void write_legend(const std::vector<MatrixRow>& rows, Writer* w) {
  w->line(
      "A cell: worst status, cases (wrong/all), largest error over its "
      "bound. \"known\":");
  w->line(
      "a failure that results/known lists. differ: cases where all "
      "columns conform, but");
  w->line(
      "not with the same bits. All cells ran unless they say how far they "
      "got.");
  if (any_derived(rows)) {
    write_wrapped(fmt::format("{}: {}", kDerivedMark, kDerivedNote), w);
  }
}

void write_failures(const Report& report, Writer* w) {
  const std::vector<FailureGroup> groups = failure_groups(report);
  if (groups.empty()) return;
  w->line();
  w->line(w->paint(kBold, "What is not a pass, by row:"));
  std::string row;
  for (const FailureGroup& g : groups) {
    if (g.row != row) {
      row = g.row;
      w->line(row);
    }
    const CaseResult& r = *g.results.front();
    const std::string status =
        (g.known ? "known " : "") + kind_of(g.status, g.failure);
    w->line(fmt::format("  {} x{}  {}  {}  {}",
                        w->paint(colour_of(g.status), status), g.results.size(),
                        g.clause, report.columns[g.column].name, r.case_path));
    w->line(fmt::format("    {}", r.reason));
    if (r.witness && !r.witness->inputs.empty()) {
      w->line(fmt::format(
          "    at {}{}", one_line(r.witness->inputs),
          r.witness->exact.empty() ? "" : ", exact " + r.witness->exact));
    }
    if (!r.known_link.empty()) w->line(fmt::format("    {}", r.known_link));
    if (g.status >= CellStatus::flaky) {
      w->line("    " + repro_command(report, r));
    }
  }
}

void write_verdicts(const Report& report, Writer* w) {
  std::vector<std::string> parts;
  for (const auto& [verdict, n] : count_verdicts(report)) {
    parts.push_back(fmt::format("{} {}", verdict_name(verdict), n));
  }
  if (!parts.empty()) {
    w->line(fmt::format("verdicts: {}", fmt::join(parts, ", ")));
  }
}

}  // namespace

std::string text_report(const Report& report, const GateDecision& decision,
                        const TextOptions& options) {
  Writer w(options.colour);
  w.line(w.paint(kBold, title(report)));
  w.line();
  const std::vector<MatrixRow> rows = make_matrix(report);
  write_matrix(report, rows, options.colour, &w);
  w.line();
  write_legend(rows, &w);
  write_failures(report, &w);
  w.line();
  write_verdicts(report, &w);
  w.line(w.paint(decision.exit_code == 0 ? kGreen : kRed, to_string(decision)));
  return w.text();
}

}  // namespace assay::harness
