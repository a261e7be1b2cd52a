// Submission files: tar, compressed by zstd. What we write is a function of
// its members; what we read was made by anybody.
#ifndef ASSAY_HARNESS_CERTIFY_ARCHIVE_H_
#define ASSAY_HARNESS_CERTIFY_ARCHIVE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/wire/descriptor.h"

namespace assay::harness {

// A member to write: the text, or the file's where one is named.
struct MemberSource {
  std::string name;
  std::string text;
  std::filesystem::path file;
};

// Writes `file` whole or not at all: members in the order given, without
// times and owners.
Status write_archive(const std::filesystem::path& file,
                     const std::vector<MemberSource>& members);

// A member that was read: an unnamed file on this machine's disk.
struct Member {
  std::string name;
  std::uint64_t size = 0;
  std::string sha256;
  Descriptor file;
};

struct ArchiveLimits {
  std::size_t members = 64;
  std::uint64_t total = std::uint64_t{8} << 30;  // bytes, unpacked
  // The most bytes that a member of that name may have; nothing: there is no
  // such member.
  std::function<std::optional<std::uint64_t>(const std::string&)> member;
};

// Unpacks regular files alone, each named once, to unnamed files of the folder
// for temporary ones. Memory does not grow with the archive. The error says
// what is wrong with the archive, and why nothing of it was used.
Result<std::vector<Member>> read_archive(const std::filesystem::path& file,
                                         const ArchiveLimits& limits);

// The whole text of a member, which the caller knows to be small.
Result<std::string> text_of(const Member& member);

// An unnamed file, gone with its descriptor.
Result<Descriptor> temporary_file();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_ARCHIVE_H_
