// SHA-256 of texts and files, as lower-case hexadecimal.
#ifndef ASSAY_HARNESS_CERTIFY_DIGEST_H_
#define ASSAY_HARNESS_CERTIFY_DIGEST_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace assay::harness {

// Of a text that comes in parts.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  void add(std::string_view part);
  std::array<std::uint8_t, 32> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view text);
Result<std::string> sha256_of_file(const std::filesystem::path& file);
std::string to_hex(const std::array<std::uint8_t, 32>& bytes);

// 64 digits, 0-9 and a-f.
bool is_sha256(std::string_view text);

// Of all that decides about cases, answers and levels: names and texts of the
// folder's YAML files, but for `faults` and `schemas`. The same in any folder.
Result<std::string> sha256_of_specs(const std::filesystem::path& specs_dir);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_DIGEST_H_
