// Files of one JSON object a line, which are appended to by processes that
// may be killed.
#ifndef ASSAY_HARNESS_RECORDS_JSON_LINES_H_
#define ASSAY_HARNESS_RECORDS_JSON_LINES_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/result.h"

namespace assay::harness {

// One record and its line, counted from 1; the first is the file's header.
using TakeRecord =
    std::function<Status(const nlohmann::ordered_json&, std::size_t)>;

// Hands every record to `take` and returns how many bytes they fill. A line
// that is no object or that `take` refuses is an error that names it. Left out
// is what a killed process was writing: a line without an end, and a faulty
// last line that is not the header.
Result<std::uint64_t> read_json_lines(const std::filesystem::path& file,
                                      const TakeRecord& take);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_JSON_LINES_H_
