#include "suite/cases/select.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace assay::cases {
namespace {

std::vector<Candidate> grid() {
  std::vector<Candidate> all;
  for (const char* dtype : {"f32", "f16", "i64"}) {
    for (const char* layout : {"contiguous", "strided", "offset", "expanded"}) {
      all.push_back(
          {std::string(dtype) + "/" + layout, {{dtype, 1}, {layout, 1}}});
    }
  }
  return all;
}

std::set<std::string> keys(const std::vector<Candidate>& all,
                           const std::vector<std::size_t>& chosen) {
  std::set<std::string> out;
  for (const std::size_t n : chosen) out.insert(all[n].key);
  return out;
}

TEST(SelectVaried, CoversEveryFeatureWithFew) {
  const auto all = grid();
  const auto chosen = select_varied(all, 100, false);
  EXPECT_EQ(chosen.size(), 4u) << "as many as the longest axis";
  std::set<std::string> seen;
  for (const std::size_t n : chosen) {
    for (const auto& f : all[n].features) seen.insert(f.first);
  }
  EXPECT_EQ(seen.size(), 7u);
}

TEST(SelectVaried, DoesNotDependOnTheOrder) {
  auto all = grid();
  const auto forward = keys(all, select_varied(all, 3, false));
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(keys(all, select_varied(all, 3, false)), forward);
}

TEST(SelectVaried, FillsUpToTheLimitOnlyIfAsked) {
  const auto all = grid();
  EXPECT_EQ(select_varied(all, 3, false).size(), 3u);
  EXPECT_EQ(select_varied(all, 9, true).size(), 9u);
  EXPECT_EQ(select_varied(all, 99, true).size(), all.size());
  EXPECT_TRUE(select_varied({}, 9, true).empty());
}

TEST(SelectVaried, BonusDecidesAmongThoseThatBringSomethingNew) {
  std::vector<Candidate> all = {{"a", {{"x", 1}}}, {"b", {{"x", 1}}}};
  for (const std::size_t telling : {std::size_t{0}, std::size_t{1}}) {
    all[telling].bonus = 5;
    all[1 - telling].bonus = 0;
    EXPECT_EQ(select_varied(all, 9, false), std::vector<std::size_t>{telling});
  }
}

}  // namespace
}  // namespace assay::cases
