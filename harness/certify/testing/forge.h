// Submissions taken apart, changed, and put together again so that all seals
// and hashes fit: what a forger would hand in.
#ifndef ASSAY_HARNESS_CERTIFY_TESTING_FORGE_H_
#define ASSAY_HARNESS_CERTIFY_TESTING_FORGE_H_

#include <archive.h>
#include <archive_entry.h>
#include <zstd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/certify/archive.h"
#include "harness/certify/digest.h"
#include "harness/certify/manifest.h"
#include "harness/certify/submission_file.h"
#include "harness/records/seal.h"

namespace assay::harness::forge {

using nlohmann::ordered_json;

inline constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

// Members by name, in their order; the manifest apart.
struct Submission {
  std::vector<std::pair<std::string, std::string>> members;
  ordered_json manifest;
  bool rehash = true;     // the manifest is made to fit its members
  std::string signature;  // empty: unsigned

  std::string& at(const std::string& name) {
    for (auto& [n, text] : members) {
      if (n == name) return text;
    }
    members.emplace_back(name, "");
    return members.back().second;
  }
  void drop(const std::string& name) {
    std::erase_if(members, [&](const auto& m) { return m.first == name; });
  }
};

inline Submission read(const std::filesystem::path& file) {
  const Result<SubmissionFile> opened = open_submission(file, kPlenty);
  Submission out;
  out.manifest = ordered_json::parse(opened->manifest_text);
  for (const Member& m : opened->members) {
    if (m.name == kSignature) out.signature = *text_of(m);
    if (m.name == kManifest || m.name == kSignature) continue;
    out.members.emplace_back(m.name, *text_of(m));
  }
  return out;
}

inline std::string manifest_text(Submission* s) {
  if (s->rehash) {
    ordered_json members = ordered_json::object();
    for (const auto& [name, text] : s->members) {
      members[name] = {{"size", text.size()}, {"sha256", sha256(text)}};
    }
    s->manifest["members"] = members;
  }
  return s->manifest.dump(1) + "\n";
}

inline std::vector<MemberSource> sources(Submission s) {
  std::vector<MemberSource> out = {{kManifest, manifest_text(&s), {}}};
  if (!s.signature.empty()) out.push_back({kSignature, s.signature, {}});
  for (const auto& [name, text] : s.members) out.push_back({name, text, {}});
  return out;
}

inline Status write(const Submission& s, const std::filesystem::path& file) {
  return write_archive(file, sources(s));
}

// A file of records, the header first, without their seals; and sealed again.
using Records = std::vector<ordered_json>;
inline Records records(const std::string& text) {
  std::istringstream lines(text);
  Records out;
  for (std::string line; std::getline(lines, line);) {
    out.push_back(ordered_json::parse(line));
    out.back().erase("seal");
  }
  return out;
}
inline std::string sealed(const Records& records) {
  std::string out;
  std::uint64_t seal = 0;
  for (const ordered_json& r : records) {
    out +=
        r.contains("assay_results") ? r.dump() + "\n" : sealed_line(r, &seal);
  }
  return out;
}

// Changes a member of records and seals it again.
inline void edit(Submission* s, const std::string& member,
                 const std::function<void(Records&)>& change) {
  Records all = records(s->at(member));
  change(all);
  s->at(member) = sealed(all);
}

// The first record of a case.
inline ordered_json& of_case(Records& records, const std::string& path) {
  for (ordered_json& r : records) {
    if (r.value("case", "") == path) return r;
  }
  return records.front();
}
inline void drop_case(Records& records, const std::string& path) {
  std::erase_if(records, [&](const ordered_json& r) {
    return r.value("case", "") == path;
  });
}

// An entry that write_archive would never write.
struct RawEntry {
  std::string name;
  unsigned kind = AE_IFREG;
  std::string link = {};  // where a symbolic or hard link leads
  std::string text = "x";
  std::int64_t size = -1;  // as declared; -1: that of the text
};

// The size of the last header of a tar, and the sum that protects it.
inline void declare_size(std::string* tar, const std::string& name,
                         std::int64_t size) {
  char* header = tar->data() + tar->rfind(name + std::string(1, '\0'));
  for (int i = 0; i < 12; ++i) header[124 + i] = 0;  // a number of 95 bits
  header[124] = static_cast<char>(0x80);
  for (int i = 0; i < 8; ++i) {
    header[135 - i] = static_cast<char>(size >> (8 * i));
  }
  std::memset(header + 148, ' ', 8);
  unsigned sum = 0;
  for (int i = 0; i < 512; ++i) sum += static_cast<unsigned char>(header[i]);
  std::snprintf(header + 148, 8, "%06o", sum);
}

inline std::string tar_of(const std::vector<RawEntry>& entries) {
  std::size_t room = 1 << 16;
  for (const RawEntry& e : entries) room += e.text.size() + 4096;
  std::string out(room, '\0');
  std::size_t used = 0;
  struct archive* a = ::archive_write_new();
  ::archive_write_set_format_pax_restricted(a);
  ::archive_write_open_memory(a, out.data(), out.size(), &used);
  for (const RawEntry& e : entries) {
    struct archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, e.name.c_str());
    ::archive_entry_set_filetype(entry, e.kind);
    ::archive_entry_set_perm(entry, 0644);
    if (e.kind == AE_IFLNK) ::archive_entry_set_symlink(entry, e.link.c_str());
    if (e.kind == AE_IFREG && !e.link.empty()) {
      ::archive_entry_set_hardlink(entry, e.link.c_str());
    }
    const bool data = e.kind == AE_IFREG && e.link.empty();
    ::archive_entry_set_size(
        entry, data ? static_cast<std::int64_t>(e.text.size()) : 0);
    ::archive_write_header(a, entry);
    if (data) ::archive_write_data(a, e.text.data(), e.text.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_close(a);
  ::archive_write_free(a);
  out.resize(used);
  for (const RawEntry& e : entries) {
    if (e.size >= 0) declare_size(&out, e.name, e.size);
  }
  return out;
}

inline void write_raw(const std::vector<RawEntry>& entries,
                      const std::filesystem::path& file) {
  const std::string tar = tar_of(entries);
  std::string out(::ZSTD_compressBound(tar.size()), '\0');
  out.resize(
      ::ZSTD_compress(out.data(), out.size(), tar.data(), tar.size(), 3));
  std::ofstream(file, std::ios::binary) << out;
}

// The members of a submission as such entries, to put others among them.
inline std::vector<RawEntry> raw(const Submission& s) {
  std::vector<RawEntry> out;
  for (const MemberSource& m : sources(s)) {
    out.push_back({m.name, AE_IFREG, "", m.text, -1});
  }
  return out;
}

}  // namespace assay::harness::forge

#endif  // ASSAY_HARNESS_CERTIFY_TESTING_FORGE_H_
