#include "harness/certify/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/process.h"
#include "harness/judge/show.h"
#include "harness/records/files.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

// A signature of a commit, or of a mail, is none of a submission.
constexpr const char* kNamespace = "assay-submission";

Error failed(const Finished& f) {
  if (!f.started()) {
    return Error{
        "ssh-keygen does not start: install the Debian package "
        "openssh-client"};
  }
  return Error{one_line(f.output)};
}

// ssh-keygen reads what was signed from standard input alone.
Finished keygen(const fs::path& input, std::vector<std::string> words) {
  std::vector<std::string> all = {
      "sh", "-c", "in=$1; shift; exec ssh-keygen \"$@\" <\"$in\"", "sh",
      input.string()};
  all.insert(all.end(), words.begin(), words.end());
  return run_process(all);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "assay-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return Error{fmt::format("{}: {}", name, errno_text())};
  }
  TemporaryFolder out;
  out.path_ = name;
  return out;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

Result<std::string> sign(const std::string& text, const fs::path& key) {
  std::error_code error;
  if (!fs::is_regular_file(key, error)) {
    return Error{fmt::format("--key: there is no file {}", key.string())};
  }
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const fs::path file = folder->path() / "manifest";
  const Status written = replace_file(file, text);
  if (!written) return written.error();
  const Finished f =
      run_process({"ssh-keygen", "-Y", "sign", "-q", "-n", kNamespace, "-f",
                   fs::absolute(key).string(), file.string()});
  if (!f.started() || f.exit_code != 0) {
    return Error{fmt::format("--key {}: {}", key.string(), failed(f).message)};
  }
  return read_file(file.string() + ".sig");
}

Result<std::string> signer_of(const std::string& text,
                              const std::string& signature,
                              const fs::path& allowed_signers) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const fs::path file = folder->path() / "manifest";
  const fs::path sig = folder->path() / "signature";
  for (const auto& [path, content] :
       {std::pair(file, &text), std::pair(sig, &signature)}) {
    const Status written = replace_file(path, *content);
    if (!written) return written.error();
  }
  const Finished valid = keygen(
      file, {"-Y", "check-novalidate", "-n", kNamespace, "-s", sig.string()});
  if (!valid.started() || valid.exit_code != 0) {
    return Error{"it is not of this manifest: " + failed(valid).message};
  }
  // "Good "x" signature with ED25519 key SHA256:..."
  const std::string said = first_line(valid.output);
  const std::size_t with = said.find(" with ");
  const std::string key =
      with == std::string::npos ? said : said.substr(with + 6);
  if (allowed_signers.empty()) return key;
  const std::string allowed = fs::absolute(allowed_signers).string();
  const Finished found = run_process({"ssh-keygen", "-Y", "find-principals",
                                      "-f", allowed, "-s", sig.string()});
  if (!found.started() || found.exit_code != 0) {
    return Error{
        fmt::format("{} is no key of {}", key, allowed_signers.string())};
  }
  const std::string principal = first_line(found.output);
  const Finished verified =
      keygen(file, {"-Y", "verify", "-n", kNamespace, "-f", allowed, "-I",
                    principal, "-s", sig.string()});
  if (verified.exit_code != 0) return failed(verified);
  return fmt::format("{} ({})", principal, key);
}

}  // namespace assay::harness
