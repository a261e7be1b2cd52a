// Signatures of manifests, made and checked by ssh-keygen -Y.
#ifndef ASSAY_HARNESS_CERTIFY_SIGNATURE_H_
#define ASSAY_HARNESS_CERTIFY_SIGNATURE_H_

#include <filesystem>
#include <string>

#include "core/result.h"

namespace assay::harness {

// The signature of `text` by the private key in `key` (or the public one of a
// key that ssh-agent holds). ssh-keygen asks on the terminal for a passphrase.
Result<std::string> sign(const std::string& text,
                         const std::filesystem::path& key);

// Who signed `text`: "vendor@example.com (ED25519 SHA256:...)" by the file of
// allowed signers, or, where that is empty, the key alone. An error says what
// is wrong with the signature.
Result<std::string> signer_of(const std::string& text,
                              const std::string& signature,
                              const std::filesystem::path& allowed_signers);

// A folder of our own for files that other programs read, gone in the end.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder() = default;
  std::filesystem::path path_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_SIGNATURE_H_
