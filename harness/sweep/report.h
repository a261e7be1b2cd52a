// What sweeps found, as text and as Markdown.
#ifndef ASSAY_HARNESS_SWEEP_REPORT_H_
#define ASSAY_HARNESS_SWEEP_REPORT_H_

#include <string>
#include <vector>

#include "reference/sweep/sweep.h"
#include "reference/sweep/tally.h"

namespace assay::harness {

struct SweepRow {
  const reference::Sweep* sweep = nullptr;
  std::string column;
  std::string clause;  // "exp/A1"
  reference::Tally tally;
  bool complete = false;
  std::string fault;
};

// "0xbf0602e6 (-0.52348...)", the operands of pairs joined by a comma.
std::string show_input(const reference::Sweep& sweep, std::uint64_t input);

// A block of lines per row.
std::string sweep_text(const SweepRow& row);
// A table over rows.
std::string sweep_markdown(const std::vector<SweepRow>& rows);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SWEEP_REPORT_H_
