#include "harness/records/seal.h"

#include <fmt/format.h>

#include "core/program_text.h"
#include "harness/records/result_json.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSeal = "seal";

std::uint64_t next_seal(std::uint64_t before, const ordered_json& record) {
  return fnv1a(fmt::format("{:016x}{}", before, json_line(record)));
}

}  // namespace

std::string sealed_line(ordered_json record, std::uint64_t* seal) {
  *seal = next_seal(*seal, record);
  record[kSeal] = fmt::format("{:016x}", *seal);
  return json_line(record) + "\n";
}

Status check_seal(ordered_json record, std::uint64_t* seal) {
  const auto at = record.find(kSeal);
  const std::string there =
      at != record.end() && at->is_string() ? at->get<std::string>() : "";
  if (at != record.end()) record.erase(at);
  *seal = next_seal(*seal, record);
  if (there == fmt::format("{:016x}", *seal)) return success();
  return Error{
      "this record, or one before it, was changed after it was written"};
}

}  // namespace assay::harness
