// Sweeps with subjects that err, die and are stopped; records that are torn.
#include "harness/sweep/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "harness/records/result_json.h"
#include "harness/sweep/report.h"
#include "reference/sweep/function_specs.h"

namespace assay::harness {
namespace {

using reference::Sweep;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::uint64_t kPart = 4096;

// Truncates where it should round: tanh by way of double.
class Truncating : public SweepSubject {
 public:
  explicit Truncating(std::atomic<int>* calls, int fails_at = -1)
      : calls_(calls), fails_at_(fails_at) {}
  Result<Identity> identify() override { return Identity{"fake/cpu", {}, {}}; }
  Result<Tensor> results(const Sweep& sweep, std::uint64_t first,
                         std::int64_t n) override {
    if (calls_->fetch_add(1) == fails_at_) return Error{"it did not answer"};
    const Tensor x = sweep.tensors(first, n)[0];
    Tensor y = Tensor::zeros(sweep.result(), {n});
    for (std::int64_t i = 0; i < n; ++i) {
      y.set_bits(i, encode_float(sweep.result(), std::tanh(x.number(i)),
                                 RoundingMode::toward_zero));
    }
    return y;
  }

 private:
  std::atomic<int>* calls_;
  int fails_at_;
};

class SweepRunTest : public ::testing::Test {
 protected:
  SweepRunTest()
      : sweep_(*Sweep::open(reference::function_specs(),
                            {"tanh", DType::bf16, {}})),
        dir_(fs::path(::testing::TempDir()) /
             ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(dir_);
  }
  ~SweepRunTest() override { fs::remove_all(dir_); }

  Result<SweepRecords> open(const std::string& column = "fake/cpu") {
    return SweepRecords::open(dir_, "tanh", {{"column", column}}, false);
  }

  SweepRecords opened() {
    Result<SweepRecords> r = open();
    if (!r) throw std::runtime_error(r.error().message);
    return std::move(r.value());
  }

  SweepOutcome run(SweepRecords* records, int fails_at = -1, int jobs = 2,
                   int stop_after = -1) {
    SweepSetup setup;
    setup.sweep = &sweep_;
    setup.engine = &reference::engines().front();
    setup.length = 1000;
    setup.part = kPart;
    setup.jobs = jobs;
    setup.records = records;
    setup.stop = &stop_;
    setup.subject = [&] {
      return std::make_unique<Truncating>(&calls_, fails_at);
    };
    int parts = 0;
    setup.on_progress = [&](std::uint64_t) {
      if (++parts == stop_after) stop_ = true;
    };
    return run_sweep(setup);
  }

  std::string whole() {
    SweepRecords records = opened();
    const SweepOutcome o = run(&records);
    EXPECT_TRUE(o.complete);
    return json_line(to_json(o.tally));
  }

  Sweep sweep_;
  fs::path dir_;
  std::atomic<int> calls_{0};
  std::atomic<bool> stop_{false};
};

TEST_F(SweepRunTest, CountsAll) {
  SweepRecords records = opened();
  const SweepOutcome o = run(&records);
  EXPECT_TRUE(o.complete);
  EXPECT_EQ(o.fault, "");
  EXPECT_EQ(o.tally.inputs, 65536u);
  EXPECT_GT(o.tally.not_rounded, 1000u);
  EXPECT_EQ(o.tally.broken, o.tally.not_rounded);
  EXPECT_LE(o.tally.max_error, 1);
  EXPECT_EQ(o.tally.max_distance, 1);
  const std::string text = sweep_text(
      {&sweep_, "fake/cpu", sweep_.accuracy_clause(), o.tally, true, ""});
  EXPECT_THAT(text, HasSubstr("outside of tanh/A1"));
}

TEST_F(SweepRunTest, GoesOnWhereItWasStopped) {
  const std::string all = whole();
  fs::remove_all(dir_);
  {
    SweepRecords records = opened();
    const SweepOutcome o = run(&records, -1, 2, 3);
    EXPECT_FALSE(o.complete);
    EXPECT_LT(o.tally.inputs, 65536u);
  }
  stop_ = false;
  SweepRecords records = opened();
  const std::size_t kept = records.parts().size();
  EXPECT_GE(kept, 3u);
  calls_ = 0;
  const SweepOutcome o = run(&records);
  EXPECT_TRUE(o.complete);
  // Only what was missing was asked for, in five calls a part.
  EXPECT_EQ(calls_, static_cast<int>(5 * (16 - kept)));
  EXPECT_EQ(json_line(to_json(o.tally)), all);
}

TEST_F(SweepRunTest, DoesNotDependOnThreads) {
  const std::string two = whole();
  fs::remove_all(dir_);
  SweepRecords records = opened();
  EXPECT_EQ(json_line(to_json(run(&records, -1, 1).tally)), two);
}

TEST_F(SweepRunTest, EndsWithWhatASubjectDid) {
  SweepRecords records = opened();
  const SweepOutcome o = run(&records, 12);
  EXPECT_FALSE(o.complete);
  EXPECT_EQ(o.fault, "it did not answer");
  EXPECT_EQ(records.parts().size() * kPart, o.tally.inputs);
}

TEST_F(SweepRunTest, LeavesATornRecordOut) {
  const std::string all = whole();
  const fs::path file = dir_ / "tanh.jsonl";
  for (const int cut : {1, 40, 400}) {
    fs::resize_file(file, fs::file_size(file) - static_cast<unsigned>(cut));
    SweepRecords records = opened();
    EXPECT_LT(records.parts().size(), 16u);
    EXPECT_EQ(json_line(to_json(run(&records).tally)), all) << cut;
  }
  std::ofstream(file, std::ios::app) << std::string(4096, '\0') << "\n";
  EXPECT_EQ(opened().parts().size(), 16u);
  std::ofstream(file, std::ios::app) << "damaged\n{}\n";
  const Result<SweepRecords> damaged = open();
  ASSERT_FALSE(damaged.ok());
  EXPECT_THAT(damaged.error().message, HasSubstr("tanh.jsonl:18: "));
  EXPECT_THAT(damaged.error().message, HasSubstr("--fresh"));
}

TEST_F(SweepRunTest, RefusesAnotherSweepsRecords) {
  (void)whole();
  const Result<SweepRecords> other = open("other/cpu");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("column was \"fake/cpu\""));
  EXPECT_THAT(other.error().message, HasSubstr("--fresh"));
}

TEST_F(SweepRunTest, HasItsFileForItself) {
  const Result<SweepRecords> first = open();
  ASSERT_TRUE(first.ok());
  const Result<SweepRecords> second = open();
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("another process"));
}

}  // namespace
}  // namespace assay::harness
