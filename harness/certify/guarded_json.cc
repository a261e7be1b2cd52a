#include "harness/certify/guarded_json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <vector>

#include "harness/records/files.h"
#include "harness/records/seal.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kBlock = 1 << 18;

// Brackets and commas outside of strings, which is all that a parser would
// build anything for.
Status check_extent(std::string_view text) {
  int depth = 0;
  std::size_t values = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ',' || c == '{' || c == '[') ++values;
    if (depth > kMostDepth) return Error{"it nests too deeply"};
    if (values > kMostValues) return Error{"it has too many values"};
  }
  return success();
}

}  // namespace

Result<ordered_json> parse_guarded(std::string_view text) {
  const Status extent = check_extent(text);
  if (!extent) return extent.error();
  std::vector<std::set<std::string>> keys;
  bool repeated = false;
  const auto watch = [&](int, ordered_json::parse_event_t event,
                         ordered_json& parsed) {
    if (event == ordered_json::parse_event_t::object_start) keys.emplace_back();
    if (event == ordered_json::parse_event_t::object_end) keys.pop_back();
    if (event == ordered_json::parse_event_t::key) {
      repeated |= !keys.back().insert(parsed.get<std::string>()).second;
    }
    return true;
  };
  ordered_json out = ordered_json::parse(text, watch, false);
  if (out.is_discarded()) return Error{"this is no JSON"};
  if (!out.is_object()) return Error{"this is no JSON object"};
  if (repeated) return Error{"a key stands twice in one object"};
  return out;
}

Result<std::optional<std::string>> LineReader::next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', used_);
    if (end != std::string::npos) {
      std::string out = buffer_.substr(used_, end - used_);
      used_ = end + 1;
      ++line_;
      return std::optional<std::string>(std::move(out));
    }
    buffer_.erase(0, used_);
    used_ = 0;
    if (buffer_.size() > kMostLine) {
      return Error{fmt::format("line {} is longer than {} MiB", line_ + 1,
                               kMostLine >> 20)};
    }
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kBlock);
    const ssize_t n =
        ::pread(fd_, buffer_.data() + before, kBlock, static_cast<off_t>(at_));
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{errno_text()};
    if (n == 0 && buffer_.empty()) return std::optional<std::string>();
    if (n == 0) return Error{fmt::format("line {} is cut off", line_ + 1)};
    at_ += static_cast<std::uint64_t>(n);
  }
}

Error SealedReader::fault(const std::string& what) const {
  return Error{fmt::format("{}:{}: {}", name_, lines_.line(), what)};
}

Result<std::optional<ordered_json>> SealedReader::next() {
  Result<std::optional<std::string>> line = lines_.next();
  if (!line) return Error{fmt::format("{}: {}", name_, line.error().message)};
  if (!line->has_value()) return std::optional<ordered_json>();
  Result<ordered_json> record = parse_guarded(**line);
  if (!record) return fault(record.error().message);
  if (lines_.line() > 1 || header_is_sealed_) {
    const Status sealed = check_seal(*record, &seal_);
    if (!sealed) return fault(sealed.error().message);
  }
  return std::optional<ordered_json>(std::move(record.value()));
}

}  // namespace assay::harness
