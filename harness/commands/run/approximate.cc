// assay approximate: what this machine's GPU gives for the instructions whose
// bits the ISA leaves open.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/process.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/subject/gpu.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

struct ApproximateOptions {
  std::vector<std::string> instructions;
  std::string target = "cuda";
  std::filesystem::path tables, summaries;
  std::uint64_t first = 0, count = 0;
  unsigned jobs = 0;
};

// The worker, which alone sees the driver, takes this process's place.
int approximate(const ApproximateOptions& o) {
  if (o.target != "cuda") {
    return complain(
        fmt::format("--target {}: only the target cuda, this machine's GPU, "
                    "has results of its own",
                    o.target));
  }
  const Result<std::string> worker = find_program(kCudaWorker);
  if (!worker) return complain(worker.error().message);
  const std::filesystem::path summaries =
      !o.summaries.empty() ? o.summaries
      : in_bundle()        ? out_root() / "approximate"
                           : home() / "results" / "approximate";
  const unsigned jobs =
      o.jobs != 0 ? o.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> words = {*worker,
                                    "--record",
                                    o.tables.string(),
                                    summaries.string(),
                                    std::to_string(jobs),
                                    std::to_string(o.first),
                                    std::to_string(o.count)};
  words.insert(words.end(), o.instructions.begin(), o.instructions.end());
  execv(words[0].c_str(), argument_pointers(words).data());
  return complain(
      fmt::format("cannot execute {}: {}", words[0], std::strerror(errno)));
}

}  // namespace

void add_approximate_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ApproximateOptions>();
  CLI::App* c = app.add_subcommand(
      "approximate",
      "Record what this machine's GPU gives for every input of the approximate "
      "PTX instructions, for columns without a GPU. Goes on where it was "
      "stopped.");
  c->add_option("INSTRUCTION", o->instructions,
                "ex2.approx.ftz.f32, say; default all of one operand in f32, "
                "f16 and bf16");
  c->add_option("--target", o->target, "cuda")->capture_default_str();
  c->add_option("--tables", o->tables,
                "folder of the results; default approximate/ in the cache")
      ->type_name("DIR");
  c->add_option("--summaries", o->summaries,
                "folder of what to commit; default results/approximate")
      ->type_name("DIR");
  c->add_option("--first", o->first,
                "first input, as a number that is a multiple of 65536")
      ->type_name("N");
  c->add_option("--count", o->count, "how many inputs, default all")
      ->type_name("N");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  c->callback([=] { *exit_code = approximate(*o); });
}

}  // namespace assay::harness
