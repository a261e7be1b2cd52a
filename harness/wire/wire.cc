#include "harness/wire/wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstring>
#include <limits>

#include "core/text.h"

namespace assay::harness {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the length prefix is little-endian");

// A field that is a list of non-negative integers.
Result<Shape> extents(const Json& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end() || !found->is_array()) {
    return Error{fmt::format("tensor without a list '{}'", field)};
  }
  Shape out;
  for (const Json& item : *found) {
    if (!item.is_number_integer() || item.get<std::int64_t>() < 0) {
      return Error{
          fmt::format("tensor '{}' holds {}, not a size", field, item.dump())};
    }
    out.push_back(item.get<std::int64_t>());
  }
  return out;
}

// Elements from the first to the last, counting both; nothing on overflow.
std::optional<std::int64_t> checked_span(const TensorType& t) {
  std::int64_t last = 0;
  std::int64_t count = 1;
  for (const std::int64_t s : t.sizes) {
    if (s == 0) return 0;
  }
  for (std::size_t d = 0; d < t.sizes.size(); ++d) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(t.sizes[d] - 1, t.strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last) ||
        __builtin_mul_overflow(count, t.sizes[d], &count)) {
      return std::nullopt;
    }
  }
  if (last == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return last + 1;
}

}  // namespace

std::int64_t align_up(std::int64_t value, std::int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string encode_record(const Json& body) {
  const std::string text =
      body.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string record(sizeof size, '\0');
  std::memcpy(record.data(), &size, sizeof size);
  return record + text;
}

std::optional<std::uint32_t> RecordReader::announced() const {
  std::uint32_t size = 0;
  if (buffer_.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, buffer_.data(), sizeof size);
  return size;
}

Result<std::optional<std::string>> RecordReader::next() {
  const auto size = announced();
  if (!size) return std::optional<std::string>();
  if (*size > kLargestRecord) {
    return Error{fmt::format("a record announces {} bytes; the limit is {}",
                             *size, kLargestRecord)};
  }
  if (buffer_.size() < sizeof(*size) + *size) {
    return std::optional<std::string>();
  }
  std::string text = buffer_.substr(sizeof(*size), *size);
  buffer_.erase(0, sizeof(*size) + *size);
  return std::optional<std::string>(std::move(text));
}

Json to_json(const Placed& tensor) {
  Json json = {{"dtype", std::string(dtype_name(tensor.type.dtype))},
               {"sizes", tensor.type.sizes},
               {"strides", tensor.type.strides},
               {"byte_offset", tensor.byte_offset}};
  if (tensor.storage_offset != 0) {
    json["storage_offset"] = tensor.storage_offset;
  }
  return json;
}

Result<Placed> placed_from_json(const Json& json, std::int64_t lowest,
                                std::int64_t file_size) {
  if (!json.is_object()) return Error{"a tensor is not an object"};
  const std::string dtype = json.value("dtype", Json()).is_string()
                                ? json["dtype"].get<std::string>()
                                : "none";
  const auto known = parse_dtype(dtype);
  if (!known) return Error{fmt::format("tensor of unknown dtype '{}'", dtype)};
  Placed out;
  out.type.dtype = *known;
  Result<Shape> sizes = extents(json, "sizes");
  if (!sizes) return sizes.error();
  Result<Shape> strides = extents(json, "strides");
  if (!strides) return strides.error();
  if (strides->size() != sizes->size()) {
    return Error{fmt::format("tensor with {} sizes and {} strides",
                             sizes->size(), strides->size())};
  }
  out.type.sizes = std::move(*sizes);
  out.type.strides = std::move(*strides);
  const Json offset = json.value("byte_offset", Json());
  if (!offset.is_number_integer()) return Error{"tensor without byte_offset"};
  out.byte_offset = offset.get<std::int64_t>();
  const Json storage = json.value("storage_offset", Json(0));
  if (!storage.is_number_integer()) {
    return Error{"storage_offset is not an integer"};
  }
  out.storage_offset = storage.get<std::int64_t>();

  const std::int64_t width = size_bytes(*known);
  const auto span = checked_span(out.type);
  std::int64_t bytes = 0;
  std::int64_t end = 0;
  if (!span || __builtin_mul_overflow(*span, width, &bytes) ||
      __builtin_add_overflow(out.byte_offset, bytes, &end) ||
      out.byte_offset < lowest || end > file_size || out.storage_offset < 0 ||
      out.storage_offset > out.byte_offset / width) {
    return Error{fmt::format(
        "tensor {} at byte {} lies outside bytes {} to {} of the shared "
        "memory",
        type_text(*known, out.type.sizes), out.byte_offset, lowest, file_size)};
  }
  if (out.byte_offset % width != 0) {
    return Error{fmt::format("tensor of {} at byte {}, which is not aligned",
                             dtype, out.byte_offset)};
  }
  return out;
}

}  // namespace assay::harness
