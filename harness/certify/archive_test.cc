// Archives that no submission is: refused before anything of them is used.
#include "harness/certify/archive.h"

#include <gmock/gmock.h>

#include <map>

#include "harness/certify/testing/fixture.h"

namespace assay::harness {
namespace {

using forge::RawEntry;
using forge::Submission;
using testing::Asked;
using testing::Certification;
using ::testing::HasSubstr;
using testing::Told;
namespace fs = std::filesystem;

class Archives : public Certification {
 protected:
  static fs::path file() { return shop().dir / "archive.assay.tar.zst"; }
};

struct Oddity {
  const char* name;
  RawEntry entry;
  const char* told;
};

const Oddity kOddities[] = {
    {"AbsolutePath", {"/etc/passwd"}, "'/etc/passwd' is an absolute path"},
    {"PathOutside", {"../../results.jsonl"}, "leads out of the archive"},
    {"PathOutsideWithin", {"logs/../../x"}, "leads out of the archive"},
    {"DotName", {"./logs/x"}, "is no plain name"},
    {"SymbolicLink",
     {"logs/x.txt", AE_IFLNK, "/etc/passwd"},
     "is a symbolic link"},
    {"HardLink", {"logs/x.txt", AE_IFREG, "statement.yaml"}, "is a hard link"},
    {"Device", {"logs/x.txt", AE_IFCHR}, "is a device"},
    {"BlockDevice", {"logs/x.txt", AE_IFBLK}, "is a device"},
    {"Pipe", {"logs/x.txt", AE_IFIFO}, "is a pipe"},
    {"Folder", {"logs/x.txt", AE_IFDIR}, "is a folder"},
    {"SecondMember", {kStatement}, "'statement.yaml' is there twice"},
    {"SecondManifest", {kManifest}, "'manifest.json' is there twice"},
    {"UnknownMember", {"payload.so"}, "is no part of a submission"},
    {"HiddenLog", {"logs/.x"}, "is no part of a submission"},
    {"LogBelow", {"logs/a/b"}, "is no part of a submission"},
    {"EscapesInAName", {"logs/\x1b[2J"}, "'logs/?[2J' is no part"},
    {"GiantSize",
     {"logs/x.txt", AE_IFREG, "", "x", std::int64_t{1} << 50},
     "says that it has 1125899906842624 bytes"},
    {"LargeStatement",
     {kWaivers, AE_IFREG, "", std::string(300 << 10, 'x')},
     "at most 262144 are read"},
};

TEST_F(Archives, WithOddMembersAreRefused) {
  for (const Oddity& o : kOddities) {
    SCOPED_TRACE(o.name);
    auto entries = forge::raw(forge::read(shop().good));
    entries.push_back(o.entry);
    fs::remove(file());
    forge::write_raw(entries, file());
    const Told told = shop().verify_file(file());
    EXPECT_EQ(told.code, 2);
    EXPECT_THAT(told.text, HasSubstr(o.told));
  }
}

// 64 MiB that compress to a few kilobytes, of which 16 MiB may be unpacked.
TEST_F(Archives, BombsAreNotUnpacked) {
  auto entries = forge::raw(forge::read(shop().good));
  entries.push_back({"logs/bomb", AE_IFREG, "", std::string(64 << 20, '\0')});
  forge::write_raw(entries, file());
  ASSERT_LT(fs::file_size(file()), 1u << 20);
  Asked asked;
  asked.most_bytes = 16 << 20;
  const Told told = shop().verify_file(file(), asked);
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.text, HasSubstr("more than 16777216 bytes unpacked"));
}

TEST_F(Archives, OfManyMembersAreRefused) {
  auto entries = forge::raw(forge::read(shop().good));
  for (int i = 0; i < 100; ++i) {
    entries.push_back({"logs/" + std::to_string(i)});
  }
  forge::write_raw(entries, file());
  EXPECT_THAT(shop().verify_file(file()).text,
              HasSubstr("more than 64 members"));
}

// At every length that a broken connection may leave.
TEST_F(Archives, CutOffAreRefused) {
  const std::string whole = *read_file(shop().good);
  for (std::size_t n = 0; n < whole.size(); n += whole.size() / 16 + 1) {
    ASSERT_TRUE(replace_file(file(), whole.substr(0, n)).ok());
    const Told told = shop().verify_file(file());
    EXPECT_EQ(told.code, 2) << n;
  }
}

// Members by name and digest.
std::map<std::string, std::string> members_of(const fs::path& file) {
  ArchiveLimits limits;
  limits.member = [](const std::string&) { return std::uint64_t{1} << 30; };
  const auto members = read_archive(file, limits);
  std::map<std::string, std::string> out;
  if (!members) ADD_FAILURE() << members.error().message;
  for (const Member& m : *members) out[m.name] = m.sha256;
  return out;
}

// The few bytes of which nothing follows, fillings and times of tar headers,
// may change: what is read may not.
TEST_F(Archives, WithAByteOfAMemberChangedAreRefused) {
  const std::string whole = *read_file(shop().is_signed);
  const auto members = members_of(shop().is_signed);
  Asked asked;
  asked.allowed_signers = shop().allowed;
  int refused = 0;
  constexpr int kBytes = 64;
  for (int i = 0; i < kBytes; ++i) {
    const std::size_t n = whole.size() * static_cast<std::size_t>(i) / kBytes;
    std::string text = whole;
    text[n] = static_cast<char>(text[n] ^ 0x20);
    ASSERT_TRUE(replace_file(file(), text).ok());
    if (shop().verify_file(file(), asked).code != 0) {
      ++refused;
    } else {
      EXPECT_EQ(members_of(file()), members) << "byte " << n << " unseen";
    }
  }
  EXPECT_GT(refused, kBytes * 3 / 4);
}

TEST_F(Archives, GarbageIsNoSubmission) {
  for (const std::string& text :
       {std::string(), std::string("certified"), std::string(4096, '\0'),
        std::string("\x28\xb5\x2f\xfd\x00\x00", 6)}) {
    ASSERT_TRUE(replace_file(file(), text).ok());
    const Told told = shop().verify_file(file());
    EXPECT_EQ(told.code, 2);
    EXPECT_THAT(told.text, HasSubstr("archive.assay.tar.zst: "));
  }
  EXPECT_THAT(shop().verify_file("/nonexistent").text,
              HasSubstr("there is no such file"));
  EXPECT_THAT(shop().verify_file(shop().dir).text,
              HasSubstr("there is no such file"));
}

struct BadManifest {
  const char* name;
  const char* text;
  const char* told;
};

const BadManifest kBadManifests[] = {
    {"None", "", "this is no JSON"},
    {"List", "[]", "this is no JSON object"},
    {"Torn", "{\"assay_submission\":", "this is no JSON"},
    {"Lacking", "{\"assay_submission\":1}", "the manifest lacks"},
    {"Unknown", "{\"run\":\"rm -rf\"}", "unknown field 'run'"},
    {"Repeated", "{\"level\":\"a\",\"level\":\"b\"}", "a key stands twice"},
};

TEST_F(Archives, NeedAManifest) {
  for (const BadManifest& b : kBadManifests) {
    SCOPED_TRACE(b.name);
    auto entries = forge::raw(forge::read(shop().good));
    entries.front().text = b.text;
    forge::write_raw(entries, file());
    const Told told = shop().verify_file(file());
    EXPECT_EQ(told.code, 2);
    EXPECT_THAT(told.text, HasSubstr(b.told));
  }
  auto entries = forge::raw(forge::read(shop().good));
  std::swap(entries[0], entries[1]);
  forge::write_raw(entries, file());
  EXPECT_THAT(shop().verify_file(file()).text,
              HasSubstr("its first member is not manifest.json"));
}

}  // namespace
}  // namespace assay::harness
