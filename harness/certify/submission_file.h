// A submission as it is read: members on our disk, and the manifest that says
// what they should be.
#ifndef ASSAY_HARNESS_CERTIFY_SUBMISSION_FILE_H_
#define ASSAY_HARNESS_CERTIFY_SUBMISSION_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/certify/archive.h"
#include "harness/certify/manifest.h"
#include "harness/certify/objections.h"
#include "harness/certify/records_check.h"

namespace assay::harness {

struct SubmissionFile {
  std::string sha256;  // of the whole file
  std::vector<Member> members;
  std::string manifest_text;
  Manifest manifest;

  const Member* find(const std::string& name) const;
  // Empty where it is not there.
  std::string text(const std::string& name) const;
  OpenFile open(const std::string& name) const;  // requires that it is there
};

// An error: the file is no submission, is damaged, or holds what no submission
// holds; nothing else can be said of it. Memory does not grow with the file.
Result<SubmissionFile> open_submission(const std::filesystem::path& file,
                                       std::uint64_t most_bytes);

// What the members are, against what the manifest says that they are.
void check_members(const SubmissionFile& file, Objections* out);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_SUBMISSION_FILE_H_
