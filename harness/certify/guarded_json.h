// JSON that anybody wrote: nothing of it is built before its depth and its
// number of values are known.
#ifndef ASSAY_HARNESS_CERTIFY_GUARDED_JSON_H_
#define ASSAY_HARNESS_CERTIFY_GUARDED_JSON_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace assay::harness {

inline constexpr int kMostDepth = 16;
inline constexpr std::size_t kMostValues = 200'000;
// Of one line. The largest record of our own is the bits of 65536 complex
// results in hexadecimal, several times over.
inline constexpr std::size_t kMostLine = std::size_t{32} << 20;

// An object without repeated keys.
Result<nlohmann::ordered_json> parse_guarded(std::string_view text);

// The lines of an open file, from its start, one at a time in memory.
class LineReader {
 public:
  // `fd` must outlive it.
  explicit LineReader(int fd) : fd_(fd) {}
  // Nothing at the end. An error: a line that is too long or has no end.
  Result<std::optional<std::string>> next();
  std::size_t line() const { return line_; }  // of the last one, from 1

 private:
  int fd_;
  std::uint64_t at_ = 0;
  std::size_t line_ = 0;
  std::string buffer_;
  std::size_t used_ = 0;  // of the buffer
};

// The records of such a file whose lines are sealed (records/seal.h), in files
// of results all but the first.
class SealedReader {
 public:
  SealedReader(int fd, std::string name, bool header_is_sealed)
      : lines_(fd),
        name_(std::move(name)),
        header_is_sealed_(header_is_sealed) {}
  // Nothing at the end. An error names the file and the line.
  Result<std::optional<nlohmann::ordered_json>> next();
  Error fault(const std::string& what) const;

 private:
  LineReader lines_;
  std::string name_;
  bool header_is_sealed_;
  std::uint64_t seal_ = 0;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_GUARDED_JSON_H_
