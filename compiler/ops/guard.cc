#include "compiler/ops/guard.h"

#include <fmt/format.h>

namespace assay::compiler {

std::string Guards::clause_id(const char* clause) {
  if (spec_.empty()) return "";
  asked_.push_back(fmt::format("{}/{}", spec_, clause));
  return asked_.back();
}

bool Guards::shape(const char* clause, bool holds, std::string message,
                   const char* exception) {
  const std::string id = clause_id(clause);
  if (!holds) refusal_ = {exception, id, std::move(message)};
  return holds;
}

bool Guards::types(const char* clause, bool holds, std::string message,
                   const char* exception) {
  return shape(clause, holds || ignore_types_, std::move(message), exception);
}

bool Guards::range(const char* clause, NodeId index, std::int64_t limit,
                   std::string message) {
  const std::string id = clause_id(clause);
  if (!ignore_types_) {
    range_guards_.push_back(
        {index, limit, {"IndexError", id, std::move(message)}});
  }
  return true;
}

std::int64_t first_out_of_range(const Tensor& index, std::int64_t limit) {
  const std::int64_t n = index.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t v = index.integer(i);
    if (v < 0 || v >= limit) return i;
  }
  return -1;
}

}  // namespace assay::compiler
