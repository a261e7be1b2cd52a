#include "harness/report/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/judge/show.h"
#include "harness/report/matrix.h"

namespace assay::harness {
namespace {

constexpr std::size_t kLeastWidth = 8;
constexpr std::size_t kMostWidth = 20;
constexpr std::size_t kGap = 2;

constexpr const char* kReset = "\x1b[0m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kYellow = "\x1b[33m";
constexpr const char* kBold = "\x1b[1m";

const char* colour_of(CellStatus s) {
  if (s == CellStatus::pass) return kGreen;
  return s >= CellStatus::flaky || s == CellStatus::waived ? kRed : kYellow;
}

class Writer {
 public:
  explicit Writer(bool colour) : colour_(colour) {}

  void line(const std::string& text = {}) {
    out_ += text;
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
  }
  std::string paint(const char* colour, const std::string& text) const {
    return colour_ ? colour + text + kReset : text;
  }
  const std::string& text() const { return out_; }

 private:
  bool colour_;
  std::string out_;
};

std::string pad(const std::string& text, std::size_t width) {
  return text.size() >= width ? text
                              : text + std::string(width - text.size(), ' ');
}

// "inductor@2.11.0/cpu" in lines no wider than kMostWidth.
std::vector<std::string> heading_lines(const std::string& name) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : name) {
    const bool border = c == '@' || c == '{';
    if (!line.empty() && (border || line.size() == kMostWidth)) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (c == '/') {
      lines.push_back(std::move(line));
      line.clear();
      continue;
    }
    line += c;
  }
  lines.push_back(line);
  return lines;
}

void write_matrix(const Report& report, Writer* w) {
  const std::vector<MatrixRow> rows = make_matrix(report);
  std::size_t first = 0;
  for (const MatrixRow& row : rows) first = std::max(first, row.name.size());
  first += kGap;
  std::vector<std::vector<std::string>> headings;
  std::vector<std::size_t> widths;
  std::size_t height = 1;
  for (std::size_t c = 0; c < report.columns.size(); ++c) {
    headings.push_back(heading_lines(report.columns[c].name));
    height = std::max(height, headings[c].size());
    std::size_t width = kLeastWidth;
    for (const std::string& l : headings[c]) width = std::max(width, l.size());
    for (const MatrixRow& row : rows) {
      width = std::max(width, cell_text(row.cells[c]).size());
    }
    widths.push_back(width + kGap);
  }
  for (std::size_t h = 0; h < height; ++h) {
    std::string line(first, ' ');
    for (std::size_t c = 0; c < headings.size(); ++c) {
      line += pad(h < headings[c].size() ? headings[c][h] : "", widths[c]);
    }
    if (h + 1 == height) line += "differ";
    w->line(w->paint(kBold, line));
  }
  for (const MatrixRow& row : rows) {
    std::string line = pad(row.name, first);
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const std::string text = cell_text(row.cells[c]);
      line += w->paint(colour_of(row.cells[c].worst), text);
      line += std::string(widths[c] - text.size(), ' ');
    }
    line += row.disagree == 0 ? "-" : std::to_string(row.disagree);
    w->line(line);
  }
}

void write_legend(Writer* w) {
  w->line(
      "A cell: worst status, cases (wrong/all), largest error over its "
      "bound. \"known\":");
  w->line(
      "a failure that results/known lists. differ: cases where all "
      "columns conform, but");
  w->line(
      "not with the same bits. All cells ran unless they say how far they "
      "got.");
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
  write_matrix(report, &w);
  w.line();
  write_legend(&w);
  write_failures(report, &w);
  w.line();
  write_verdicts(report, &w);
  w.line(w.paint(decision.exit_code == 0 ? kGreen : kRed, to_string(decision)));
  return w.text();
}

}  // namespace assay::harness
