// The lines of a matrix on a terminal.
#ifndef ASSAY_HARNESS_REPORT_MATRIX_TEXT_H_
#define ASSAY_HARNESS_REPORT_MATRIX_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "harness/report/matrix.h"

namespace assay::harness {

// Escape sequences of terminals.
inline constexpr const char* kReset = "\x1b[0m";
inline constexpr const char* kRed = "\x1b[31m";
inline constexpr const char* kGreen = "\x1b[32m";
inline constexpr const char* kYellow = "\x1b[33m";
inline constexpr const char* kBold = "\x1b[1m";

const char* colour_of(CellStatus status);

class MatrixText {
 public:
  // `rows` are those whose names and cells must fit.
  MatrixText(const std::vector<ColumnInfo>& columns,
             const std::vector<MatrixRow>& rows, bool colour);

  // One line or more, each ending in a newline. `last` heads what follows the
  // columns.
  std::string heading(const std::string& last) const;
  // A line, with `last` behind the cells.
  std::string row(const MatrixRow& row, const std::string& last) const;

 private:
  std::string painted(const char* colour, const std::string& text) const;

  std::vector<std::vector<std::string>> headings_;
  std::size_t first_ = 0;
  std::vector<std::size_t> widths_;
  bool colour_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_MATRIX_TEXT_H_
