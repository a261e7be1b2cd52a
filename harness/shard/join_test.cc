// Shards that are joined against the run that they are parts of, and folders
// that must not be joined.
#include "harness/shard/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/records/json_lines.h"
#include "harness/records/recording.h"
#include "harness/records/result_json.h"
#include "harness/records/results_file.h"
#include "harness/run/run.h"
#include "harness/testing/command.h"
#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

using fakes::Deed;
using nlohmann::ordered_json;
using ::testing::HasSubstr;
using testing::slurp;
namespace fs = std::filesystem;

constexpr int kShards = 4;

class Joining : public ::testing::Test {
 protected:
  Joining() {
    dir_ = fs::path(::testing::TempDir()) / "joining" /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    for (const char* row : {"abs", "neg", "sub"}) {
      for (int i = 0; i < 60; ++i) {
        cases_.push_back(fakes::negation_case(i, row));
      }
    }
    all_ = fakes::pointers(cases_);
    plan_ =
        plan_shards(all_, std::vector<std::int64_t>(all_.size(), 1), kShards);
  }
  ~Joining() override { fs::remove_all(dir_); }

  static ordered_json header() {
    return {{"spec_hash", "1"},
            {"build", "b"},
            {"started", "now"},
            {"columns",
             {{{"column", "eager@1/cpu"}, {"facts", {{"a", "b"}}}},
              {{"column", "fake@1/cpu"}, {"facts", {{"a", "b"}}}}}}};
  }

  fs::path folder(int i) const { return dir_ / std::to_string(i); }
  std::vector<fs::path> folders() const {
    std::vector<fs::path> out;
    for (int i = 1; i <= kShards; ++i) out.push_back(folder(i));
    return out;
  }

  // Runs shard `i`; 0: all of it.
  std::vector<CaseResult> run(int i, bool record = false) {
    ordered_json h = header();
    RunSetup setup;
    setup.cases = all_;
    if (i > 0) {
      const Shard shard{i, kShards};
      h[kShardField] = shard_header(plan_, shard);
      setup.cases.clear();
      for (const std::size_t k : plan_.cases_of(shard)) {
        setup.cases.push_back(all_[k]);
      }
      setup.options.packs = packs_of(plan_, shard);
    }
    Result<Records> records = Records::open(folder(i), h, nullptr);
    EXPECT_TRUE(records.ok()) << records.error().message;
    setup.records = &records.value();
    std::unique_ptr<RecordingWriter> recording;
    if (record) {
      auto made = RecordingWriter::create(folder(i) / kRecordingFile, h);
      EXPECT_TRUE(made) << made.error().message;
      recording = std::make_unique<RecordingWriter>(std::move(made.value()));
    }
    setup.recording = recording.get();
    for (const char* name : {"eager@1/cpu", "fake@1/cpu"}) {
      auto subject = std::make_shared<fakes::FakeSubject>();
      ColumnPlan column;
      column.name = name;
      column.slow = column.name == "fake@1/cpu";
      if (column.slow) {
        // What goes wrong in a pack alone shows whether packs are the same.
        subject->deeds = {{3, Deed::wrong},
                          {17, Deed::crash_in_pack},
                          {31, Deed::crash},
                          {32, Deed::wrong_in_pack},
                          {50, Deed::raise}};
      }
      column.make = [subject] {
        return std::make_unique<fakes::FakeExecutor>(subject);
      };
      setup.columns.push_back(std::move(column));
    }
    setup.options.jobs = 2;
    const Adjudicator judge(oracle_, reference::Numerics::fused, nullptr);
    return run_cases(std::move(setup), judge).results;
  }

  std::vector<CaseResult> joined() {
    faults_.clear();
    const ShardFolders shards = read_shards(folders(), &faults_);
    std::vector<CaseResult> out = join(shards, all_, plan_, &faults_);
    std::vector<std::string> paths;
    for (const cases::Case* c : all_) paths.push_back(c->path);
    if (faults_.empty()) finalise(paths, shards.columns, {}, "", &out);
    return out;
  }
  std::string fault() const {
    std::string out;
    for (const JoinFault& f : faults_) out += f.text + "\n";
    return out;
  }

