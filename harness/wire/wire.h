// What travels on the socket: length-prefixed JSON records, and how a tensor
// in shared memory is described (docs/subject-protocol.md).
#ifndef ASSAY_HARNESS_WIRE_WIRE_H_
#define ASSAY_HARNESS_WIRE_WIRE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/tensor.h"

namespace assay::harness {

using Json = nlohmann::json;

inline constexpr int kProtocolVersion = 1;
// In bytes. A longer record is taken for a wrong length, not for a long text.
inline constexpr std::uint32_t kLargestRecord = 256u << 20;
inline constexpr std::int64_t kTensorAlignment = 64;  // bytes

std::int64_t align_up(std::int64_t value, std::int64_t alignment);

// The four bytes and the text. Text that is not UTF-8 (an exception's message
// may hold anything) is repaired, never a failure.
std::string encode_record(const Json& body);

// Collects bytes until a record is whole.
class RecordReader {
 public:
  void append(const char* data, std::size_t size) {
    buffer_.append(data, size);
  }
  // A whole record's text, nothing yet, or an impossible length.
  Result<std::optional<std::string>> next();
  // For reports: bytes that wait, and how many the record should have.
  std::size_t pending() const { return buffer_.size(); }
  std::optional<std::uint32_t> announced() const;

 private:
  std::string buffer_;
};

// A tensor's place in shared memory.
struct Placed {
  TensorType type;
  std::int64_t byte_offset = 0;     // of the first element
  std::int64_t storage_offset = 0;  // elements of its storage before that
};

Json to_json(const Placed& tensor);

// Checks everything that a reader would stumble over: known dtype, as many
// strides as sizes, none negative, no overflow, every element inside
// [lowest, file_size).
Result<Placed> placed_from_json(const Json& json, std::int64_t lowest,
                                std::int64_t file_size);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_WIRE_WIRE_H_
