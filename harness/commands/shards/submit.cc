// assay submit: a run as jobs of a cluster, an array of shards and their merge.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/process.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/run/out_folder.h"
#include "harness/commands/shards/submit_scripts.h"
#include "harness/records/files.h"
#include "harness/records/shard.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
  bool slurm = false;
  bool dry_run = false;
  fs::path out;
  SlurmJob job;
};

// Words of `run` that the jobs give themselves.
Status check_words(const std::vector<std::string>& words, int shards) {
  for (const std::string& w : words) {
    const std::string option = w.substr(0, w.find('='));
    for (const char* ours : {"--shard", "--resume", "--out", "--record"}) {
      if (option == ours) {
        return Error{fmt::format("{} is for the jobs to say", ours)};
      }
    }
  }
  // As `run` itself would take them: a job that cannot start is found here.
  CLI::App app;
  int unused = 0;
  add_run_command(app, &unused);
  // All is read by then, and nothing has run.
  app.parse_complete_callback([] { throw CLI::Success(); });
  std::vector<std::string> line = {"run"};
  line.insert(line.end(), words.begin(), words.end());
  line.push_back(fmt::format("--shard=1/{}", shards));
  std::reverse(line.begin(), line.end());
  try {
    app.parse(line);
  } catch (const CLI::Success&) {
    return success();
  } catch (const CLI::ParseError& e) {
    return Error{
        fmt::format("assay run {}: {}", fmt::join(words, " "), e.what())};
  }
  return Error{"assay run was not checked"};
}

// A directive of a script is one line that nothing quotes.
Status check_directives(const SlurmJob& job) {
  for (const std::string& word :
       {job.folder.string(), job.partition, job.time}) {
    const bool plain =
        std::all_of(word.begin(), word.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 ||
                 std::string_view("/._-+,:@=").find(static_cast<char>(c)) !=
                     std::string_view::npos;
        });
    if (plain) continue;
    return Error{fmt::format(
        "'{}' has characters that a Slurm script cannot name: letters, digits "
        "and /._-+,:@= will do",
        word)};
  }
  return success();
}

std::map<std::string, std::string> our_variables() {
  std::map<std::string, std::string> out;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view text = *at;
    const std::size_t equals = text.find('=');
    if (!text.starts_with("ASSAY_") || equals == std::string_view::npos) {
      continue;
    }
    out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

Result<std::string> sbatch(const std::vector<std::string>& words) {
  const Finished done = run_process(words);
  if (!done.started()) {
    return Error{
        "sbatch is not on PATH: this needs a machine of a Slurm cluster "
        "(Debian: slurm-client); --dry-run only writes the scripts"};
  }
  std::string text = done.output;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::string last = text.substr(text.rfind('\n') + 1);
  const std::string id = last.substr(0, last.find(';'));
  const bool number =
      !id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char c) {
        return std::isdigit(c) != 0;
      });
  if (done.exit_code == 0 && number) return id;
  return Error{fmt::format("{}: exit {}: {}", fmt::join(words, " "),
                           done.exit_code, text)};
}