  static std::string timeless(const std::vector<CaseResult>& results) {
    std::string out;
    for (CaseResult r : results) {
      r.seconds = 0;
      out += json_line(to_json(r)) + "\n";
    }
    return out;
  }

  // Writes the results of a folder anew, with seals that hold.
  void rewrite(int i, const std::function<void(ordered_json*)>& change_header,
               const std::function<void(std::vector<CaseResult>*)>& change) {
    auto there = read_results(folder(i) / "results.jsonl");
    ASSERT_TRUE(there);
    change_header(&there->header);
    change(&there->results);
    fs::remove_all(folder(i));
    auto records = Records::open(folder(i), there->header, nullptr);
    ASSERT_TRUE(records) << records.error().message;
    ASSERT_TRUE(records->finish(there->results));
  }
  void rewrite_header(int i, const std::function<void(ordered_json*)>& change) {
    rewrite(i, change, [](auto*) {});
  }
  void rewrite_results(
      int i, const std::function<void(std::vector<CaseResult>*)>& change) {
    rewrite(
        i, [](auto*) {}, change);
  }

  fs::path dir_;
  std::vector<cases::Case> cases_;
  std::vector<const cases::Case*> all_;
  ShardPlan plan_;
  fakes::FakeOracle oracle_;
  std::vector<JoinFault> faults_;
};

TEST_F(Joining, EqualsTheRunRecordForRecord) {
  const std::string whole = timeless(run(0));
  for (int i = 1; i <= kShards; ++i) run(i);
  EXPECT_EQ(timeless(joined()), whole);
  EXPECT_EQ(fault(), "");
  EXPECT_THAT(whole, HasSubstr("\"flaky\""));
  EXPECT_THAT(whole, HasSubstr("\"crash\""));
}

TEST_F(Joining, NamesShardsThatAreMissingOrPartial) {
  for (int i = 1; i <= kShards; ++i) run(i);
  fs::remove_all(folder(2));
  rewrite_results(3, [](auto* results) { results->resize(5); });
  joined();
  ASSERT_EQ(faults_.size(), 2u) << fault();
  EXPECT_THAT(faults_[0].text, HasSubstr("shard 2/4 is missing: "));
  EXPECT_TRUE(faults_[0].rerun);
  EXPECT_EQ(faults_[0].dir, folder(2));
  EXPECT_THAT(
      faults_[1].text,
      HasSubstr("(shard 3/4) lacks " +
                std::to_string(2 * plan_.cases_of({3, kShards}).size() - 5)));
  EXPECT_TRUE(faults_[1].rerun);
  EXPECT_EQ(faults_[1].shard, (Shard{3, 4}));
}

TEST_F(Joining, NamesResultsThatAreDoubledOrForeign) {
  for (int i = 1; i <= kShards; ++i) run(i);
  const auto other = read_results(folder(1) / "results.jsonl");
  ASSERT_TRUE(other);
  rewrite_results(2, [&](auto* results) {
    results->push_back(results->front());
    results->push_back(other->results.front());
    CaseResult nobody = results->front();
    nobody.case_path = "nobody/C1";
    results->push_back(nobody);
    nobody = results->front();
    nobody.column = "nobody/cpu";
    results->push_back(nobody);
  });
  joined();
  ASSERT_EQ(faults_.size(), 2u) << fault();
  EXPECT_THAT(faults_[0].text, HasSubstr("(shard 2/4) holds foreign results: " +
                                         other->results.front().case_path));
  EXPECT_THAT(faults_[0].text, HasSubstr("the case is one of shard 1/4"));
  EXPECT_THAT(faults_[0].text, HasSubstr("the run has no such case"));
  EXPECT_THAT(faults_[0].text, HasSubstr("the run has no such column"));
  EXPECT_THAT(faults_[1].text, HasSubstr("(shard 2/4) holds results twice: "));
}

