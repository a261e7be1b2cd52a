#include "harness/commands/shards/submit_scripts.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/records/recording.h"
#include "harness/report/report.h"

namespace assay::harness {
namespace {

std::string quoted(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += " " + shell_quoted(w);
  return out;
}

std::string directive(const std::string& option) {
  return fmt::format("#SBATCH {}\n", option);
}

// The nodes see what the submitting shell saw, whatever the cluster exports.
std::string setting(const SlurmJob& job) {
  std::string out =
      fmt::format("cd {} || exit 2\n", shell_quoted(job.directory.string()));
  for (const auto& [name, value] : job.environment) {
    out += fmt::format("export {}={}\n", name, shell_quoted(value));
  }
  return out;
}

std::string common(const SlurmJob& job, const std::string& name,
                   const std::string& log) {
  std::string out = "#!/bin/sh\n";
  out += directive("--job-name=" + name);
  out += directive("--output=" + (job.folder / log).string());
  if (!job.partition.empty()) out += directive("--partition=" + job.partition);
  return out;
}

bool names_jobs(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& w) {
    return w.starts_with("--jobs") || w.starts_with("-j");
  });
}

}  // namespace

std::string shard_script(const SlurmJob& job) {
  std::string out = common(job, "assay", "shard-%a.log");
  out += directive(fmt::format("--array=1-{}", job.shards));
  // A task whose node is lost begins again elsewhere, and goes on.
  out += directive("--requeue");
  out += directive("--open-mode=append");
  if (job.cpus > 0)
    out += directive(fmt::format("--cpus-per-task={}", job.cpus));
  if (!job.time.empty()) out += directive("--time=" + job.time);
  out += setting(job);
  const std::string folder =
      fmt::format("{}\"$SLURM_ARRAY_TASK_ID\"",
                  shell_quoted(job.shard_folder("").string()));
  out += fmt::format("exec {} run{} \\\n", shell_quoted(job.program.string()),
                     quoted(job.run));
  if (!names_jobs(job.run)) {
    out += "  --jobs \"${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}\" \\\n";
  }
  out += fmt::format(
      "  --shard \"$SLURM_ARRAY_TASK_ID/{}\" {}--resume --out {}\n", job.shards,
      job.record ? fmt::format("--record {}/{} ", folder, kRecordingFile) : "",
      folder);
  return out;
}

std::string merge_script(const SlurmJob& job) {
  std::string out = common(job, "assay-merge", "merge.log");
  out += setting(job);
  out += fmt::format("exec {} merge{} --out {}",
                     shell_quoted(job.program.string()), quoted(job.merge),
                     shell_quoted(job.merged().string()));
  for (int i = 1; i <= job.shards; ++i) {
    out +=
        " \\\n  " + shell_quoted(job.shard_folder(std::to_string(i)).string());
  }
  return out + "\n";
}

std::vector<std::string> submit_shards(const SlurmJob& job) {
  return {"sbatch", "--parsable", job.shard_script().string()};
}

// Any end will do: the merge names what is missing.
std::vector<std::string> submit_merge(const SlurmJob& job,
                                      const std::string& id) {
  return {"sbatch", "--parsable", "--dependency=afterany:" + id,
          job.merge_script().string()};
}

}  // namespace assay::harness
