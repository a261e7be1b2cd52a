// The page of a report: one HTML file that needs nothing beside it, with all
// records in it (docs/page.md).
#ifndef ASSAY_HARNESS_REPORT_PAGE_H_
#define ASSAY_HARNESS_REPORT_PAGE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/report/gate.h"
#include "harness/report/report.h"

namespace assay::harness {

// One part of an exhaustive sweep: a block of consecutive inputs.
struct PageSweepPart {
  std::uint64_t part = 0;    // its number
  std::uint64_t inputs = 0;  // how many there are in it
  double max_error = 0;      // E, in ulp
  std::uint64_t not_rounded = 0, broken = 0;
};

struct PageSweep {
  std::string name;    // "exp/f32"
  std::string column;  // as the record spells it
  std::string clause;  // "exp/A1", empty where the specs do not have it
  std::string dtype;   // of the operands
  int operands = 1;
  std::uint64_t inputs = 0;  // how many there are in all; 0: not known
  std::vector<PageSweepPart> parts;
  // "0xbf0602e6 (-0.52...)": where E is largest.
  std::string worst_at, worst_got, worst_right;
};

struct PageInput {
  const Report* report = nullptr;
  const GateDecision* decision = nullptr;
  // Headers of the runs that the report was made of, by label.
  std::vector<std::pair<std::string, nlohmann::ordered_json>> runs;
  std::map<std::string, std::string> families;  // of rows: "matmul"
  // Some run had other specs than those that programs are taken from.
  bool other_specs = false;
  // The text of a case's program; empty where it is not known.
  std::function<std::string(const std::string& path)> program_of;
  std::vector<PageSweep> sweeps;
};

// What the page's script reads, column by column: strings stand in one table
// and are named by number, number 0 being the empty one.
nlohmann::ordered_json page_data(const PageInput& input);

std::string html_page(const PageInput& input);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_PAGE_H_
