#include "harness/judge/verdict.h"

#include <gtest/gtest.h>

#include <tuple>

namespace assay::harness {
namespace {

struct Seen {
  const char* column;
  CellStatus status;
  std::uint64_t hash;
};

CaseResult result_of(const Seen& s) {
  CaseResult r;
  r.case_path = "neg/C1";
  r.column = s.column;
  r.status = s.status;
  r.output_hash = s.hash;
  return r;
}

Verdict verdict(const std::vector<Seen>& seen) {
  std::vector<CaseResult> results;
  for (const Seen& s : seen) results.push_back(result_of(s));
  set_verdicts(&results);
  for (const CaseResult& r : results) {
    EXPECT_EQ(r.verdict, results[0].verdict);
  }
  return results[0].verdict;
}

constexpr const char* kEager = "eager@2.11.0/cpu-avx2";
constexpr const char* kEager512 = "eager@2.11.0/cpu-avx512";
constexpr const char* kInductor = "inductor@2.11.0/cpu";
constexpr const char* kBundled = "bundled/cpu-avx2";

constexpr auto kPass = CellStatus::pass;
constexpr auto kFail = CellStatus::fail;

TEST(Verdict, Table) {
  struct Row {
    std::vector<Seen> seen;
    Verdict verdict;
  };
  const Row rows[] = {
      {{{kEager, kPass, 1}}, Verdict::undetermined},
      {{{kEager, kPass, 1}, {kInductor, kPass, 1}}, Verdict::all_conform},
      {{{kEager, kPass, 1}, {kInductor, kPass, 2}},
       Verdict::conform_but_disagree},
      {{{kEager, kPass, 1}, {kInductor, kFail, 2}}, Verdict::compiled_wrong},
      {{{kEager, kFail, 1}, {kInductor, kPass, 2}}, Verdict::eager_wrong},
      {{{kEager, kFail, 1}, {kInductor, kFail, 1}}, Verdict::both_wrong_same},
      {{{kEager, kFail, 1}, {kInductor, kFail, 2}},
       Verdict::both_wrong_differently},
      {{{kEager, kFail, 1}, {kInductor, CellStatus::crash, 1}},
       Verdict::both_wrong_differently},
      // Among several: one wrong compiler does not make eager wrong.
      {{{kEager, kPass, 1}, {kBundled, kPass, 1}, {kInductor, kFail, 2}},
       Verdict::compiled_wrong},
      {{{kEager, kFail, 1}, {kEager512, kPass, 2}, {kBundled, kPass, 2}},
       Verdict::eager_wrong},
      // What did not run has no say.
      {{{kEager, kPass, 1}, {kInductor, CellStatus::unsupported, 0}},
       Verdict::undetermined},
      {{{kEager, kPass, 1}, {kInductor, CellStatus::internal_error, 0}},
       Verdict::undetermined},
      {{{kEager, kPass, 1},
        {kBundled, kPass, 1},
        {kInductor, CellStatus::not_run, 0}},
       Verdict::all_conform},
      // A warning conforms, a crash, a timeout and a flaky one do not.
      {{{kEager, kPass, 1}, {kInductor, CellStatus::quality_warning, 1}},
       Verdict::all_conform},
      {{{kEager, kPass, 1}, {kInductor, CellStatus::crash, 0}},
       Verdict::compiled_wrong},
      {{{kEager, kPass, 1}, {kInductor, CellStatus::timeout, 0}},
       Verdict::compiled_wrong},
      {{{kEager, kPass, 1}, {kInductor, CellStatus::flaky, 1}},
       Verdict::compiled_wrong},
      // Two compilers without eager.
      {{{kBundled, kPass, 1}, {kInductor, kFail, 2}}, Verdict::compiled_wrong},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    EXPECT_EQ(verdict(rows[i].seen), rows[i].verdict) << "row " << i;
  }
}

TEST(Verdict, IsPerCase) {
  std::vector<CaseResult> results = {
      result_of({kEager, kPass, 1}), result_of({kInductor, kFail, 2}),
      result_of({kEager, kPass, 3}), result_of({kInductor, kPass, 3})};
  results[2].case_path = results[3].case_path = "neg/C2";
  set_verdicts(&results);
  EXPECT_EQ(results[0].verdict, Verdict::compiled_wrong);
  EXPECT_EQ(results[3].verdict, Verdict::all_conform);
}

TEST(Verdict, AotEagerIsACompiler) {
  EXPECT_TRUE(is_eager_column("eager@2.11.0/cpu-default"));
  EXPECT_TRUE(is_eager_column("torch-eager@2.11.0/cuda-sm_90"));
  EXPECT_FALSE(is_eager_column("aot_eager@2.11.0/cpu"));
  EXPECT_FALSE(is_eager_column("eagerish/cpu"));
}

}  // namespace
}  // namespace assay::harness
