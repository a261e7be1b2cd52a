#include "harness/records/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace assay::harness {
namespace {

bool read_count(std::string_view text, int* out) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size() && *out >= 0;
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  Shard s;
  if (slash == std::string::npos ||
      !read_count(std::string_view(text).substr(0, slash), &s.index) ||
      !read_count(std::string_view(text).substr(slash + 1), &s.of)) {
    return Error{
        fmt::format("'{}' is no shard: expected I/N, 2/8 for the second of "
                    "eight",
                    text)};
  }
  if (s.of < 1 || s.of > kMostShards) {
    return Error{
        fmt::format("'{}': there can be 1 to {} shards", text, kMostShards)};
  }
  if (s.index < 1 || s.index > s.of) {
    return Error{fmt::format("'{}': shards count from 1 to {}", text, s.of)};
  }
  return s;
}

std::string to_string(const Shard& shard) {
  return fmt::format("{}/{}", shard.index, shard.of);
}

std::optional<Shard> shard_of(const nlohmann::ordered_json& header) {
  const auto at = header.find(kShardField);
  if (at == header.end() || !at->is_object()) return std::nullopt;
  const auto number = [&](const char* name) {
    const auto field = at->find(name);
    return field != at->end() && field->is_number_integer() ? field->get<int>()
                                                            : 0;
  };
  const Shard s{number("index"), number("of")};
  const bool sound = s.index >= 1 && s.index <= s.of && s.of <= kMostShards;
  return sound ? std::optional(s) : std::nullopt;
}

}  // namespace assay::harness