TEST_F(Joining, RefusesShardsOfAnotherRun) {
  for (int i = 1; i <= kShards; ++i) run(i);
  struct Row {
    std::function<void(ordered_json*)> change;
    const char* message;
  };
  const Row rows[] = {
      {[](auto* h) { (*h)["spec_hash"] = "2"; }, "spec_hash was "},
      {[](auto* h) { (*h)["build"] = "c"; }, "build was "},
      {[](auto* h) { (*h)["columns"][1]["column"] = "x/cpu"; },
       "columns were "},
      {[](auto* h) { (*h)["columns"][1]["facts"]["a"] = "c"; },
       "a of column \"fake@1/cpu\" was "},
      {[](auto* h) { (*h)[kShardField]["plan"] = "0"; },
       "the plan of its shards was "},
      {[](auto* h) { (*h)[kShardField]["of"] = 5; },
       "that is shard 1/4, this is shard 2/5"},
      {[](auto* h) { (*h)[kShardField]["index"] = 3; },
       "shard 3/4 is there twice: "},
      {[](auto* h) { h->erase(kShardField); }, "no results of a shard"},
  };
  const std::string before = slurp(folder(2) / "results.jsonl");
  for (const Row& row : rows) {
    rewrite_header(2, row.change);
    joined();
    EXPECT_THAT(fault(), HasSubstr(row.message));
    EXPECT_THAT(fault(), HasSubstr("shard 2/4 is missing"));
    std::ofstream(folder(2) / "results.jsonl") << before;
  }
  // What differs without being another run.
  rewrite_header(2, [](auto* h) { (*h)["started"] = "later"; });
  joined();
  EXPECT_EQ(fault(), "");
  // One that was edited.
  std::string edited = before;
  edited.replace(edited.find("\"pass\""), 6, "\"fail\"");
  std::ofstream(folder(2) / "results.jsonl") << edited;
  joined();
  EXPECT_THAT(fault(), HasSubstr("was changed after it was written"));
}

TEST_F(Joining, JoinsRecordings) {
  run(0, true);
  for (int i = 1; i <= kShards; ++i) run(i, true);
  const auto join_them = [&] {
    faults_.clear();
    const ShardFolders shards = read_shards(folders(), &faults_);
    const Status joined =
        join_recordings(shards, all_, plan_, dir_ / "all.jsonl", &faults_);
    EXPECT_TRUE(joined) << joined.error().message;
  };
  const auto observations = [](const fs::path& file) {
    std::multiset<std::string> out;
    RecordingReader reader;
    reader.on_header = [](const ordered_json& h) {
      EXPECT_FALSE(shard_of(h));
      return success();
    };
    reader.on_observation = [&](RecordedObservation o) {
      o.observation.seconds = 0;
      out.insert(json_line(to_json(o)));
      return success();
    };
    EXPECT_TRUE(read_recording(file, reader));
    return out;
  };
  join_them();
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(observations(dir_ / "all.jsonl"),
            observations(folder(0) / kRecordingFile));
  fs::remove(dir_ / "all.jsonl");
  // One is cut short, one of another shard, one not there.
  const std::string second = slurp(folder(2) / kRecordingFile);
  std::ofstream(folder(2) / kRecordingFile)
      << second.substr(0, second.size() / 2);
  join_them();
  EXPECT_THAT(fault(), HasSubstr("(shard 2/4) has no observation of "));
  EXPECT_FALSE(fs::exists(dir_ / "all.jsonl"));
  fs::copy_file(folder(1) / kRecordingFile, folder(2) / kRecordingFile,
                fs::copy_options::overwrite_existing);
  join_them();
  EXPECT_THAT(fault(), HasSubstr("not recorded with the results there: shard"));
  fs::remove(folder(2) / kRecordingFile);
  join_them();
  EXPECT_THAT(fault(), HasSubstr("(shard 2/4) has no recording, others have"));
  EXPECT_FALSE(fs::exists(dir_ / "all.jsonl"));
}

}  // namespace
}  // namespace assay::harness
