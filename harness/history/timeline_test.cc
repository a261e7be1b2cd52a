#include "harness/history/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace assay::harness {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kReleases = {"2.10.0", "2.11.0", "2.12.0",
                                            "2.13.0", "2.14.0"};

// p: pass, f: fail, ?: not run.
std::string story(const std::string& letters) {
  std::vector<Standing> standings;
  for (const char c : letters) {
    standings.push_back(c == 'p'   ? Standing::conforms
                        : c == 'f' ? Standing::broken
                                   : Standing::unknown);
  }
  return story_of(kReleases, standings);
}

TEST(Story, NamesTheReleasesThatChangeSomething) {
  EXPECT_EQ(story("ppppp"), "conforms in all");
  EXPECT_EQ(story("fffff"), "broken in all");
  EXPECT_EQ(story("ppfpp"), "broken by 2.12.0, mended by 2.13.0");
  EXPECT_EQ(story("ppppf"), "broken by 2.14.0");
  EXPECT_EQ(story("ffppf"),
            "broken in 2.10.0, if not before, mended by 2.12.0, broken by "
            "2.14.0");
}

// What was not asked for did not run either.
TEST(Story, KnowsWhichReleasesAreLeftOut) {
  using enum Standing;
  EXPECT_EQ(story_of({"2.12.0", "2.15.0"}, {broken, conforms}),
            "broken in 2.12.0, if not before, mended after 2.12.0, by 2.15.0");
  EXPECT_EQ(story_of({"2.11.0", "2.12.1"}, {conforms, broken}),
            "broken after 2.11.0, by 2.12.1");
  EXPECT_EQ(
      story_of({"2.12.0", "2.12.1", "2.13.0"}, {conforms, broken, conforms}),
      "broken by 2.12.1, mended by 2.13.0");
}

TEST(Story, ClaimsNothingOfWhatDidNotRun) {
  EXPECT_EQ(story("?????"), "not judged in any release");
  EXPECT_EQ(story("pp?pp"), "conforms where it was judged");
  EXPECT_EQ(story("?ff?f"), "broken where it was judged");
  EXPECT_EQ(story("pp?fp"), "broken after 2.11.0, by 2.13.0, mended by 2.14.0");
  EXPECT_EQ(story("?f?p?"),
            "broken in 2.11.0, if not before, mended after 2.11.0, by 2.13.0");
}

TEST(Releases, AreInTheOrderOfTheirNumbers) {
  std::vector<std::string> releases = {"2.12.1", "2.9.1", "2.12.0", "2.10.0"};
  std::sort(releases.begin(), releases.end(), is_earlier);
  EXPECT_THAT(releases, ElementsAre("2.9.1", "2.10.0", "2.12.0", "2.12.1"));
  for (const char* good : {"2", "2.12", "2.12.0"}) {
    EXPECT_TRUE(is_release(good)) << good;
  }
  for (const char* bad : {"", ".", "2.", ".2", "2..1", "2.12a", "../x"}) {
    EXPECT_FALSE(is_release(bad)) << bad;
  }
}

TEST(History, HasARowForEachCase) {
  History h;
  h.subject = "torch:inductor";
  h.releases = {"2.11.0", "2.12.0"};
  h.absent = {"", "no environment"};
  CaseResult lost;
  lost.status = CellStatus::fail;
  lost.failure = FailureClass::lost_error;
  CaseResult gone;
  gone.status = CellStatus::not_run;
  h.cases = {{"bmm/E4/f16-f32/1x4x4", {lost, gone}}};
  EXPECT_EQ(history_text(h),
            "torch:inductor        2.11.0      2.12.0 \n"
            "bmm/E4/f16-f32/1x4x4  lost_error  not_run  broken where it was "
            "judged\n"
            "2.12.0 was not run: no environment\n");
  EXPECT_EQ(history_markdown(h),
            "| torch:inductor | 2.11.0 | 2.12.0 | |\n|---|---|---|---|\n"
            "| `bmm/E4/f16-f32/1x4x4` | lost_error | not_run | broken where "
            "it was judged |\n\n"
            "- 2.12.0 was not run: no environment\n");
}

TEST(Standing, CountsWarningsAsConforming) {
  CaseResult r;
  r.status = CellStatus::quality_warning;
  EXPECT_EQ(standing_of(r), Standing::conforms);
  for (const CellStatus s :
       {CellStatus::unsupported, CellStatus::flaky, CellStatus::mistrusted,
        CellStatus::not_run, CellStatus::internal_error}) {
    r.status = s;
    EXPECT_EQ(standing_of(r), Standing::unknown);
  }
  for (const CellStatus s :
       {CellStatus::fail, CellStatus::crash, CellStatus::timeout}) {
    r.status = s;
    EXPECT_EQ(standing_of(r), Standing::broken);
  }
}

}  // namespace
}  // namespace assay::harness
