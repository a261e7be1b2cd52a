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

namespace {

// So many elements are looked at together, without a branch.
constexpr std::int64_t kBlock = 256;

template <class T>
bool all_in_range(const T* from, std::int64_t limit) {
  // Neither v nor limit - 1 - v is negative.
  std::uint64_t signs = 0;
  const auto last = static_cast<std::uint64_t>(limit) - 1;
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const auto v = static_cast<std::uint64_t>(from[i]);
    signs |= v | (last - v);
  }
  return signs >> 63 == 0;
}

template <class T>
std::int64_t first_out(const TensorType& type, const void* data,
                       std::int64_t limit) {
  const auto* from = static_cast<const T*>(data);
  const std::int64_t n = element_count(type.sizes);
  const bool in_order = type.is_contiguous();
  std::int64_t first = 0;
  while (in_order && n - first >= kBlock && all_in_range(from + first, limit)) {
    first += kBlock;
  }
  for (std::int64_t i = first; i < n; ++i) {
    std::int64_t at = i;
    if (!in_order) {
      at = 0;
      std::int64_t left = i;
      for (std::size_t d = type.sizes.size(); d-- > 0;) {
        at += left % type.sizes[d] * type.strides[d];
        left /= type.sizes[d];
      }
    }
    const auto v = static_cast<std::int64_t>(from[at]);
    if (v < 0 || v >= limit) return i;
  }
  return -1;
}

}  // namespace

std::int64_t first_out_of_range(const TensorType& type, const void* data,
                                std::int64_t limit) {
  switch (type.dtype) {
    case DType::i8:
      return first_out<std::int8_t>(type, data, limit);
    case DType::i16:
      return first_out<std::int16_t>(type, data, limit);
    case DType::i32:
      return first_out<std::int32_t>(type, data, limit);
    case DType::i64:
      return first_out<std::int64_t>(type, data, limit);
    default:
      return first_out<std::uint8_t>(type, data, limit);
  }
}

}  // namespace assay::compiler
