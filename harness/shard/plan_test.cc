// Plans: every case in exactly one shard, the same wherever it is worked out.
#include "harness/shard/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "harness/run/pack.h"
#include "harness/shard/costs.h"
#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(ShardText, IsAnIndexAndACount) {
  const auto two = parse_shard("2/8");
  ASSERT_TRUE(two);
  EXPECT_EQ(*two, (Shard{2, 8}));
  EXPECT_EQ(to_string(*two), "2/8");
  EXPECT_TRUE(parse_shard("1/1"));
  EXPECT_TRUE(parse_shard("10000/10000"));
  for (const char* wrong :
       {"", "/", "2", "2/", "/8", "x/y", "2/8/9", "-1/8", "+1/8", " 1/8",
        "1/8 ", "1.0/8", "99999999999/8", "1/99999999999"}) {
    const auto s = parse_shard(wrong);
    ASSERT_FALSE(s) << wrong;
    EXPECT_THAT(s.error().message, HasSubstr("is no shard: expected I/N"));
  }
  for (const char* outside : {"0/8", "9/8"}) {
    const auto s = parse_shard(outside);
    ASSERT_FALSE(s) << outside;
    EXPECT_THAT(s.error().message, HasSubstr("shards count from 1 to 8"));
  }
  for (const char* many : {"0/0", "1/0", "1/10001"}) {
    const auto s = parse_shard(many);
    ASSERT_FALSE(s) << many;
    EXPECT_THAT(s.error().message, HasSubstr("1 to 10000 shards"));
  }
}

TEST(ShardText, HeadersSayItOrDoNot) {
  using Json = nlohmann::ordered_json;
  EXPECT_EQ(shard_of({{"shard", {{"index", 2}, {"of", 8}}}}), (Shard{2, 8}));
  for (const char* none :
       {"null", "{}", "[]", R"({"shard":1})", R"({"shard":{"index":0,"of":3}})",
        R"({"shard":{"index":4,"of":3}})", R"({"shard":{"index":"1","of":3}})",
        R"({"shard":{"index":1}})"}) {
    EXPECT_FALSE(shard_of(Json::parse(none))) << none;
  }
}

class Plans : public ::testing::Test {
 protected:
  // Rows of so many cases, each of the same cost.
  void add(const std::string& row, int count, std::int64_t cost) {
    for (int i = 0; i < count; ++i) {
      cases_.push_back(fakes::negation_case(i, row));
      costs_.push_back(cost);
    }
  }
  ShardPlan plan(int shards) const {
    return plan_shards(fakes::pointers(cases_), costs_, shards);
  }
  std::vector<cases::Case> cases_;
  std::vector<std::int64_t> costs_;
};

TEST_F(Plans, PutEveryCaseInOneShardAndNoPackInTwo) {
  for (int row = 0; row < 40; ++row) {
    add("row" + std::to_string(row), 1 + row * 7 % 50, 1 + row * row);
  }
  const auto all = fakes::pointers(cases_);
  const auto whole = make_packs(all, true);
  for (const int shards : {1, 2, 3, 8, 41, 1000}) {
    const ShardPlan p = plan(shards);
    std::vector<std::vector<std::size_t>> packs;
    std::multiset<std::size_t> seen;
    for (int i = 1; i <= shards; ++i) {
      const auto mine = p.cases_of({i, shards});
      seen.insert(mine.begin(), mine.end());
      std::size_t in_packs = 0;
      for (auto pack : packs_of(p, {i, shards})) {
        in_packs += pack.size();
        for (std::size_t& at : pack) at = mine.at(at);
        packs.push_back(pack);
      }
      EXPECT_EQ(in_packs, mine.size());
    }
    std::vector<std::size_t> each(cases_.size());
    std::iota(each.begin(), each.end(), std::size_t{0});
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), each.begin(), each.end()))
        << shards;
    EXPECT_THAT(packs, ::testing::UnorderedElementsAreArray(whole));
  }
}

TEST_F(Plans, BalanceByCostAndKeepRowsTogether) {
  for (int row = 0; row < 60; ++row) {
    add("row" + std::to_string(row), 20, 10 + row);
  }
  // A program of its own each, as cases that must be refused have.
  for (int i = 0; i < 300; ++i) {
    cases_.push_back(fakes::negation_case(i, "zheavy"));
    cases_.back().packable = false;
    costs_.push_back(100);
  }
  const ShardPlan p = plan(4);
  const auto [least, most] = std::minmax_element(p.cost.begin(), p.cost.end());
  EXPECT_LT(static_cast<double>(*most), 1.1 * static_cast<double>(*least));
  std::map<std::string, std::set<int>> shards;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    shards[cases_[i].spec].insert(p.owner[i]);
  }
  EXPECT_GT(shards["zheavy"].size(), 1u);
  std::size_t split = 0;
  for (const auto& [row, owners] : shards) split += owners.size() > 1 ? 1 : 0;
  // A pack may have the end of one row and the beginning of the next.
  EXPECT_LT(split, shards.size() / 2);
}

