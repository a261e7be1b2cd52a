// Every file of testdata/bad is refused with exactly the messages that its
// first lines expect, at exactly these places:
//   # expect: 12:9: unknown field 'raise' (did you mean 'raises'?)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "suite/language/load.h"
#include "suite/language/testing/test_specs.h"

namespace assay::language {
namespace {

std::vector<std::string> expected(const SourceFile& f) {
  static const std::string kMark = "# expect: ";
  std::vector<std::string> lines;
  std::istringstream in(f.text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kMark)) {
      lines.push_back(f.name + ":" + line.substr(kMark.size()));
    }
  }
  return lines;
}

// The file among the well-formed ones, in place of the one of that name.
LoadResult load_among_good(const SourceFile& bad) {
  std::vector<SourceFile> files = read_testdata("good");
  std::erase_if(files,
                [&bad](const SourceFile& f) { return f.name == bad.name; });
  files.push_back(bad);
  return load_sources(std::move(files));
}

class BadSpec : public testing::TestWithParam<SourceFile> {};

TEST_P(BadSpec, IsRefusedAsExpected) {
  const SourceFile& bad = GetParam();
  std::vector<std::string> found;
  for (const Diagnostic& d : load_among_good(bad).errors) {
    // What other specs say of a broken context or sweep is no news.
    if (d.file == bad.name) found.push_back(to_string(d));
  }
  const std::vector<std::string> wanted = expected(bad);
  EXPECT_FALSE(wanted.empty()) << bad.name << " expects nothing";
  EXPECT_THAT(found, testing::ElementsAreArray(wanted));
}

INSTANTIATE_TEST_SUITE_P(
    Testdata, BadSpec, testing::ValuesIn(read_testdata("bad")),
    [](const testing::TestParamInfo<SourceFile>& p) {
      return std::filesystem::path(p.param.name).stem().string();
    });

TEST(BadSpecs, AreManyAndDifferent) {
  std::set<std::string> messages;
  const std::vector<SourceFile> all = read_testdata("bad");
  for (const SourceFile& f : all) {
    for (const std::string& line : expected(f)) {
      messages.insert(line.substr(line.find(": ") + 2));
    }
  }
  EXPECT_GE(all.size(), 30u);
  EXPECT_GE(messages.size(), all.size());
}

}  // namespace

void PrintTo(const SourceFile& f, std::ostream* out) { *out << f.name; }

}  // namespace assay::language
