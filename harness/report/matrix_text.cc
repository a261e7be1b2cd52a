#include "harness/report/matrix_text.h"

#include <algorithm>

namespace assay::harness {
namespace {

constexpr std::size_t kLeastWidth = 8;
constexpr std::size_t kMostWidth = 20;
constexpr std::size_t kGap = 2;

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

std::string without_spaces_at_end(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + '\n';
}

}  // namespace

const char* colour_of(CellStatus s) {
  if (s == CellStatus::pass) return kGreen;
  return s >= CellStatus::flaky || s == CellStatus::waived ? kRed : kYellow;
}

MatrixText::MatrixText(const std::vector<ColumnInfo>& columns,
                       const std::vector<MatrixRow>& rows, bool colour)
    : colour_(colour) {
  for (const MatrixRow& row : rows) first_ = std::max(first_, row.name.size());
  first_ += kGap;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    headings_.push_back(heading_lines(columns[c].name));
    std::size_t width = kLeastWidth;
    for (const std::string& l : headings_[c]) width = std::max(width, l.size());
    for (const MatrixRow& row : rows) {
      width = std::max(width, cell_text(row.cells[c]).size());
    }
    widths_.push_back(width + kGap);
  }
}

std::string MatrixText::painted(const char* colour,
                                const std::string& text) const {
  return colour_ ? colour + text + kReset : text;
}

std::string MatrixText::heading(const std::string& last) const {
  std::size_t height = 1;
  for (const auto& lines : headings_) height = std::max(height, lines.size());
  std::string out;
  for (std::size_t h = 0; h < height; ++h) {
    std::string line(first_, ' ');
    for (std::size_t c = 0; c < headings_.size(); ++c) {
      line += pad(h < headings_[c].size() ? headings_[c][h] : "", widths_[c]);
    }
    if (h + 1 == height) line += last;
    out += without_spaces_at_end(painted(kBold, line));
  }
  return out;
}

std::string MatrixText::row(const MatrixRow& row,
                            const std::string& last) const {
  std::string line = pad(row.name, first_);
  for (std::size_t c = 0; c < row.cells.size(); ++c) {
    const std::string text = cell_text(row.cells[c]);
    line += painted(colour_of(row.cells[c].worst), text);
    if (text.size() < widths_[c]) {
      line += std::string(widths_[c] - text.size(), ' ');
    }
  }
  return without_spaces_at_end(line + last);
}

}  // namespace assay::harness