TEST_F(Plans, ADearCaseStandsAlone) {
  add("cheap", 50, 1);
  cases_.push_back(fakes::negation_case(0, "dear"));
  cases_.back().packable = false;
  costs_.push_back(1000);
  const ShardPlan p = plan(2);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NE(p.owner[i], p.owner[50]);
}

TEST_F(Plans, AreNamedByAllThatTheyRestOn) {
  add("a", 30, 5);
  add("b", 30, 7);
  std::set<std::uint64_t> hashes = {plan(1).hash, plan(2).hash, plan(3).hash};
  EXPECT_EQ(plan(2).hash, plan(2).hash);
  costs_[3] = 1000;
  hashes.insert(plan(3).hash);
  add("c", 1, 1);
  hashes.insert(plan(3).hash);
  EXPECT_EQ(hashes.size(), 5u);
  const auto header = shard_header(plan(3), {2, 3});
  EXPECT_EQ(header["cases"], plan(3).cases_of({2, 3}).size());
  EXPECT_EQ(shard_of({{"shard", header}}), (Shard{2, 3}));
}

TEST_F(Plans, ShardsMayBeEmpty) {
  add("a", 2, 1);
  const ShardPlan p = plan(5);
  std::size_t cases = 0;
  for (int i = 1; i <= 5; ++i) {
    cases += p.cases_of({i, 5}).size();
    (void)packs_of(p, {i, 5});
  }
  EXPECT_EQ(cases, 2u);
}

TEST(Costs, KindsAreSubjectsOnDevices) {
  EXPECT_EQ(cost_kind("eager@2.11.0/cpu-avx512"), "eager/cpu");
  EXPECT_EQ(cost_kind("inductor@2.15.0+numerics=strict/cuda-sm_90"),
            "inductor/cuda");
  EXPECT_EQ(cost_kind("bundled/cpu"), "bundled/cpu");
  EXPECT_EQ(cost_kind("alone"), "alone");
}

TEST(Costs, AreOfRowsThenOfAllRowsThenGuessed) {
  std::vector<cases::Case> cases = {fakes::negation_case(0, "a"),
                                    fakes::negation_case(1, "a"),
                                    fakes::negation_case(0, "new")};
  CostTable table;
  table.rows["a"] = {{kGoldenKind, 0.5}, {"eager/cpu", 0.25}};
  table.rows["b"] = {{kGoldenKind, 1.5}};
  table.goldens[cases[1].path] = 10;
  const auto all = fakes::pointers(cases);
  EXPECT_EQ(costs_of(all, {"eager@1/cpu"}, table),
            (std::vector<std::int64_t>{750'000, 10'250'000, 1'250'000}));
  // Two columns take twice the time, one golden serves both; of other
  // compilers nothing is known.
  EXPECT_EQ(costs_of(all, {"eager@1/cpu", "eager@2/cpu", "x/cpu"}, table)[0],
            1'010'000);
  EXPECT_EQ(costs_of(all, {"x/cpu"}, {}),
            (std::vector<std::int64_t>{20'000, 20'000, 20'000}));
}

TEST(Costs, AreWrittenAndRead) {
  const fs::path file = fs::path(::testing::TempDir()) / "costs.json";
  CostTable table;
  table.rows["a"] = {{kGoldenKind, 0.5}, {"eager/cpu", 1e-5}};
  table.rows["b \"quoted\""] = {{"eager/cpu", 0.25}};
  table.goldens["a/C1/dim=0"] = 98;
  std::ofstream(file) << to_text(table);
  const auto back = load_costs(file);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->rows, table.rows);
  EXPECT_EQ(back->goldens, table.goldens);
  for (const char* wrong :
       {"", "[]", "{}", R"({"assay_costs": 2})",
        R"({"assay_costs": 1, "kinds": ["a"], "rows": {"r": []},
            "goldens": {}})",
        R"({"assay_costs": 1, "kinds": ["a"], "rows": {"r": [-1]},
            "goldens": {}})",
        R"({"assay_costs": 1, "kinds": [], "rows": {},
            "goldens": {"c": ""}})"}) {
    std::ofstream(file) << wrong;
    const auto none = load_costs(file);
    ASSERT_FALSE(none) << wrong;
    EXPECT_THAT(none.error().message, HasSubstr("`assay costs` writes one"));
  }
  fs::remove(file);
  const auto none = load_costs(file);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->rows.empty());
}

}  // namespace
}  // namespace assay::harness
