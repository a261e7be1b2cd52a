#include "harness/certify/digest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nettle/sha2.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "harness/records/files.h"

namespace assay::harness {

namespace fs = std::filesystem;

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  ::sha256_init(&state_->context);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;

void Sha256::add(std::string_view part) {
  ::sha256_update(&state_->context, part.size(),
                  reinterpret_cast<const std::uint8_t*>(part.data()));
}

std::array<std::uint8_t, 32> Sha256::finish() {
  std::array<std::uint8_t, 32> out;
  ::sha256_digest(&state_->context, out.size(), out.data());
  return out;
}

std::string to_hex(const std::array<std::uint8_t, 32>& bytes) {
  std::string out;
  for (const std::uint8_t b : bytes) out += fmt::format("{:02x}", b);
  return out;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return to_hex(hash.finish());
}

Result<std::string> sha256_of_file(const fs::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return Error{fmt::format("{}: {}", file.string(), errno_text())};
  }
  Sha256 hash;
  std::vector<char> buffer(1 << 16);
  while (true) {
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return Error{fmt::format("{}: {}", file.string(), errno_text())};
    }
    if (n == 0) return to_hex(hash.finish());
    hash.add({buffer.data(), static_cast<std::size_t>(n)});
  }
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<std::string> sha256_of_specs(const fs::path& dir) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator it(dir, error);
  for (; !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool left_out =
        name.starts_with(".") || (it.depth() == 0 && it->is_directory() &&
                                  (name == "faults" || name == "schemas"));
    if (left_out) {
      it.disable_recursion_pending();
    } else if (it->path().extension() == ".yaml" && it->is_regular_file()) {
      files.push_back(it->path().lexically_relative(dir));
    }
  }
  if (error) {
    return Error{fmt::format("{}: {}", dir.string(), error.message())};
  }
  std::sort(files.begin(), files.end());
  Sha256 hash;
  for (const fs::path& file : files) {
    const Result<std::string> text = read_file(dir / file);
    if (!text) return text.error();
    hash.add(fmt::format("{} {}\n", file.generic_string(), text->size()));
    hash.add(*text);
  }
  return to_hex(hash.finish());
}

}  // namespace assay::harness
