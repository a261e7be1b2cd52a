// The jobs that `assay submit` writes, and what it says where it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/commands/shards/submit_scripts.h"
#include "harness/testing/command.h"
#include "harness/testing/variable.h"

namespace assay::harness {
namespace {

using testing::CommandResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

SlurmJob job() {
  SlurmJob j;
  j.folder = "/shared/run";
  j.program = "/opt/assay/bin/assay";
  j.directory = "/home/me";
  j.environment = {{"ASSAY_CACHE", "/shared/my cache"}};
  j.shards = 3;
  j.partition = "gpu";
  j.cpus = 4;
  j.time = "1:00:00";
  j.record = true;
  j.run = {"exp", "cast_*", "--profile", "full"};
  j.merge = {"--junit", "r.xml"};
  return j;
}

TEST(SubmitScripts, ShardsAreAnArrayThatIsRequeuedAndGoesOn) {
  EXPECT_EQ(
      shard_script(job()),
      "#!/bin/sh\n"
      "#SBATCH --job-name=assay\n"
      "#SBATCH --output=/shared/run/shard-%a.log\n"
      "#SBATCH --partition=gpu\n"
      "#SBATCH --array=1-3\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --cpus-per-task=4\n"
      "#SBATCH --time=1:00:00\n"
      "cd /home/me || exit 2\n"
      "export ASSAY_CACHE='/shared/my cache'\n"
      "exec /opt/assay/bin/assay run exp 'cast_*' --profile full \\\n"
      "  --jobs \"${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}\" \\\n"
      "  --shard \"$SLURM_ARRAY_TASK_ID/3\" "
      "--record /shared/run/shard-\"$SLURM_ARRAY_TASK_ID\"/recording.jsonl "
      "--resume --out /shared/run/shard-\"$SLURM_ARRAY_TASK_ID\"\n");
  SlurmJob plain = job();
  plain.partition.clear();
  plain.cpus = 0;
  plain.time.clear();
  plain.record = false;
  plain.run = {"exp", "-j", "2"};
  const std::string text = shard_script(plain);
  for (const char* none :
       {"--partition", "--cpus-per-task", "--time", "--record", "--jobs"}) {
    EXPECT_THAT(text, Not(HasSubstr(none)));
  }
}

TEST(SubmitScripts, TheMergeNamesAllShardsAndWaitsForAnyEnd) {
  EXPECT_EQ(merge_script(job()),
            "#!/bin/sh\n"
            "#SBATCH --job-name=assay-merge\n"
            "#SBATCH --output=/shared/run/merge.log\n"
            "#SBATCH --partition=gpu\n"
            "cd /home/me || exit 2\n"
            "export ASSAY_CACHE='/shared/my cache'\n"
            "exec /opt/assay/bin/assay merge --junit r.xml "
            "--out /shared/run/merged \\\n"
            "  /shared/run/shard-1 \\\n"
            "  /shared/run/shard-2 \\\n"
            "  /shared/run/shard-3\n");
  EXPECT_THAT(submit_merge(job(), "17"),
              ElementsAre("sbatch", "--parsable", "--dependency=afterany:17",
                          "/shared/run/merge.sh"));
}

class Submit : public ::testing::Test {
 protected:
  Submit() {
    dir_ = fs::path(::testing::TempDir()) / "submit" /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~Submit() override { fs::remove_all(dir_); }

  CommandResult submit(std::vector<std::string> words) const {
    words.insert(words.begin(), {ASSAY_BINARY_DIR "/bin/assay", "submit"});
    testing::CommandOptions options;
    options.directory = dir_;
    return run_command(words, options);
  }
  // An sbatch that notes how it was called and answers `answer`.
  void put_sbatch(const std::string& answer) const {
    std::ofstream(dir_ / "sbatch")
        << "#!/bin/sh\necho \"$@\" >>'" << dir_.string() << "/calls'\n"
        << answer << "\n";
    fs::permissions(dir_ / "sbatch", fs::perms::owner_all);
  }
  fs::path dir_;
};

TEST_F(Submit, WritesScriptsThatAShellTakes) {
  const std::string specs = ASSAY_SOURCE_DIR "/specs";
  const CommandResult r =
      submit({"--slurm", "--dry-run", "--shards", "2", "--out", "o", "exp",
              "--profile", "full", "--subject", "torch:inductor{\"a\":true}",
              "--no-known", "--junit", "r.xml", "--specs", specs});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("--dependency=afterany:ID"));
  const std::string shard = slurp(dir_ / "o" / "shard.sh");
  EXPECT_THAT(shard, HasSubstr(" run exp --profile full --subject "
                               "'torch:inductor{\"a\":true}' --specs " +
                               specs + " --no-known \\\n"));
  EXPECT_THAT(shard, Not(HasSubstr("r.xml")));
  const std::string merge = slurp(dir_ / "o" / "merge.sh");
  EXPECT_THAT(merge, HasSubstr("/specs --no-known --junit r.xml --out "));
  for (const char* script : {"o/shard.sh", "o/merge.sh"}) {
    EXPECT_EQ(
        run_command({"/bin/sh", "-n", (dir_ / script).string()}, {}).exit_code,
        0);
  }
}

TEST_F(Submit, SaysWhatIsWrongBeforeAnythingIsSubmitted) {
  struct Row {
    std::vector<std::string> words;
    const char* message;
  };
  const Row rows[] = {
      {{"exp"}, "name the kind of cluster: --slurm"},
      {{"--slurm", "--shards", "0"}, "--shards"},
      {{"--slurm", "--shard", "1/2"}, "--shard is for the jobs to say"},
      {{"--slurm", "--resume"}, "--resume is for the jobs to say"},
      {{"--slurm", "exp", "--profil", "full"}, "--profil"},
      {{"--slurm", "--profile", "slow"}, "slow"},
      {{"--slurm", "--partition", "a b"}, "'a b' has characters"},
      {{"--slurm", "--out", "my folder"}, "my folder' has characters"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> words = row.words;
    if (words.back() != "my folder") words.insert(words.end(), {"--out", "o"});
    words.push_back("--dry-run");
    const CommandResult r = submit(words);
    EXPECT_EQ(r.exit_code, 2) << row.message;
    EXPECT_THAT(r.err, HasSubstr(row.message));
    EXPECT_TRUE(fs::is_empty(dir_)) << row.message;
  }
}

TEST_F(Submit, CallsSbatchTwice) {
  const Variable path("PATH", dir_.string() + ":/usr/bin:/bin");
  put_sbatch("echo '41;cluster'");
  const CommandResult r = submit({"--slurm", "--out", "o", "exp"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("job 41: 8 shards; job 41: their merge"));
  const std::string o = (fs::canonical(dir_) / "o").string();
  EXPECT_EQ(slurp(dir_ / "calls"), "--parsable " + o +
                                       "/shard.sh\n--parsable "
                                       "--dependency=afterany:41 " +
                                       o + "/merge.sh\n");
}

TEST_F(Submit, SaysWhatSbatchSays) {
  {
    const Variable path("PATH", dir_.string());
    const CommandResult r = submit({"--slurm", "--out", "o", "exp"});
    EXPECT_EQ(r.exit_code, 3);
    EXPECT_THAT(r.err, HasSubstr("sbatch is not on PATH"));
  }
  const Variable path("PATH", dir_.string() + ":/usr/bin:/bin");
  put_sbatch("echo 'sbatch: error: invalid partition' >&2; exit 1");
  const CommandResult r = submit({"--slurm", "--out", "o", "exp"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr("exit 1: sbatch: error: invalid partition"));
}

}  // namespace
}  // namespace assay::harness
