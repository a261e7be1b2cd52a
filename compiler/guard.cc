#include "compiler/guard.h"

#include <algorithm>

namespace assay::compiler {

Refusal Guards::refuse(const char* clause, const char* exception,
                       std::string message) const {
  return {exception, spec_ + "/" + clause, std::move(message)};
}

bool Guards::shape(const char* clause, bool holds, std::string message,
                   const char* exception) {
  if (!holds) refusal_ = refuse(clause, exception, std::move(message));
  return holds;
}

bool Guards::types(const char* clause, bool holds, std::string message,
                   const char* exception) {
  return ignore_types_ || shape(clause, holds, std::move(message), exception);
}

bool Guards::range(const char* clause, NodeId index, std::int64_t limit,
                   std::string message) {
  if (!ignore_types_) {
    range_guards_.push_back(
        {index, limit, refuse(clause, "IndexError", std::move(message))});
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

bool dim_in_range(std::int64_t d, std::int64_t rank) {
  const std::int64_t span = std::max<std::int64_t>(rank, 1);
  return -span <= d && d < span;
}

std::int64_t wrap_dim(std::int64_t d, std::int64_t rank) {
  return d < 0 ? d + std::max<std::int64_t>(rank, 1) : d;
}

}  // namespace assay::compiler
