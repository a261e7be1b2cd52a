// Files of one JSON object a line, which are appended to by processes that
// may be killed.
#ifndef ASSAY_HARNESS_JSON_LINES_H_
#define ASSAY_HARNESS_JSON_LINES_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/result.h"

namespace assay {

// One record and its line, counted from 1; the first is the file's header.
using TakeRecord =
    std::function<Status(const nlohmann::ordered_json&, std::size_t)>;

// Hands every record to `take`; the result is how many bytes they fill. What
// `take` refuses and what is no object is an error that names the line. Left
// out is what a killed process was writing: a line without an end, and a last
// one with a fault, unless it is the header.
Result<std::uint64_t> read_json_lines(const std::filesystem::path& file,
                                      const TakeRecord& take);

}  // namespace assay

#endif  // ASSAY_HARNESS_JSON_LINES_H_
