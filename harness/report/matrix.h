// The conformance matrix: rows are operations and programs, columns are
// subjects on devices. A cell rolls up the cases of its row; the worst wins,
// and none is ever blank.
#ifndef ASSAY_HARNESS_REPORT_MATRIX_H_
#define ASSAY_HARNESS_REPORT_MATRIX_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay::harness {

struct Cell {
  CellStatus worst = CellStatus::not_run;
  bool known = false;  // all that is wrong here is known
  std::size_t cases = 0;
  std::size_t wrong = 0;  // cases whose status is neither pass nor a warning
  std::map<CellStatus, std::size_t> counts;
  FailureClass failure = FailureClass::none;  // the plainest of its fails
  double max_error = 0;                       // over bound
  Evidence evidence = Evidence::none;         // the weakest among what conforms
  std::size_t derived = 0;  // cases with code or guards derived from specs
};

struct MatrixRow {
  std::string name;
  std::vector<Cell> cells;   // one per column
  std::size_t disagree = 0;  // cases where all conform with different bits
};

// Rows in the order in which they first occur in report.cases.
std::vector<MatrixRow> make_matrix(const Report& report);

// "pass", "FAIL", "known", ...: what a cell is called in matrices.
std::string cell_word(const Cell& cell);

// "FAIL 3/45 2.1 elided": word, cases wrong of all, largest error over bound,
// the class of its failures unless that is a wrong value, the evidence where it
// is less than a run, and kDerivedMark where a case in it was derived.
std::string cell_text(const Cell& cell);

// What the footnote says of.
inline constexpr const char* kDerivedMark = "^";
// The footnote, without the mark; to be shown where any cell has that.
inline constexpr const char* kDerivedNote =
    "code and guards that the column derived from the spec itself, of some "
    "call at least. A pass shows that the spec's bound can be reached by code "
    "that nobody tuned; that it refuses what the spec refuses shows nothing of "
    "the spec, since both read it.";
bool any_derived(const std::vector<MatrixRow>& rows);

// An error over bound in few characters.
std::string short_error(double error);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_MATRIX_H_
