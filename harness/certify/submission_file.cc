#include "harness/certify/submission_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/certify/digest.h"

namespace assay::harness {

const Member* SubmissionFile::find(const std::string& name) const {
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const Member& m) { return m.name == name; });
  return at == members.end() ? nullptr : &*at;
}

std::string SubmissionFile::text(const std::string& name) const {
  const Member* m = find(name);
  if (m == nullptr) return {};
  const Result<std::string> text = text_of(*m);
  return text ? *text : std::string();
}

OpenFile SubmissionFile::open(const std::string& name) const {
  return {find(name)->file.get(), name};
}

Result<SubmissionFile> open_submission(const std::filesystem::path& file,
                                       std::uint64_t most_bytes) {
  ArchiveLimits limits;
  limits.total = most_bytes;
  limits.member = member_limit;
  Result<std::vector<Member>> members = read_archive(file, limits);
  if (!members) return members.error();
  SubmissionFile out;
  out.members = std::move(members.value());
  if (out.members.front().name != kManifest) {
    return Error{
        fmt::format("{}: this is no submission: its first member is "
                    "not {}",
                    file.string(), kManifest)};
  }
  Result<std::string> text = text_of(out.members.front());
  if (!text) return text.error();
  out.manifest_text = std::move(text.value());
  Result<Manifest> manifest = parse_manifest(out.manifest_text);
  if (!manifest) {
    return Error{
        fmt::format("{}: {}", file.string(), manifest.error().message)};
  }
  out.manifest = std::move(manifest.value());
  const Result<std::string> hash = sha256_of_file(file);
  if (!hash) return hash.error();
  out.sha256 = *hash;
  return out;
}

void check_members(const SubmissionFile& file, Objections* out) {
  const Manifest& m = file.manifest;
  for (const Member& member : file.members) {
    if (member.name == kManifest || member.name == kSignature) continue;
    const auto want = m.members.find(member.name);
    if (want == m.members.end()) {
      out->add(Objection::content,
               fmt::format("{} is not in the manifest", member.name));
    } else if (want->second.size != member.size ||
               want->second.sha256 != member.sha256) {
      out->add(Objection::content,
               fmt::format("{} is not what the manifest says: {} bytes, "
                           "SHA-256 {}",
                           member.name, member.size, member.sha256));
    }
  }
  for (const auto& [name, facts] : m.members) {
    if (file.find(name) == nullptr) {
      out->add(Objection::content,
               fmt::format("{} is in the manifest, and not there", name));
    }
  }
  for (const char* name : {kStatement, kResults, kRecording, kMatrix}) {
    if (file.find(name) == nullptr && !m.members.contains(name)) {
      out->add(Objection::content, fmt::format("there is no {}", name));
    }
  }
}

}  // namespace assay::harness
