// assay challenge: cases whose answers nobody can have worked out before.
#include "harness/certify/challenge.h"

#include <fmt/format.h>

#include <memory>

#include "harness/certify/digest.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/identity.h"

namespace assay::harness {
namespace {

struct ChallengeOptions {
  std::string level = "core";
  int count = 0;  // 0: as the level says
  std::int64_t within = 0;
  int jobs = 0;
  std::filesystem::path specs;
};

int challenge(const ChallengeOptions& o) {
  const Result<std::unique_ptr<Session>> session =
      open_level_session(o.specs, o.level);
  if (!session) return complain(session.error().message);
  const Result<Level> level = load_level(o.specs, o.level);
  if (!level) return complain(level.error().message);
  const Result<std::string> specs = sha256_of_specs(o.specs);
  if (!specs) return complain(specs.error().message);
  const Result<std::string> nonce = fresh_nonce();
  if (!nonce) return complain(nonce.error().message);
  Challenge c;
  c.nonce = *nonce;
  c.level = level->name;
  c.specs = *specs;
  c.within = o.within;
  const auto oracle = live_oracle((*session)->specs);
  const Adjudicator adjudicator(*oracle,
                                level->numerics == "strict"
                                    ? reference::Numerics::strict
                                    : reference::Numerics::fused,
                                &(*session)->specs);
  const int count = o.count > 0 ? o.count : level->challenge_cases;
  const Status chosen =
      choose_cases(duties_of(*level, **session), adjudicator,
                   static_cast<std::size_t>(count), o.jobs, &c);
  if (!chosen) return complain(chosen.error().message);
  // Not before it is complete: nobody has seen the nonce until now.
  c.issued = now_utc();
  return print(to_text(c));
}

}  // namespace

void add_challenge_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ChallengeOptions>();
  CLI::App* c = app.add_subcommand(
      "challenge",
      "Issue a challenge: print cases whose inputs hang on a fresh random "
      "number, for `assay certify --challenge`.");
  c->add_option("--level", o->level, "the level that is asked for")
      ->capture_default_str()
      ->type_name("L");
  c->add_option("--cases", o->count, "how many; default as the level says")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  c->add_option("--within", o->within,
                "seconds in which the submission must be here; default any "
                "time")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->type_name("SECONDS");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = challenge(*o); });
}

}  // namespace assay::harness
