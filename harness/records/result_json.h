// Results as JSON: the records of results.jsonl and of reports.
#ifndef ASSAY_HARNESS_RECORDS_RESULT_JSON_H_
#define ASSAY_HARNESS_RECORDS_RESULT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "core/result.h"
#include "harness/records/result.h"

namespace assay::harness {

// JSON has no infinity: an infinite error (another class, NaN where a number
// was due) is the string "inf".
nlohmann::ordered_json to_json(const CaseResult& result);

Result<CaseResult> result_from_json(const nlohmann::ordered_json& record);

// One line, without the newline. Text that is not UTF-8 is repaired.
std::string json_line(const nlohmann::ordered_json& value);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_RESULT_JSON_H_
