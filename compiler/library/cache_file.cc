#include "compiler/library/cache_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/program_text.h"

namespace assay::compiler {
namespace {

struct Trailer {
  char magic[8] = {'A', 'S', 'S', 'A', 'Y', 'K', 'O', '1'};
  std::uint64_t length = 0;
  std::uint64_t hash = 0;
  std::uint64_t key = 0;
};

Trailer trailer_of(const std::string& contents, std::uint64_t key) {
  Trailer t;
  t.length = contents.size();
  t.hash = fnv1a(contents);
  t.key = key;
  return t;
}

bool read_file(const std::string& path, std::string* out) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  out->assign(std::istreambuf_iterator<char>(in), {});
  return !in.bad();
}

}  // namespace

std::string cache_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* base = std::getenv("ASSAY_CACHE"); base && *base) {
    return std::string(base) + "/kernels";
  }
  const char* home = std::getenv("HOME");
  return std::string(home && *home ? home : "/tmp") + "/.cache/assay/kernels";
}

std::string unique_stem(const std::string& folder) {
  static std::atomic<int> counter{0};
  return fmt::format("{}/tmp-{}-{}", folder, getpid(), counter++);
}

CacheKey cache_key(const std::string& source) {
  return {fnv1a(source), fnv1a("key\n" + source + "\nkey")};
}

Error cannot_write_cache(const std::string& folder) {
  return Error{
      fmt::format("cannot write to the kernel cache {}: set "
                  "ASSAY_CACHE to a folder that is writable",
                  folder)};
}

Status seal(const std::string& path, std::uint64_t key) {
  std::string contents;
  if (!read_file(path, &contents)) return Error{"cannot read " + path};
  const Trailer t = trailer_of(contents, key);
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out.write(reinterpret_cast<const char*>(&t), sizeof t);
  out.close();
  if (!out) return Error{"cannot write " + path};
  return success();
}

bool is_sealed(const std::string& path, std::uint64_t key) {
  return read_sealed(path, key).has_value();
}

std::optional<std::string> read_sealed(const std::string& path,
                                       std::uint64_t key) {
  std::string contents;
  if (!read_file(path, &contents) || contents.size() < sizeof(Trailer)) {
    return std::nullopt;
  }
  const std::size_t length = contents.size() - sizeof(Trailer);
  const std::string tail = contents.substr(length);
  contents.resize(length);
  const Trailer expected = trailer_of(contents, key);
  if (std::memcmp(tail.data(), &expected, sizeof expected) != 0) {
    return std::nullopt;
  }
  return contents;
}

Status write_sealed(const std::string& folder, const std::string& path,
                    std::uint64_t key, const std::string& contents) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string file = unique_stem(folder);
  std::ofstream out(file, std::ios::binary);
  out << contents;
  out.close();
  Status sealed = out ? seal(file, key) : Status(cannot_write_cache(folder));
  if (sealed.ok()) {
    fs::rename(file, path, error);
    if (error) sealed = cannot_write_cache(folder);
  }
  if (!sealed.ok()) fs::remove(file, error);
  return sealed;
}

}  // namespace assay::compiler
