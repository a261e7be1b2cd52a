// Every named fault is found by the cases that the specs derive, and by the
// clause that promises otherwise; without it the same subject passes them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/faults/fault.h"
#include "harness/faults/subject.h"
#include "harness/judge/adjudicate.h"
#include "harness/run/session.h"
#include "suite/cases/filter.h"
#include "suite/cases/testing/case_testing.h"

namespace assay::harness::faults {
namespace {

// Beyond that a case shows nothing that a smaller one does not.
constexpr std::int64_t kMostElements = 5000;

std::vector<Fault> all_faults() {
  std::vector<Fault> out;
  for (auto* table : {elementary_faults, rounding_faults, special_value_faults,
                      comparison_faults, reduction_faults, integer_faults,
                      call_faults, layout_faults}) {
    for (Fault& f : table()) out.push_back(std::move(f));
  }
  return out;
}

bool small(const cases::Case& c) {
  for (const TensorType& t : c.program.inputs) {
    if (element_count(t.sizes) > kMostElements) return false;
  }
  return true;
}

std::vector<const cases::Case*> cases_of(const Fault& fault) {
  std::vector<std::string> filters;
  for (const std::string& f : fault.cases) {
    filters.push_back(fault.spec + "/" + f);
  }
  const cases::Expansion& e = cases::expansion_of_row("specs", fault.spec);
  std::vector<const cases::Case*> out;
  auto it = std::lower_bound(e.cases.begin(), e.cases.end(), fault.spec + "/",
                             [](const cases::Case& c, const std::string& path) {
                               return c.path < path;
                             });
  for (; it != e.cases.end() && it->path.starts_with(fault.spec + "/"); ++it) {
    if (!fault.contexts && !it->context.empty()) continue;
    if (fault.refusal ? it->must_raise.empty() : !it->must_raise.empty()) {
      continue;
    }
    if (small(*it) && cases::matches(it->path, filters)) out.push_back(&*it);
  }
  return out;
}

std::string op_of(const Fault& fault) {
  const language::OpSpec* op = cases::specs_of("specs").find_op(fault.spec);
  return !fault.op.empty() || op == nullptr ? fault.op : op->aten;
}

class Faults : public ::testing::TestWithParam<Fault> {};

TEST_P(Faults, AreCaughtByTheClauseThatForbidsThem) {
  Fault fault = GetParam();
  fault.op = op_of(fault);
  const language::SpecSet& specs = cases::specs_of("specs");
  const auto oracle = live_oracle(specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused, &specs);
  RightAnswers answers(specs, fault.torch);
  FaultySubject right(&answers, nullptr), wrong(&answers, &fault);
  const std::vector<const cases::Case*> cases = cases_of(fault);
  ASSERT_FALSE(cases.empty());
  std::map<std::string, int> failures;
  for (const cases::Case* c : cases) {
    answers.forget();
    const auto prepared = adjudicator.prepare(*c);
    const auto judged = [&](FaultySubject& subject) {
      return adjudicator.result(
          *prepared, subject.run(c->program, prepared->inputs, {}, {}));
    };
    const CaseResult control = judged(right);
    EXPECT_EQ(control.status, CellStatus::pass)
        << c->path << ": " << control.reason;
    const CaseResult r = judged(wrong);
    if (r.status == CellStatus::pass) continue;
    EXPECT_EQ(r.status, CellStatus::fail) << c->path << ": " << r.reason;
    EXPECT_THAT(fault.clauses, ::testing::Contains(r.clause))
        << c->path << ": " << r.reason;
    if (fault.failure != FailureClass::none) {
      EXPECT_EQ(failure_name(r.failure), failure_name(fault.failure))
          << c->path << ": " << r.reason;
    }
    ++failures[r.clause];
  }
  for (const std::string& clause : fault.clauses) {
    EXPECT_GT(failures[clause], 0)
        << clause << " caught it in none of " << cases.size() << " cases";
    RecordProperty("failing_" + clause,
                   fmt::format("{} of {}", failures[clause], cases.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Named, Faults, ::testing::ValuesIn(all_faults()),
                         [](const auto& fault) { return fault.param.name; });

TEST(FaultTables, NamesAreDistinctAndEachHasOneFault) {
  std::set<std::string> names;
  for (const Fault& f : all_faults()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_EQ((f.outputs ? 1 : 0) + (f.operands ? 1 : 0) + (f.refusal ? 1 : 0) +
                  (f.layouts ? 1 : 0),
              1)
        << f.name;
  }
  EXPECT_GE(names.size(), 30u);
}

}  // namespace
}  // namespace assay::harness::faults
