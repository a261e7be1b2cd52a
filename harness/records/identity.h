// The identities that a run names: program, specs, machine, columns.
#ifndef ASSAY_HARNESS_RECORDS_IDENTITY_H_
#define ASSAY_HARNESS_RECORDS_IDENTITY_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/subject/executor.h"

namespace assay::harness {

// "0.1.0"
std::string program_version();

// The build's own hash as the linker stamped it, or "unknown".
std::string build_id();

struct CpuIdentity {
  std::string model;
  std::string flags;  // those of the vector and float extensions
};
CpuIdentity cpu_identity();

// "2026-10-01T12:00:00Z"
std::string now_utc();

struct HeaderColumn {
  std::string spelling;
  Identity identity;
};

struct HeaderFacts {
  std::uint64_t spec_hash = 0;
  std::string profile;   // "quick"
  std::string numerics;  // "fused"
  std::vector<std::string> filters;
  std::size_t cases = 0;
  std::vector<HeaderColumn> columns;
  int jobs = 0;
};

// The header of results.jsonl and of recordings.
nlohmann::ordered_json make_header(const HeaderFacts& facts);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_IDENTITY_H_