int submit(SubmitOptions o) {
  SlurmJob& job = o.job;
  if (!o.slurm) return complain("name the kind of cluster: --slurm");
  const Status words = check_words(job.run, job.shards);
  if (!words) return complain(words.error().message);
  const Result<fs::path> folder = choose_out_folder(o.out, false);
  if (!folder) return complain(folder.error().message);
  std::error_code error;
  job.folder = fs::absolute(*folder, error).lexically_normal();
  job.directory = fs::current_path(error);
  job.program = fs::read_symlink("/proc/self/exe", error);
  job.environment = our_variables();
  const Status plain = check_directives(job);
  if (!plain) return complain(plain.error().message);
  if (fs::exists(job.merged() / "results.jsonl", error)) {
    return complain(fmt::format("{} is merged already: name another --out",
                                job.folder.string()));
  }
  fs::create_directories(job.folder, error);
  if (error) {
    return complain(fmt::format("{}: {}", job.folder.string(), error.message()),
                    3);
  }
  for (const auto& [file, text] :
       {std::pair(job.shard_script(), shard_script(job)),
        std::pair(job.merge_script(), merge_script(job))}) {
    const Status written = replace_file(file, text);
    if (!written) return complain(written.error().message, 3);
    fs::permissions(file, fs::perms::owner_exec, fs::perm_options::add, error);
  }
  if (o.dry_run) {
    return print(fmt::format("{}\n{}\n", fmt::join(submit_shards(job), " "),
                             fmt::join(submit_merge(job, "ID"), " ")));
  }
  const Result<std::string> shards = sbatch(submit_shards(job));
  if (!shards) return complain(shards.error().message, 3);
  const Result<std::string> merge = sbatch(submit_merge(job, *shards));
  if (!merge) {
    return complain(
        fmt::format("{}\nthe shards run as job {}; when they have ended: {}",
                    merge.error().message, *shards,
                    job.merge_script().string()),
        3);
  }
  return print(fmt::format(
      "job {}: {} shards; job {}: their merge, into {}\n"
      "what they say stands in {}/*.log; `squeue -j {},{}` says how far they "
      "are\n",
      *shards, job.shards, *merge, job.merged().string(), job.folder.string(),
      *shards, *merge));
}

}  // namespace

void add_submit_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<SubmitOptions>();
  CLI::App* c = app.add_subcommand(
      "submit",
      "Submit a run to a cluster: an array of shards, and their merge. What is "
      "not said here are words of `assay run`.");
  c->allow_extras();
  SlurmJob* job = &o->job;
  c->add_flag("--slurm", o->slurm, "to Slurm, with sbatch");
  c->add_option("--shards", job->shards, "how many; default 8")
      ->check(CLI::Range(1, kMostShards))
      ->type_name("N");
  job->shards = 8;
  c->add_option("--partition", job->partition, "where they run")
      ->type_name("P");
  c->add_option("--cpus", job->cpus, "cores of each shard")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  c->add_option("--time", job->time, "limit of each shard, as sbatch takes it")
      ->type_name("TIME");
  c->add_option("--out", o->out,
                "a folder that all nodes see; default out/run-TIME")
      ->type_name("DIR");
  c->add_flag("--record", job->record, "record all observations");
  c->add_flag("--dry-run", o->dry_run, "write the scripts, submit nothing");
  // What both take, and what only the whole run can have.
  struct Shared {
    std::string specs, known, junit, markdown, baseline;
    bool no_known = false;
  };
  auto shared = std::make_shared<Shared>();
  c->add_option("--specs", shared->specs, "folder of specs")->type_name("DIR");
  c->add_option("--known", shared->known, "folder of known failures")
      ->type_name("DIR");
  c->add_flag("--no-known", shared->no_known,
              "judge as if results/known were empty");
  c->add_option("--junit", shared->junit, "of the merge")->type_name("FILE");
  c->add_option("--markdown", shared->markdown, "of the merge")
      ->type_name("FILE");
  c->add_option("--baseline", shared->baseline, "of the merge")
      ->type_name("FILE");
  c->callback([=] {
    job->run = c->remaining();
    const auto give = [](const char* name, const std::string& value,
                         std::vector<std::string>* to) {
      if (!value.empty()) to->insert(to->end(), {name, value});
    };
    for (auto* words : {&job->run, &job->merge}) {
      give("--specs", shared->specs, words);
      give("--known", shared->known, words);
      if (shared->no_known) words->push_back("--no-known");
    }
    give("--junit", shared->junit, &job->merge);
    give("--markdown", shared->markdown, &job->merge);
    give("--baseline", shared->baseline, &job->merge);
    *exit_code = submit(*o);
  });
}

}  // namespace assay::harness
