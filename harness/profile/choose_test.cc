#include "harness/profile/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Choose : public ::testing::Test {
 protected:
  Worth worth(const std::string& name, std::set<std::string> shows,
              double cost) {
    cases_.push_back(std::make_unique<cases::Case>(fakes::negation_case(1)));
    cases_.back()->path = name;
    return {cases_.back().get(), std::move(shows), cost};
  }
  static std::vector<std::string> names(const std::vector<Worth>& all) {
    std::vector<std::string> out;
    for (const cases::Case* c : cover(all)) out.push_back(c->path);
    return out;
  }
  std::vector<std::unique_ptr<cases::Case>> cases_;
};

TEST_F(Choose, TakesWhatShowsMostForItsCost) {
  EXPECT_THAT(names({worth("a", {"1"}, 1), worth("b", {"1", "2", "3"}, 2),
                     worth("c", {"1", "4"}, 9)}),
              ElementsAre("b", "c"));
}

TEST_F(Choose, DropsWhatLaterOnesMakeNeedless) {
  EXPECT_THAT(names({worth("a", {"1"}, 1), worth("b", {"1", "2", "3"}, 2),
                     worth("c", {"1", "2", "3", "4"}, 9)}),
              ElementsAre("c"));
}

TEST_F(Choose, EverythingIsShownOnce) {
  EXPECT_THAT(names({worth("a", {"1"}, 1), worth("b", {"1"}, 1),
                     worth("c", {"2"}, 5), worth("d", {}, 1)}),
              ElementsAre("a", "c"));
  EXPECT_THAT(names({}), IsEmpty());
}

TEST_F(Choose, ARowWithoutFaultsIsSeenInAllDtypes) {
  std::vector<const cases::Case*> row;
  for (const DType dtype : {DType::f32, DType::f16, DType::f32}) {
    row.push_back(worth("neg/C1", {}, 1).source);
    cases_.back()->program.inputs[0].dtype = dtype;
  }
  EXPECT_THAT(cover(worth_of(row, {}, {})), ElementsAre(row[0], row[1]));
  const language::FaultSpec fault = {};
  faults::RowKills kills;
  kills.kills.resize(1);
  kills.kills[0].fault = &fault;
  kills.kills[0].killers = {row[2]};
  EXPECT_THAT(cover(worth_of(row, kills, {})), ElementsAre(row[2]));
}

TEST_F(Choose, ARecordedFailureIsMetAgain) {
  const Worth refused = worth("neg/E1/f32", {}, 1);
  cases_.back()->must_raise = "neg/E1";
  CaseResult failure;
  failure.status = CellStatus::fail;
  const std::vector<Worth> all =
      worth_of({refused.source, worth("neg/C1/f32", {}, 1).source}, {},
               {{"neg/C1/f32", {&failure}}});
  ASSERT_EQ(all.size(), 2u);
  for (const Worth& w : all) {
    const bool returns = w.source->path == "neg/C1/f32";
    EXPECT_EQ(w.shows.size(), returns ? 3u : 1u) << w.source->path;
  }
}

}  // namespace
}  // namespace assay::harness
