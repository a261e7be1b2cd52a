#include "suite/cases/filter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::cases {
namespace {

TEST(Matches, Filters) {
  const std::string path = "bmm/E4/f16-f32/2x3x5_2x5x4/producer";
  const struct {
    std::vector<std::string> filters;
    bool expected;
  } kCases[] = {
      {{}, true},
      {{"bmm"}, true},
      {{"bmm/"}, true},
      {{"bmm/E4"}, true},
      {{path}, true},
      {{"bm"}, false},
      {{"mm"}, false},
      {{"bmm/E"}, false},
      {{"bmm/E?"}, true},
      {{"*"}, true},
      {{"*/producer"}, true},
      {{"bmm/*/producer"}, true},
      {{"*f16-f32*"}, true},
      {{"*f16-f32"}, false},
      {{"b*4/pro*r"}, true},
      {{"b?m"}, true},
      {{"addmm", "bmm/E1", "bmm/E4"}, true},
      {{"addmm", "softmax/*"}, false},
      {{"*/*/*/*/*/*"}, false},
      {{""}, false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(matches(path, c.filters), c.expected)
        << (c.filters.empty() ? "" : c.filters[0]);
    EXPECT_TRUE(!c.expected || may_match_row("bmm", c.filters));
  }
}

TEST(Filters, SayWhichOfThemMatch) {
  const Filters filters(
      {"addmm", "bmm/E4", "*/E4/*", "bmm/E4/f32", "bmm", "b"});
  std::vector<std::size_t> found = filters.matching("bmm/E4/f32/2x3");
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::size_t>{1, 2, 3, 4}));
  EXPECT_TRUE(Filters({}).matching("bmm/E4").empty());
}

TEST(MayMatchRow, LeavesOutWhatNoFilterCanName) {
  const struct {
    const char* filter;
    bool expected;
  } kCases[] = {{"exp/C1*", false}, {"bmm/E4/f32", true}, {"bmm/", true},
                {"bm?/E4", true},   {"*/E4", true},       {"b*", true},
                {"bmmx", false},    {"baddbmm", false},   {"bmm_out/*", false}};
  for (const auto& c : kCases) {
    EXPECT_EQ(may_match_row("bmm", {c.filter}), c.expected) << c.filter;
  }
  EXPECT_TRUE(may_match_row("bmm", {"exp", "bmm"}));
}

TEST(Matches, ManyStarsTakeNoExponentialTime) {
  const std::string path(2000, 'a');
  std::string filter;
  for (int n = 0; n < 200; ++n) filter += "*a";
  EXPECT_TRUE(matches(path, {filter}));
  EXPECT_FALSE(matches(path, {filter + "b"}));
}

}  // namespace
}  // namespace assay::cases
