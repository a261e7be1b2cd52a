#include "harness/workers/approximate/table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/program_text.h"

namespace assay::harness::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kMark = "assay-table 1";
constexpr int kFormat = 1;
constexpr std::size_t kLongestHead = 4096;
// Of those a program's operands lie in, all but few: 64 MiB.
constexpr std::size_t kKeptBlocks = 256;

// What the file ends with.
struct Trailer {
  std::uint64_t index = 0;  // where the blocks' places begin
  std::uint64_t hash = 0;   // of those
  char mark[16] = {};
};

Error about(const fs::path& file, const std::string& what) {
  return Error{fmt::format("{}: {}", file.string(), what)};
}

std::string_view bytes_of(const std::vector<std::uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()),
          words.size() * sizeof(std::uint64_t)};
}

bool read_at(int fd, void* to, std::size_t bytes, std::uint64_t at) {
  auto* out = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = pread(fd, out, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out += n;
    at += static_cast<std::uint64_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

std::uint64_t blocks_of(std::uint64_t count) {
  return (count + kTableBlock - 1) / kTableBlock;
}

// Drafts of processes that were killed.
void remove_left(const fs::path& file) {
  std::error_code failed;
  const std::string stem = file.filename().string() + ".";
  for (const auto& e : fs::directory_iterator(file.parent_path(), failed)) {
    const std::string name = e.path().filename().string();
    if (!name.starts_with(stem)) continue;
    const int pid = std::atoi(name.c_str() + stem.size());
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) {
      fs::remove(e.path(), failed);
    }
  }
}

std::uint32_t mask_of(unsigned bits) { return bits == 16 ? 0xffffU : ~0U; }

// Small numbers of either sign to small ones.
std::uint32_t folded(std::uint32_t x, unsigned bits) {
  const std::uint32_t sign = 0U - (x >> (bits - 1) & 1U);
  return ((x << 1) ^ sign) & mask_of(bits);
}

std::uint32_t unfolded(std::uint32_t x, unsigned bits) {
  return ((x >> 1) ^ (0U - (x & 1U))) & mask_of(bits);
}

// What the last two results let expect.
std::uint32_t expected(std::span<const std::uint32_t> results, std::size_t i) {
  if (i == 0) return 0;
  return i == 1 ? results[0] : 2 * results[i - 1] - results[i - 2];
}

}  // namespace

std::string pack_block(std::span<const std::uint32_t> results, unsigned bits) {
  const std::size_t n = results.size();
  const unsigned planes = bits / 8;
  std::string plain(n * planes, '\0');
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t left =
        folded((results[i] - expected(results, i)) & mask_of(bits), bits);
    for (unsigned p = 0; p < planes; ++p) {
      plain[p * n + i] = static_cast<char>(left >> (8 * p) & 0xffU);
    }
  }
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
      ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  out.resize(ZSTD_compress2(context.get(), out.data(), out.size(), plain.data(),
                            plain.size()));
  return out;
}

Result<TableBlock> unpack_block(std::string_view packed, unsigned bits,
                                std::size_t results) {
  const unsigned planes = bits / 8;
  std::string plain(results * planes, '\0');
  const std::size_t got =
      ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0) return Error{ZSTD_getErrorName(got)};
  if (got != plain.size()) return Error{"a block of another length"};
  TableBlock out(results);
  for (std::size_t i = 0; i < results; ++i) {
    std::uint32_t left = 0;
    for (unsigned p = 0; p < planes; ++p) {
      left |= std::uint32_t{static_cast<unsigned char>(plain[p * results + i])}
              << (8 * p);
    }
    out[i] = (expected(out, i) + unfolded(left, bits)) & mask_of(bits);
  }
  return out;
}

