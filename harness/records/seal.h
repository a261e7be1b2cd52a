// Seals of the records of a file: each is a hash of its record and of all
// before it, so that a record that was changed, left out or put in is noticed.
// They tell accidents and idle hands, not a forger, who may hash as well.
#ifndef ASSAY_HARNESS_RECORDS_SEAL_H_
#define ASSAY_HARNESS_RECORDS_SEAL_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/result.h"

namespace assay::harness {

// The record as a line with its seal at the end. `seal` is that of the record
// before, 0 for the first one, and moves on.
std::string sealed_line(nlohmann::ordered_json record, std::uint64_t* seal);

// Does the record that was read bear the seal that is due? Moves `seal` on.
Status check_seal(nlohmann::ordered_json record, std::uint64_t* seal);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_SEAL_H_
