// assay verify: is a submission what it says, and is that enough?
#include "harness/certify/verify.h"

#include <fmt/format.h>

#include <memory>
#include <new>

#include "harness/certify/challenge.h"
#include "harness/certify/memory.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/files.h"
#include "harness/records/identity.h"
#include "harness/report/gate.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

struct VerifyOptions {
  fs::path file, allowed_signers, challenge, ledger, specs;
  std::vector<fs::path> programs;
  std::string received;
  bool all = false;
  int jobs = 0;
  std::uint64_t memory = 4096;    // MiB
  std::uint64_t max_size = 8192;  // MiB, unpacked
};

int tell(const VerifyOptions& o, const Verification& v) {
  std::string out;
  const std::string product = v.product.empty() ? o.file.string() : v.product;
  int code = kConforms;
  if (v.objections.empty()) {
    out = fmt::format("certified: {}, level {}\n", product, v.level);
  } else if (v.objections.only_ours()) {
    code = kOurFault;
    out = fmt::format("not decided: {}\n", product);
  } else {
    code = kDoesNotConform;
    out = fmt::format("not certified: {}\n", product);
  }
  out += v.objections.text(o.all);
  if (!v.objections.empty() && !v.facts.empty()) out += "what else was seen:\n";
  for (const std::string& fact : v.facts) out += fmt::format("  {}\n", fact);
  return print(out, code);
}

int judge_file(const VerifyOptions& o) {
  const Result<SubmissionFile> file = open_submission(o.file, o.max_size << 20);
  if (!file) return complain(file.error().message);
  const Result<std::unique_ptr<Session>> session =
      open_level_session(o.specs, file->manifest.level);
  if (!session) return complain(session.error().message);
  const Result<Verification> v =
      verify(*file, {**session, o.specs, o.allowed_signers, o.challenge,
                     o.ledger, o.programs, o.received, o.jobs});
  if (!v) {
    return complain(fmt::format("{}: {}", o.file.string(), v.error().message));
  }
  return tell(o, *v);
}

int verify_file(VerifyOptions o) {
  if (o.received.empty()) o.received = now_utc();
  if (!parse_time(o.received)) {
    return complain("--received is a time like 2026-10-01T12:00:00Z");
  }
  if (o.ledger.empty()) o.ledger = out_root() / "challenges.jsonl";
  if (!o.challenge.empty()) {
    std::error_code error;
    fs::create_directories(fs::absolute(o.ledger).parent_path(), error);
    const Status writable = check_writable(o.ledger);
    if (!writable) return complain(writable.error().message);
  }
  const Status limited = limit_memory(o.memory);
  if (!limited) return complain(limited.error().message);
  try {
    return judge_file(o);
  } catch (const std::bad_alloc&) {
    return complain(
        fmt::format("{}: more than {} MiB of memory are needed; "
                    "--memory allows more",
                    o.file.string(), o.memory));
  }
}

}  // namespace

void add_verify_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<VerifyOptions>();
  CLI::App* c = app.add_subcommand(
      "verify",
      "Judge a submission of `assay certify` anew, believing nothing in it. "
      "Exit code 0: certified; 1: not; 2: no submission, or of other specs.");
  c->add_option("FILE", o->file, "NAME.assay.tar.zst")->required();
  c->add_option("--allowed-signers", o->allowed_signers,
                "who may have signed it, a file as ssh-keygen(1) describes "
                "ALLOWED SIGNERS; then it must be signed")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  c->add_option("--challenge", o->challenge,
                "the challenge that was issued; then it must be answered")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  c->add_option("--ledger", o->ledger,
                "where answered challenges are noted; default "
                "out/challenges.jsonl")
      ->type_name("FILE");
  c->add_option("--received", o->received,
                "when the submission came, 2026-10-01T12:00:00Z; default now")
      ->type_name("TIME");
  c->add_option("--program", o->programs,
                "a plugin or worker of the product that must be among those "
                "that were run")
      ->allow_extra_args(false)
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  c->add_flag("--all", o->all, "print all that is missing or false");
  c->add_option("--memory", o->memory, "MiB that may be used")
      ->capture_default_str()
      ->check(CLI::Range(256, 1 << 20))
      ->type_name("MIB");
  c->add_option("--max-size", o->max_size, "MiB that are unpacked, at most")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("MIB");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = verify_file(*o); });
}

}  // namespace assay::harness
