// The jobs of a run on a Slurm cluster, as text: an array of shards, and the
// merge that waits for all of them however they end.
#ifndef ASSAY_HARNESS_COMMANDS_SHARDS_SUBMIT_SCRIPTS_H_
#define ASSAY_HARNESS_COMMANDS_SHARDS_SUBMIT_SCRIPTS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::harness {

struct SlurmJob {
  std::filesystem::path folder;     // absolute; all nodes see it
  std::filesystem::path program;    // `assay` itself, absolute
  std::filesystem::path directory;  // that relative words are meant from
  std::map<std::string, std::string> environment;  // ASSAY_*
  int shards = 1;
  std::string partition;  // empty: the cluster's default
  int cpus = 0;           // for each shard; 0: the cluster's default
  std::string time;       // limit of each shard, as Slurm spells it, or empty
  bool record = false;
  std::vector<std::string> run;    // words of `assay run`
  std::vector<std::string> merge;  // words of `assay merge`

  std::filesystem::path shard_folder(const std::string& index) const {
    return folder / ("shard-" + index);
  }
  std::filesystem::path shard_script() const { return folder / "shard.sh"; }
  std::filesystem::path merge_script() const { return folder / "merge.sh"; }
  std::filesystem::path merged() const { return folder / "merged"; }
};

// Runs the shard of the array's task. Started again (a requeued task is), it
// goes on with what is there.
std::string shard_script(const SlurmJob& job);

// Joins the shards.
std::string merge_script(const SlurmJob& job);

// The words that submit them; the merge after the array's job `id`.
std::vector<std::string> submit_shards(const SlurmJob& job);
std::vector<std::string> submit_merge(const SlurmJob& job,
                                      const std::string& id);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_SHARDS_SUBMIT_SCRIPTS_H_
