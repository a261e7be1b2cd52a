// Releases of PyTorch, whose documented behaviour changed here and there.
#ifndef ASSAY_CORE_TORCH_VERSION_H_
#define ASSAY_CORE_TORCH_VERSION_H_

#include <optional>
#include <string>
#include <string_view>

namespace assay {

struct TorchVersion {
  int major = 0;
  int minor = 0;
  bool operator==(const TorchVersion&) const = default;
  bool operator<(const TorchVersion& o) const {
    return major < o.major || (major == o.major && minor < o.minor);
  }
};

// The release that a subject follows if it does not name one: the pinned one.
inline constexpr TorchVersion kDefaultTorch{2, 11};

// "2.12", "2.12.0+cu130"; nothing if `text` begins otherwise.
std::optional<TorchVersion> parse_torch_version(std::string_view text);
std::string to_string(TorchVersion v);

// "< 2.12" or ">= 2.12".
struct TorchRange {
  TorchVersion version;
  bool before = false;  // < version, else >= version
  bool contains(TorchVersion v) const { return (v < version) == before; }
};
std::optional<TorchRange> parse_torch_range(std::string_view text);

}  // namespace assay

#endif  // ASSAY_CORE_TORCH_VERSION_H_
