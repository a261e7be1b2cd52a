// FILE.table: the results of one approximate instruction for a range of
// inputs, exactly. A line of JSON, blocks of 65,536 results as Zstandard
// frames with checksums, and where they begin.
//
// A block holds what is left of each result after the line through the two
// before it, which is small wherever the function is smooth, a plane for each
// byte. That rests on no other function, so that a table is the same anywhere.
#ifndef ASSAY_HARNESS_WORKERS_APPROXIMATE_TABLE_H_
#define ASSAY_HARNESS_WORKERS_APPROXIMATE_TABLE_H_

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "harness/wire/descriptor.h"
#include "harness/workers/approximate/instructions.h"

namespace assay::harness::worker {

inline constexpr std::uint64_t kTableBlock = 65536;

// Results as bit patterns; those of 16 bits in the lower half.
using TableBlock = std::vector<std::uint32_t>;

std::string pack_block(std::span<const std::uint32_t> results, unsigned bits);
Result<TableBlock> unpack_block(std::string_view packed, unsigned bits,
                                std::size_t results);

struct TableHead {
  std::string instruction;
  std::uint64_t first = 0;  // a multiple of kTableBlock
  std::uint64_t count = 0;
  nlohmann::json device;  // "gpu", "sm", "driver"
};

// Writes a neighbour of the file, which takes its place when it is whole.
class TableWriter {
 public:
  static Result<TableWriter> begin(const std::filesystem::path& file,
                                   const TableHead& head);
  TableWriter(TableWriter&&) = default;
  TableWriter& operator=(TableWriter&&) = default;
  ~TableWriter();  // removes what is not whole

  Status append(std::string_view packed);
  Status finish();
  std::uint64_t bytes() const { return end_; }

 private:
  TableWriter() = default;
  Status write(std::string_view text);

  std::filesystem::path file_, draft_;
  Descriptor out_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t end_ = 0;
};

// For several threads at once.
class Table {
 public:
  static Result<std::unique_ptr<Table>> open(const std::filesystem::path& file);

  const TableHead& head() const { return head_; }
  const ApproximateInstruction& instruction() const { return *instruction_; }
  // Nothing where the input is not among those recorded, or its block is
  // damaged.
  std::optional<std::uint64_t> find(std::uint64_t input);

 private:
  Table() = default;
  Result<std::shared_ptr<const TableBlock>> block(std::uint64_t number);

  TableHead head_;
  const ApproximateInstruction* instruction_ = nullptr;
  Descriptor in_;
  std::vector<std::uint64_t> begins_;  // and the end of the last
  // The blocks last used, the last in front.
  std::mutex mutex_;
  using Kept =
      std::list<std::pair<std::uint64_t, std::shared_ptr<const TableBlock>>>;
  Kept kept_;
  std::unordered_map<std::uint64_t, Kept::iterator> places_;
};

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_APPROXIMATE_TABLE_H_
