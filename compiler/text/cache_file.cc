#include "compiler/text/cache_file.h"

#include <cstring>
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
  std::string contents;
  if (!read_file(path, &contents) || contents.size() < sizeof(Trailer)) {
    return false;
  }
  const std::size_t length = contents.size() - sizeof(Trailer);
  const std::string tail = contents.substr(length);
  contents.resize(length);
  const Trailer expected = trailer_of(contents, key);
  return std::memcmp(tail.data(), &expected, sizeof expected) == 0;
}

}  // namespace assay::compiler
