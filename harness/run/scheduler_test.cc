// The schedule with a subject that does as it is told: what is packed is
// taken apart until the culprit stands alone.
#include "harness/run/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "harness/run/pack.h"
#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

using fakes::Deed;
using fakes::FakeExecutor;
using fakes::FakeOracle;
using fakes::FakeSubject;
using ::testing::HasSubstr;

struct Setting {
  int cases = 70;
  bool slow = true;
  bool needs_types = false;
  int jobs = 2;
  int columns = 1;
  std::map<int, Deed> deeds;  // of the last column's subject
  std::set<int> without_golden;
  std::set<int> expected;  // failures on the list
  bool promises_errors = true;
  std::set<int> must_raise;
  int workers = 1;  // that the last column waits for, some seconds
};

struct Seen {
  std::map<std::string, std::map<int, CaseResult>> by_column;
  std::map<int, std::size_t> observations;  // of the last column
  ScheduleStats stats;
  std::shared_ptr<FakeSubject> subject;

  const CaseResult& of(int id) const {
    return by_column.rbegin()->second.at(id);
  }
};

int id_of(const std::string& path) {
  return std::stoi(path.substr(path.rfind('/') + 1));
}

Seen run(const Setting& s) {
  std::vector<cases::Case> cases;
  for (int i = 0; i < s.cases; ++i) cases.push_back(fakes::negation_case(i));
  for (const int i : s.must_raise) cases.at(i).must_raise = "neg/E1";
  FakeOracle oracle;
  oracle.answer = [&s](const Program& p, const std::vector<Tensor>& inputs,
                       const reference::OracleOptions& options)
      -> Result<reference::Golden> {
    if (s.must_raise.contains(static_cast<int>(inputs[0].number(0)))) {
      return fakes::refusal("neg/E1", {"RuntimeError"});
    }
    FakeOracle other;
    other.without_golden = s.without_golden;
    return other.golden(p, inputs, options);
  };
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  Seen seen;
  std::vector<ColumnPlan> columns;
  for (int c = 0; c < s.columns; ++c) {
    auto subject = std::make_shared<FakeSubject>();
    const bool last = c + 1 == s.columns;
    if (last) subject->deeds = s.deeds;
    seen.subject = subject;
    const auto late = std::make_shared<std::atomic<bool>>(false);
    subject->on_run = [of = subject.get(), late, most = last ? s.workers : 1] {
      for (int i = 0; !*late && of->most_running < most; ++i) {
        *late = i > 3000;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    ColumnPlan plan;
    plan.name = "fake" + std::to_string(c);
    plan.slow = s.slow;
    plan.needs_types = s.needs_types;
    plan.promises_errors = s.promises_errors;
    plan.make = [subject] { return std::make_unique<FakeExecutor>(subject); };
    plan.expected = [&s](const CaseResult& r) {
      return s.expected.count(id_of(r.case_path)) > 0;
    };
    columns.push_back(std::move(plan));
  }
  ScheduleOptions options;
  options.jobs = s.jobs;
  const std::string last = columns.back().name;
  seen.stats = run_schedule(
      fakes::pointers(cases), std::move(columns), adjudicator, options,
      [&](std::size_t column, const Finding& f) {
        const int id = id_of(f.result.case_path);
        const std::string name = "fake" + std::to_string(column);
        EXPECT_EQ(f.result.column, name);
        const bool fresh = seen.by_column[name].emplace(id, f.result).second;
        EXPECT_TRUE(fresh) << f.result.case_path << " was reported twice";
        if (name == last) seen.observations[id] = f.observations.size();
        return true;
      });
  EXPECT_TRUE(seen.stats.complete);
  for (const auto& [name, results] : seen.by_column) {
    EXPECT_EQ(results.size(), static_cast<std::size_t>(s.cases)) << name;
  }
  return seen;
}

// All pass but those of `expected`.
void expect_statuses(const Seen& seen,
                     const std::map<int, CellStatus>& expected) {
  for (const auto& [id, r] : seen.by_column.rbegin()->second) {
    const auto at = expected.find(id);
    const CellStatus due = at == expected.end() ? CellStatus::pass : at->second;
    EXPECT_EQ(r.status, due)
        << id << ": " << status_name(r.status) << " " << r.reason;
  }
}

TEST(Packing, UnitsHoldThirtyAndRefusalsStandAlone) {
  std::vector<cases::Case> cases;
  for (int i = 0; i < 70; ++i) cases.push_back(fakes::negation_case(i));
  cases[5].must_raise = "neg/E1";
  cases[6].packable = false;
  std::size_t alone = 0, total = 0, most = 0;
  for (const auto& unit : make_packs(fakes::pointers(cases), true)) {
    alone += unit.size() == 1 ? 1 : 0;
    total += unit.size();
    most = std::max(most, unit.size());
    for (const std::size_t i : unit) {
      if (i == 5 || i == 6) {
        EXPECT_EQ(unit.size(), 1u);
      }
    }
  }
  EXPECT_EQ(total, 70u);
  EXPECT_EQ(most, kPackLimit);
  EXPECT_EQ(alone, 2u);
  EXPECT_EQ(make_packs(fakes::pointers(cases), false).size(), 70u);
}

TEST(Scheduler, PacksForSlowSubjectsOnly) {
  const Seen slow = run({});
  EXPECT_EQ(slow.subject->programs, 3);
  EXPECT_EQ(slow.subject->largest, 30);
  expect_statuses(slow, {});
  Setting s;
  s.slow = false;
  const Seen fast = run(s);
  EXPECT_EQ(fast.subject->programs, 70);
  EXPECT_EQ(fast.subject->largest, 1);
}

TEST(Scheduler, OneWrongCaseIsRunAgainAlone) {
  Setting s;
  s.deeds = {{41, Deed::wrong}};
  const Seen seen = run(s);
  expect_statuses(seen, {{41, CellStatus::fail}});
  EXPECT_EQ(seen.subject->programs, 4);
  EXPECT_EQ(seen.of(41).wrong_elements, 1);
}

TEST(Scheduler, AFailureOnTheListIsNotRunAgain) {
  Setting s;
  s.deeds = {{41, Deed::wrong}, {50, Deed::wrong}};
  s.expected = {41};
  const Seen seen = run(s);
  expect_statuses(seen, {{41, CellStatus::fail}, {50, CellStatus::fail}});
  EXPECT_EQ(seen.subject->programs, 4);
  EXPECT_EQ(seen.observations.at(41), 1u);
}

TEST(Scheduler, ACrashIsNarrowedDownToItsCase) {
  for (const int culprit : {0, 17, 29, 30, 69}) {
    Setting s;
    s.deeds = {{culprit, Deed::crash}};
    const Seen seen = run(s);
    expect_statuses(seen, {{culprit, CellStatus::crash}});
    // Halving: 30, 15, 8, 4, 2, 1.
    EXPECT_LE(seen.subject->programs, 3 + 10);
  }
}

TEST(Scheduler, EachWayToFailAsAWholeFindsItsCase) {
  const std::pair<Deed, CellStatus> rows[] = {{Deed::crash, CellStatus::crash},
                                              {Deed::raise, CellStatus::fail},
                                              {Deed::hang, CellStatus::timeout},
                                              {Deed::breach, CellStatus::fail}};
  for (const auto& [deed, status] : rows) {
    Setting s;
    s.deeds = {{23, deed}};
    const Seen seen = run(s);
    expect_statuses(seen, {{23, status}});
    if (deed == Deed::breach) {
      EXPECT_EQ(seen.of(23).clause, "P1");
    }
  }
}

// Its crash would show that it was asked.
TEST(Scheduler, WhoPromisesNoErrorsIsNotAskedForThem) {
  Setting s;
  s.must_raise = {5, 44};
  s.deeds = {{5, Deed::crash}, {44, Deed::raise}};
  s.promises_errors = false;
  const Seen seen = run(s);
  expect_statuses(
      seen, {{5, CellStatus::unsupported}, {44, CellStatus::unsupported}});
  EXPECT_THAT(seen.of(5).reason, HasSubstr("promises values"));
  s.promises_errors = true;
  expect_statuses(run(s), {{5, CellStatus::crash}});
}

TEST(Scheduler, WhatFailsOnlyInAPackIsFlaky) {
  Setting s;
  s.deeds = {{12, Deed::wrong_in_pack}};
  const Seen seen = run(s);
  expect_statuses(seen, {{12, CellStatus::flaky}});
  EXPECT_THAT(seen.of(12).reason, HasSubstr("conforms alone"));
  EXPECT_THAT(seen.of(12).reason, HasSubstr("out0[1]"));
  // Both runs are recorded, so that a recording says the same.
  EXPECT_EQ(seen.observations.at(12), 2u);
  EXPECT_EQ(seen.observations.at(13), 1u);
}

TEST(Scheduler, ACrashThatNeedsAPackIsNotLost) {
  Setting s;
  s.cases = 30;
  s.deeds = {{9, Deed::crash_in_pack}};
  const Seen seen = run(s);
  // The smallest program that crashes holds 8 and 9, or 9 and 10.
  int flaky = 0;
  for (int i = 0; i < s.cases; ++i) {
    const CaseResult& r = seen.of(i);
    if (r.status == CellStatus::pass) continue;
    EXPECT_EQ(r.status, CellStatus::flaky);
    EXPECT_THAT(r.reason, HasSubstr("a program of 2 cases that begins with "
                                    "this one crashed: signal 11"));
    EXPECT_GE(i, 8);
    EXPECT_LE(i, 9);
    EXPECT_EQ(seen.observations.at(i), 2u);
    ++flaky;
  }
  EXPECT_EQ(flaky, 1);
}

TEST(Scheduler, SeveralCulpritsOfSeveralKinds) {
  Setting s;
  s.cases = 120;
  s.columns = 3;
  s.deeds = {{0, Deed::crash},  {1, Deed::wrong}, {2, Deed::wrong_in_pack},
             {40, Deed::raise}, {41, Deed::hang}, {42, Deed::breach},
             {119, Deed::crash}};
  const Seen seen = run(s);
  for (const auto& [id, r] : seen.by_column.at("fake0")) {
    EXPECT_EQ(r.status, CellStatus::pass) << id;
  }
  std::map<int, CellStatus> due = {
      {0, CellStatus::crash}, {1, CellStatus::fail},
      {40, CellStatus::fail}, {41, CellStatus::timeout},
      {42, CellStatus::fail}, {119, CellStatus::crash}};
  // Whether 2 fails depends on whether it still shares its pack once the crash
  // beside it has been taken apart; alone it conforms, so it never fails.
  const CellStatus two = seen.of(2).status;
  EXPECT_TRUE(two == CellStatus::pass || two == CellStatus::flaky);
  due[2] = two;
  expect_statuses(seen, due);
}

// Culprits at random: packing and the number of jobs change nothing.
TEST(Scheduler, ResultsDoNotDependOnPackingOrJobs) {
  std::mt19937 random(20260930);
  for (int round = 0; round < 25; ++round) {
    Setting s;
    s.cases = 1 + static_cast<int>(random() % 150);
    std::map<int, CellStatus> due;
    for (int n = static_cast<int>(random() % 6); n > 0; --n) {
      const int id = static_cast<int>(random() % 150);
      const std::pair<Deed, CellStatus> kinds[] = {
          {Deed::wrong, CellStatus::fail},
          {Deed::crash, CellStatus::crash},
          {Deed::raise, CellStatus::fail},
          {Deed::hang, CellStatus::timeout}};
      const auto& [deed, status] = kinds[random() % 4];
      if (!s.deeds.emplace(id, deed).second || id >= s.cases) continue;
      due[id] = status;
    }
    s.columns = 1 + static_cast<int>(random() % 3);
    s.jobs = 1 + static_cast<int>(random() % 5);
    s.slow = random() % 4 != 0;
    s.needs_types = random() % 2 == 0;
    expect_statuses(run(s), due);
  }
}

TEST(Scheduler, NeverMoreWorkersThanJobs) {
  Setting s;
  s.cases = 300;
  s.jobs = 3;
  const Seen seen = run(s);
  EXPECT_LE(seen.subject->most_running, 3);
}

TEST(Scheduler, FastColumnsShareTheJobs) {
  const struct {
    int cases, columns, jobs, most;
  } kSettings[] = {
      {300, 1, 3, 1},  // too few cases to be worth a second worker
      {700, 1, 4, 3},  // each has some hundred
      {700, 1, 2, 2},  // no more than jobs
      {700, 2, 4, 2},  // other columns have jobs too
      {700, 3, 2, 1},
  };
  for (const auto& k : kSettings) {
    Setting s;
    s.slow = false;
    s.cases = k.cases;
    s.columns = k.columns;
    s.jobs = k.jobs;
    s.workers = k.most;
    const Seen seen = run(s);
    EXPECT_EQ(seen.subject->most_running, k.most) << k.cases;
    expect_statuses(seen, {});
  }
}

TEST(Scheduler, ACaseWithoutGoldenIsOurFaultInEveryColumn) {
  for (const bool needs_types : {false, true}) {
    Setting s;
    s.columns = 2;
    s.needs_types = needs_types;
    s.without_golden = {33};
    const Seen seen = run(s);
    expect_statuses(seen, {{33, CellStatus::internal_error}});
    EXPECT_EQ(seen.by_column.at("fake0").at(33).status,
              CellStatus::internal_error);
  }
}

TEST(Scheduler, GoldensAreMadeOncePerCase) {
  std::vector<cases::Case> cases;
  for (int i = 0; i < 50; ++i) cases.push_back(fakes::negation_case(i));
  const FakeOracle oracle;
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  std::vector<ColumnPlan> columns(5);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto subject = std::make_shared<FakeSubject>();
    columns[i].name = "fake" + std::to_string(i);
    columns[i].slow = i % 2 == 0;
    columns[i].make = [subject] {
      return std::make_unique<FakeExecutor>(subject);
    };
  }
  ScheduleOptions options;
  options.jobs = 4;
  run_schedule(fakes::pointers(cases), std::move(columns), adjudicator, options,
               [](std::size_t, const Finding&) { return true; });
  EXPECT_EQ(oracle.asked, 50);
}

TEST(Scheduler, StopsWhenAsked) {
  std::vector<cases::Case> cases;
  for (int i = 0; i < 500; ++i) cases.push_back(fakes::negation_case(i));
  const FakeOracle oracle;
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  std::vector<ColumnPlan> columns(1);
  auto subject = std::make_shared<FakeSubject>();
  columns[0].name = "fake";
  columns[0].make = [subject] {
    return std::make_unique<FakeExecutor>(subject);
  };
  std::atomic<bool> stop{false};
  ScheduleOptions options;
  options.jobs = 2;
  options.stop = &stop;
  int results = 0;
  const ScheduleStats stats =
      run_schedule(fakes::pointers(cases), std::move(columns), adjudicator,
                   options, [&](std::size_t, const Finding&) {
                     if (++results == 20) stop = true;
                     return true;
                   });
  EXPECT_FALSE(stats.complete);
  EXPECT_GE(results, 20);
  EXPECT_LT(results, 25);
}

TEST(Scheduler, WhatDiesOfTheInterruptDidNotCrash) {
  std::vector<cases::Case> cases;
  for (int i = 0; i < 4; ++i) cases.push_back(fakes::negation_case(i));
  const FakeOracle oracle;
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  std::atomic<bool> stop{false};
  auto subject = std::make_shared<FakeSubject>();
  for (int i = 0; i < 4; ++i) subject->deeds[i] = Deed::crash;
  subject->on_run = [&] { stop = true; };
  std::vector<ColumnPlan> columns(1);
  columns[0].name = "fake";
  columns[0].make = [subject] {
    return std::make_unique<FakeExecutor>(subject);
  };
  ScheduleOptions options;
  options.stop = &stop;
  run_schedule(fakes::pointers(cases), std::move(columns), adjudicator, options,
               [](std::size_t, const Finding& f) {
                 ADD_FAILURE() << f.result.reason;
                 return true;
               });
}

TEST(Scheduler, ASinkThatFailsEndsTheRun) {
  std::vector<cases::Case> cases;
  for (int i = 0; i < 100; ++i) cases.push_back(fakes::negation_case(i));
  const FakeOracle oracle;
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  auto subject = std::make_shared<FakeSubject>();
  std::vector<ColumnPlan> columns(1);
  columns[0].name = "fake";
  columns[0].make = [subject] {
    return std::make_unique<FakeExecutor>(subject);
  };
  ScheduleOptions options;
  options.jobs = 3;
  int calls = 0;
  const ScheduleStats stats = run_schedule(
      fakes::pointers(cases), std::move(columns), adjudicator, options,
      [&](std::size_t, const Finding&) { return ++calls < 10; });
  EXPECT_EQ(calls, 10);
  EXPECT_FALSE(stats.complete);
}

TEST(Unpack, GivesEachCaseItsOutputsAndTheReleaseThatIsFollowed) {
  cases::Case a, b;
  a.program.inputs =
      b.program.inputs = {TensorType::contiguous(DType::f32, {1})};
  a.program.outputs = {ValueRef{1}};
  b.program.outputs = {ValueRef{1}, ValueRef{2}};
  Observation packed;
  packed.torch = {2, 15};
  for (int i = 0; i < 3; ++i) packed.outputs.push_back(fakes::f32({1.0 * i}));
  packed.alternatives = {packed.outputs, packed.outputs};
  packed.depends_on = {"ex2", "lg2"};
  // Beside one input of each: in the first's, in the second's, in the first's.
  packed.layouts = {{{1}, 0, 0}, {{1}, 0, 1}, {{1}, 0, 0}};
  const std::vector<Observation> own = unpack(packed, {&a, &b});
  ASSERT_EQ(own.size(), 2u);
  ASSERT_EQ(own[0].outputs.size(), 1u);
  ASSERT_EQ(own[1].outputs.size(), 2u);
  EXPECT_EQ(own[1].outputs[1].number(0), 2);
  EXPECT_EQ(own[0].layouts[0].storage, 0);
  EXPECT_EQ(own[1].layouts[0].storage, 0);
  EXPECT_GT(own[1].layouts[1].storage, 0) << "is no input of its own case";
  for (const Observation& o : own) {
    EXPECT_EQ(o.torch, packed.torch);
    ASSERT_EQ(o.alternatives.size(), 2u);
    for (const std::vector<Tensor>& other : o.alternatives) {
      ASSERT_EQ(other.size(), o.outputs.size());
      EXPECT_EQ(other[0].number(0), o.outputs[0].number(0));
    }
    EXPECT_EQ(o.depends_on, std::vector<std::string>{"some of ex2, lg2"});
  }
}

}  // namespace
}  // namespace assay::harness
