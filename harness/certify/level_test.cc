#include "harness/certify/level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/certify/statement.h"
#include "harness/records/files.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

const fs::path kSpecs = ASSAY_SOURCE_DIR "/harness/certify/testing/specs";

std::string tiny() { return read_file(level_file(kSpecs, "tiny")).value(); }

std::string replaced(std::string text, const std::string& what,
                     const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

// A folder of specs whose level is `text`.
class Levels : public ::testing::Test {
 protected:
  Levels()
      : dir_(fs::path(::testing::TempDir()) /
             ("levels-" + std::to_string(::getpid()))) {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    fs::copy(kSpecs, dir_, fs::copy_options::recursive);
    session_ = std::move(open_session(dir_).value());
  }
  ~Levels() override { fs::remove_all(dir_); }

  // Everything that is wrong with the level.
  std::string faults(const std::string& text) {
    EXPECT_TRUE(replace_file(level_file(dir_, "tiny"), text).ok());
    std::string out;
    for (const std::string& f : check_levels(dir_, *session_)) out += f + "\n";
    return out;
  }

  fs::path dir_;
  std::unique_ptr<Session> session_;
};

TEST_F(Levels, OfTheTestsAreSound) { EXPECT_EQ(faults(tiny()), ""); }

struct Bad {
  const char* what;
  const char* by;
  const char* told;
};

const Bad kBad[] = {
    {"level: tiny", "level: other", "tiny.yaml:1:8: the file is called"},
    {"evidence: ran", "evidence: seen", "tiny.yaml:6:11: "},
    {"devices: [cpu]\n", "", "a level needs the field 'devices'"},
    {"challenge: 6", "challenge: 0", "1 to 10000, found 0"},
    {"challenge: 6", "challange: 6", "unknown field 'challange'"},
    {"flush_subnormals: never", "flush_subnormals: true", "tiny.yaml:7:19: "},
    {"profile: standard", "profile: most", "tiny.yaml:3:10: "},
    {"{pointwise: [neg]}", "{pointwize: [neg]}",
     "tiny.yaml:9:14: 'pointwize' is no family of operations (did you mean "
     "'pointwise'?)"},
    {"{pointwise: [neg]}", "{pointwise: [nog]}",
     "tiny.yaml:9:26: 'nog' fits no row of the family pointwise (did you mean "
     "'neg'?)"},
    {"{pointwise: [neg]}", "{pointwise: some}", "tiny.yaml:9:25: "},
    {"{pointwise: [neg]}", "{}", "expected rows by family"},
    {"'E*'", "'Q*'", "'Q*' fits no clause of its cases"},
    {"dtypes: [f32, f64, bool]", "dtypes: [f31]", "tiny.yaml:10:10: "},
    {"dtypes: [f32, f64, bool]", "dtypes: [i8]", "the level asks for no case"},
    {"profile: standard", "includes: tiny\nprofile: standard",
     "a level cannot include itself"},
    {"profile: standard", "includes: huge\nprofile: standard",
     "there is no level 'huge'"},
    {"profile: standard", "profile: full\nprofile: full", "tiny.yaml:4:1: "},
};

TEST_F(Levels, FaultsHaveTheirPlace) {
  for (const Bad& b : kBad) {
    SCOPED_TRACE(b.by);
    EXPECT_THAT(faults(replaced(tiny(), b.what, b.by)), HasSubstr(b.told));
  }
}

TEST_F(Levels, IncludeThoseBelow) {
  const Level tiny = load_level(dir_, "tiny").value();
  const Level wide = load_level(dir_, "wide").value();
  const auto few = duties_of(tiny, *session_);
  const auto many = duties_of(wide, *session_);
  ASSERT_GE(few.size(), 10u);
  EXPECT_GT(many.size(), few.size());
  for (const Duty& d : few) {
    EXPECT_TRUE(std::any_of(many.begin(), many.end(), [&](const Duty& m) {
      return m.source == d.source && m.parts.size() == 2;
    })) << d.source->path;
  }
}

// Of two parts that ask for a case, the stricter one counts.
TEST_F(Levels, AllowWhatEachPartAllows) {
  const Level lenient = load_level(dir_, "lenient").value();
  const Level tiny = load_level(dir_, "tiny").value();
  for (const Duty& d : duties_of(lenient, *session_)) {
    const bool f64 = d.source->path.starts_with("neg/C1/f64/");
    EXPECT_EQ(may_be_unsupported(d), f64) << d.source->path;
    EXPECT_TRUE(may_be_waived(d, "neg/A1"));
    EXPECT_FALSE(may_be_waived(d, "neg/E1"));
    Duty both = d;
    both.parts.push_back(&tiny.parts.front());
    EXPECT_FALSE(may_be_unsupported(both));
    EXPECT_FALSE(may_be_waived(both, "neg/A1"));
  }
}

TEST(LevelFiles, OfTheSuiteAreSound) {
  const fs::path specs = ASSAY_SOURCE_DIR "/specs";
  const auto session = std::move(open_session(specs).value());
  EXPECT_THAT(check_levels(specs, *session), IsEmpty());
  std::size_t before = 0;
  for (const char* name : {"elementwise", "core", "extended", "full"}) {
    const Level level = load_level(specs, name).value();
    const std::size_t now = duties_of(level, *session).size();
    EXPECT_GT(now, before) << name;
    before = now;
  }
}

TEST(Statements, AreReadStrictly) {
  const std::string good =
      "vendor: V\nproduct: P\nversion: '1'\ndevice: cpu\nlevel: core\n"
      "date: 2026-11-23\n";
  EXPECT_TRUE(parse_statement("s", good).ok());
  const auto told = [&](const std::string& what, const std::string& by) {
    const auto s = parse_statement("s.yaml", replaced(good, what, by));
    return s.ok() ? "" : s.error().message;
  };
  EXPECT_THAT(told("P", "FILL-IN"),
              HasSubstr("s.yaml:2:10: 'product' is still to be filled in"));
  EXPECT_THAT(told("2026-11-23", "2026-02-30"), HasSubstr("must be a day"));
  EXPECT_THAT(told("vendor: V\n", ""), HasSubstr("needs the field 'vendor'"));
  EXPECT_THAT(told("V", std::string(300, 'x')), HasSubstr("at most 200"));
  EXPECT_THAT(told("V", "\"a\\nb\""), HasSubstr("must be one line"));
  EXPECT_THAT(told("V", "[V]"), HasSubstr("s.yaml:1:9: "));
  EXPECT_THAT(told("vendor: V", "vendor: V\nvendor: W"), HasSubstr(":2:1: "));
  EXPECT_THAT(told("date", "declarations: {flush_subnormals: yes}\ndate"),
              HasSubstr("write true"));
  EXPECT_FALSE(parse_statement("s", std::string(60'000, '[')).ok());
  EXPECT_FALSE(parse_statement("s", "").ok());
  EXPECT_FALSE(
      parse_statement("s", statement_template("cpu", "core", "2026-11-23"))
          .ok());
}

}  // namespace
}  // namespace assay::harness
