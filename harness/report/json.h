// The report as one JSON document.
#ifndef ASSAY_HARNESS_REPORT_JSON_H_
#define ASSAY_HARNESS_REPORT_JSON_H_

#include <string>

#include "harness/report/gate.h"
#include "harness/report/report.h"

namespace assay::harness {

// {"title", "header", "columns", "rows": [{"row", "cells": [...]}],
//  "verdicts", "results": what is not a pass, "stale", "exit"}. All results
// are in results.jsonl.
std::string json_report(const Report& report, const GateDecision& decision);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_JSON_H_
