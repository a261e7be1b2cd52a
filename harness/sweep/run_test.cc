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

// Loses its device for inputs from `from` up to `to`.
class Losing : public Executor {
 public:
  Losing(std::atomic<int>* calls, std::uint64_t from, std::uint64_t to)
      : calls_(calls), from_(from), to_(to) {}
  Result<Identity> identify() override { return Identity{"fake/cpu", {}, {}}; }
  Observation run(const Program& /*program*/, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds /*deadline*/) override {
    ++*calls_;
    Observation o;
    const std::uint64_t first = inputs[0].bits(0);
    if (first >= from_ && first < to_) {
      o.kind = Observation::Kind::device_lost;
      o.detail = "run: illegal address";
      return o;
    }
    o.outputs.push_back(Tensor::zeros(expected[0].dtype, expected[0].sizes));
    return o;
  }

 private:
  std::atomic<int>* calls_;
  std::uint64_t from_, to_;
};

class LosingSweep : public SweepRunTest {
 protected:
  SweepOutcome lose(SweepRecords* records, std::uint64_t from,
                    std::uint64_t to) {
    SweepSetup setup;
    setup.sweep = &sweep_;
    setup.engine = &reference::engines().front();
    setup.length = 1024;
    setup.part = kPart;
    setup.records = records;
    setup.subject = [&, from, to] {
      return executor_subject(std::make_unique<Losing>(&calls_, from, to));
    };
    return run_sweep(setup);
  }
};

TEST_F(LosingSweep, ALostDeviceCostsItsPartAlone) {
  SweepRecords records = opened();
  // Within the third part: asked for twice, and the rest of it not at all.
  const SweepOutcome o = lose(&records, 2 * kPart + 1024, 2 * kPart + 2048);
  EXPECT_FALSE(o.complete);
  EXPECT_THAT(o.fault, HasSubstr("device lost: run: illegal address"));
  EXPECT_EQ(o.tally.inputs, 65536u - kPart);
  EXPECT_FALSE(records.parts().contains(2));
  EXPECT_EQ(calls_, 15 * 4 + 1 + 2);
  calls_ = 0;
  EXPECT_TRUE(lose(&records, 0, 0).complete);
  EXPECT_EQ(calls_, 4);
}

TEST_F(LosingSweep, ADeviceThatIsGoneEndsIt) {
  SweepRecords records = opened();
  const SweepOutcome o = lose(&records, kPart, 65536);
  EXPECT_FALSE(o.complete);
  EXPECT_EQ(records.parts().size(), 1u);
  EXPECT_EQ(calls_, 4 + 3 * 2);
}

// The correctly rounded results of an approximate instruction are nobody's.
TEST_F(LosingSweep, ResultsThatHangOnADeviceAreNotJudged) {
  class Open : public Executor {
   public:
    Result<Identity> identify() override { return Identity{"f/cpu", {}, {}}; }
    Observation run(const Program& /*program*/,
                    const std::vector<Tensor>& /*inputs*/,
                    const std::vector<TensorType>& expected,
                    std::chrono::milliseconds /*deadline*/) override {
      Observation o;
      o.outputs.push_back(Tensor::zeros(expected[0].dtype, expected[0].sizes));
      o.depends_on = {"tanh.approx.bf16"};
      return o;
    }
  };
  const auto subject = executor_subject(std::make_unique<Open>());
  const Result<Tensor> got = subject->results(sweep_, 0, 16);
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message, HasSubstr("hang on tanh.approx.bf16"));
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
