#include "harness/records/json_lines.h"

#include <fmt/format.h>

#include <string_view>

#include "harness/records/files.h"

namespace assay::harness {

using nlohmann::ordered_json;

Result<std::uint64_t> read_json_lines(const std::filesystem::path& file,
                                      const TakeRecord& take) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  std::size_t line = 0;
  std::size_t begin = 0;
  while (begin < text->size()) {
    ++line;
    const std::size_t end = text->find('\n', begin);
    if (end == std::string::npos) break;
    const auto record = ordered_json::parse(
        std::string_view(*text).substr(begin, end - begin), nullptr, false);
    const Status taken = record.is_object()
                             ? take(record, line)
                             : Status(Error{"this is no JSON record"});
    const bool last = end + 1 == text->size();
    if (!taken && last && line > 1) break;
    if (!taken) {
      return Error{
          fmt::format("{}:{}: {}", file.string(), line, taken.error().message)};
    }
    begin = end + 1;
  }
  return begin;
}

}  // namespace assay::harness
