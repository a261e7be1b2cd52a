// The sweep finds what is known of the C library: the worst input of each
// float function, E there to four digits, and how many inputs are not
// correctly rounded. All 2^32 inputs of each.
//
// Built for versions of the library that glibc_facts.h knows. The functions
// are chosen by --gtest_filter: two of them take seconds, all of them minutes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "harness/sweep/glibc_facts.h"
#include "harness/sweep/run.h"
#include "reference/sweep/function_specs.h"

namespace assay::harness {
namespace {

double error_at(const reference::Sweep& sweep, std::uint64_t input) {
  const auto& engine = reference::engines().front();
  const auto oracle = reference::SweepOracle::make(sweep, &engine);
  if (!oracle) return -1;
  const auto golden = std::make_unique<reference::BlockResult>();
  if (!(*oracle)->golden(input, 1, golden.get())) return -1;
  const Result<Tensor> got = libm_subject()->results(sweep, input, 1);
  if (!got) return -1;
  reference::Tally tally;
  reference::BlockJudge judge(sweep, (*oracle)->accuracy(), *engine.loops);
  const std::byte* results = got->storage->data();
  const bool known = judge.compare(input, 1, *golden, results, &tally);
  return known ? tally.max_error : -1;
}

class Glibc : public ::testing::TestWithParam<GlibcFact> {};

TEST_P(Glibc, IsAsKnown) {
  const GlibcFact fact = GetParam();
  const reference::Sweep sweep =
      *reference::Sweep::open(reference::function_specs(),
                              {std::string(fact.function), DType::f32, {}});
  const std::filesystem::path dir =
      std::filesystem::path(::testing::TempDir()) / "glibc_test";
  Result<SweepRecords> records = SweepRecords::open(
      dir, std::string(fact.function), {{"column", "libm"}}, true);
  ASSERT_TRUE(records.ok()) << records.error().message;
  SweepSetup setup;
  setup.sweep = &sweep;
  setup.engine = &reference::engines().front();
  setup.jobs =
      static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  setup.subject = [] { return libm_subject(); };
  setup.records = &records.value();
  const SweepOutcome o = run_sweep(setup);
  ASSERT_TRUE(o.complete) << o.fault;
  EXPECT_EQ(o.tally.inputs, std::uint64_t{1} << 32);
  if (fact.not_rounded != kNotCounted) {
    EXPECT_EQ(o.tally.not_rounded, fact.not_rounded);
  }
  EXPECT_EQ(o.tally.wrong_nan, 0u);
  if (fact.not_rounded == 0) return;
  EXPECT_EQ(fmt::format("{:.4f}", o.tally.max_error),
            fmt::format("{:.4f}", fact.error));
  // At x and -x, or at x and 8 x, some functions err alike: what is known is
  // one of the worst inputs.
  EXPECT_EQ(error_at(sweep, fact.input), o.tally.max_error);
}

std::string name_of(const ::testing::TestParamInfo<GlibcFact>& fact) {
  return std::string(fact.param.function);
}
INSTANTIATE_TEST_SUITE_P(Functions, Glibc, ::testing::ValuesIn(kGlibc236),
                         name_of);

}  // namespace
}  // namespace assay::harness