Result<TableWriter> TableWriter::begin(const fs::path& file,
                                       const TableHead& head) {
  TableWriter w;
  w.file_ = file;
  w.draft_ = file;
  w.draft_ += fmt::format(".{}", getpid());
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  remove_left(file);
  w.out_ = Descriptor(
      open(w.draft_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!w.out_.valid()) return about(w.draft_, std::strerror(errno));
  const json line = {{"table", kFormat},
                     {"instruction", head.instruction},
                     {"first", head.first},
                     {"count", head.count},
                     {"device", head.device}};
  const Status written = w.write(fmt::format("{}\n{}\n", kMark, line.dump()));
  if (!written) return written.error();
  return w;
}

TableWriter::~TableWriter() {
  if (out_.valid()) unlink(draft_.c_str());
}

Status TableWriter::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(out_.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return about(draft_, std::strerror(errno));
    end_ += static_cast<std::uint64_t>(n);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return success();
}

Status TableWriter::append(std::string_view packed) {
  begins_.push_back(end_);
  return write(packed);
}

Status TableWriter::finish() {
  begins_.push_back(end_);
  Trailer t;
  t.index = end_;
  t.hash = fnv1a(bytes_of(begins_));
  std::strncpy(t.mark, kMark, sizeof t.mark - 1);
  Status written = write(bytes_of(begins_));
  if (written) {
    written = write({reinterpret_cast<const char*>(&t), sizeof t});
  }
  if (!written) return written;
  if (rename(draft_.c_str(), file_.c_str()) != 0) {
    return about(file_, std::strerror(errno));
  }
  out_ = Descriptor();
  return success();
}

Result<std::unique_ptr<Table>> Table::open(const fs::path& file) {
  std::unique_ptr<Table> t(new Table);
  t->in_ = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!t->in_.valid()) return about(file, std::strerror(errno));
  const int fd = t->in_.get();
  struct stat about_file = {};
  Trailer end;
  const std::string damaged = "this is no whole table: record it again";
  if (fstat(fd, &about_file) != 0 ||
      about_file.st_size < static_cast<off_t>(sizeof end)) {
    return about(file, damaged);
  }
  const auto size = static_cast<std::uint64_t>(about_file.st_size);
  std::string text(std::min<std::uint64_t>(size, kLongestHead), '\0');
  if (!read_at(fd, &end, sizeof end, size - sizeof end) ||
      !read_at(fd, text.data(), text.size(), 0) ||
      std::strncmp(end.mark, kMark, sizeof end.mark) != 0 ||
      !text.starts_with(fmt::format("{}\n", kMark)) ||
      end.index > size - sizeof end) {
    return about(file, damaged);
  }
  const std::size_t begin = text.find('\n') + 1;
  const json head = json::parse(
      text.substr(begin, text.find('\n', begin) - begin), nullptr, false);
  if (!head.is_object()) return about(file, damaged);
  t->head_ = {head.value("instruction", ""), head.value("first", 0ULL),
              head.value("count", 0ULL), head.value("device", json::object())};
  t->instruction_ = find_approximate(t->head_.instruction);
  const std::uint64_t places = (size - sizeof end - end.index) / 8;
  if (t->instruction_ == nullptr || t->head_.first % kTableBlock != 0 ||
      t->head_.count > t->instruction_->inputs() ||
      places != blocks_of(t->head_.count) + 1) {
    return about(file, damaged);
  }
  t->begins_.resize(places);
  if (!read_at(fd, t->begins_.data(), 8 * places, end.index) ||
      fnv1a(bytes_of(t->begins_)) != end.hash) {
    return about(file, damaged);
  }
  return t;
}

Result<std::shared_ptr<const TableBlock>> Table::block(std::uint64_t number) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = places_.find(number);
    if (found != places_.end()) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return found->second->second;
    }
  }
  std::string packed(begins_[number + 1] - begins_[number], '\0');
  if (!read_at(in_.get(), packed.data(), packed.size(), begins_[number])) {
    return Error{"it cannot be read"};
  }
  const std::uint64_t rest = head_.count - number * kTableBlock;
  Result<TableBlock> results = unpack_block(
      packed, instruction_->bits, std::min<std::uint64_t>(rest, kTableBlock));
  if (!results) return results.error();
  auto shared = std::make_shared<const TableBlock>(std::move(*results));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!places_.contains(number)) {
    kept_.emplace_front(number, shared);
    places_[number] = kept_.begin();
    if (kept_.size() > kKeptBlocks) {
      places_.erase(kept_.back().first);
      kept_.pop_back();
    }
  }
  return shared;
}

std::optional<std::uint64_t> Table::find(std::uint64_t input) {
  if (input < head_.first || input - head_.first >= head_.count) {
    return std::nullopt;
  }
  const std::uint64_t at = input - head_.first;
  const auto found = block(at / kTableBlock);
  if (!found) return std::nullopt;
  return (**found)[at % kTableBlock];
}

}  // namespace assay::harness::worker
