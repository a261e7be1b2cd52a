// assay certify: runs what a level asks for, and makes a submission of it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "harness/certify/level_run.h"
#include "harness/certify/manifest.h"
#include "harness/certify/submission.h"
#include "harness/certify/verify.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/run/out_folder.h"
#include "harness/records/files.h"
#include "harness/records/identity.h"
#include "harness/records/known.h"
#include "harness/report/gate.h"
#include "harness/run/progress.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

struct CertifyOptions {
  std::string subject, level;
  fs::path statement, waivers, challenge, key, from, work, specs;
  fs::path out = "submission.assay.tar.zst";
  bool print_template = false;
  bool verbose = false;
  int jobs = 0;
  double deadline = 0;  // seconds, 0: the default
};

int print_template(const CertifyOptions& o) {
  std::string device;
  if (!o.subject.empty()) {
    const Result<std::vector<StartedColumn>> columns =
        start_columns({o.subject});
    if (!columns) return complain(columns.error().message);
    device = device_of(columns->front().identity.column);
  }
  return print(statement_template(device, o.level, today_utc()));
}

std::string usage_fault(const CertifyOptions& o) {
  if (o.statement.empty()) {
    return "--statement FILE says what is certified; assay certify "
           "--statement-template prints one to fill in";
  }
  if (o.from.empty() && o.subject.empty()) {
    return "name the product with --subject, or a run of it with --from";
  }
  if (!o.out.string().ends_with(".assay.tar.zst")) {
    return fmt::format("--out {}: its name must end in .assay.tar.zst",
                       o.out.string());
  }
  std::error_code error;
  if (fs::exists(o.out, error)) {
    return fmt::format(
        "{} is there already: remove it, or name another with "
        "--out",
        o.out.string());
  }
  const Status writable = check_writable(o.out);
  return writable.ok() ? "" : writable.error().message;
}

class Certifier {
 public:
  explicit Certifier(CertifyOptions o) : o_(std::move(o)) {
    if (o_.jobs == 0) {
      o_.jobs =
          static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    }
  }

  int run() {
    for (const Status& s : {read_statement(), open(), read_challenge(),
                            check_device(), choose_folder()}) {
      if (!s) return complain(s.error().message);
    }
    bool interrupted = false;
    if (o_.from.empty()) {
      const Status ran = run_cases(duties_, work_, &interrupted);
      if (!ran) return stopped(ran, interrupted);
    }
    std::optional<AnsweredChallenge> answered;
    if (challenge_) {
      const fs::path dir = work_ / "challenge";
      const Status ran = run_cases(asked_.duties, dir, &interrupted);
      if (!ran) return stopped(ran, interrupted);
      answered.emplace(AnsweredChallenge{challenge_text_, *challenge_,
                                         asked_.duties, dir, now_utc()});
    }
    const Result<SubmissionMade> made = make_submission(
        {*session_, o_.specs, *level_, duties_, statement_text_, statement_,
         o_.waivers, o_.from.empty() ? work_ : o_.from, o_.subject, answered,
         o_.key, o_.out});
    if (!made) return complain(made.error().message);
    return tell(*made);
  }

 private:
  // Each step needs those before it, and does nothing once one has failed.
  Status read_statement() {
    const Result<std::string> text = read_file(o_.statement);
    if (!text) return failed(text.error());
    statement_text_ = *text;
    Result<Statement> s = parse_statement(o_.statement.string(), *text);
    if (!s) return failed(s.error());
    statement_ = std::move(s.value());
    if (o_.level.empty()) o_.level = statement_.level;
    if (o_.level == statement_.level) return success();
    return failed(
        Error{fmt::format("{} states level {}, --level {}",
                          o_.statement.string(), statement_.level, o_.level)});
  }

  Status open() {
    if (failed_) return success();
    Result<std::unique_ptr<Session>> session =
        open_level_session(o_.specs, o_.level);
    if (!session) return failed(session.error());
    session_ = std::move(session.value());
    Result<Level> level = load_level(o_.specs, o_.level);
    if (!level) return failed(level.error());
    level_ = std::make_unique<Level>(std::move(level.value()));
    const auto faults = level_faults(*level_, *session_);
    if (!faults.empty()) return failed(Error{faults.front()});
    duties_ = duties_of(*level_, *session_);
    return success();
  }

  Status read_challenge() {
    if (failed_ || o_.challenge.empty()) return success();
    const Result<std::string> text = read_file(o_.challenge);
    if (!text) return failed(text.error());
    challenge_text_ = *text;
    Result<Challenge> c = parse_challenge(o_.challenge.string(), *text);
    if (!c) return failed(c.error());
    if (c->level != level_->name) {
      return failed(Error{fmt::format("{} is a challenge of level {}",
                                      o_.challenge.string(), c->level)});
    }
    Result<ChallengeDuties> asked = duties_of(*c, duties_);
    if (!asked) return failed(asked.error());
    asked_ = std::move(asked.value());
    challenge_ = std::move(c.value());
    return success();
  }

  // Before hours of a run: is this what the statement and the level speak of?
  Status check_device() {
    if (failed_) return success();
    if (!o_.from.empty()) {
      Result<std::string> subject = subject_of_run(o_.from, o_.subject);
      if (!subject) return failed(subject.error());
      o_.subject = std::move(subject.value());
    }
    const Result<std::vector<StartedColumn>> columns =
        start_columns({o_.subject});
    if (!columns) return failed(columns.error());
    const std::string device = device_of(columns->front().identity.column);
    if (device != statement_.device) {
      return failed(Error{fmt::format("{} states the device {}; {} is of {}",
                                      o_.statement.string(), statement_.device,
                                      o_.subject, device)});
    }
    return success();
  }

  Status choose_folder() {
    if (failed_ || (!o_.from.empty() && !challenge_)) return success();
    Result<fs::path> dir = choose_out_folder(o_.work, false);
    if (!dir) return failed(dir.error());
    work_ = std::move(dir.value());
    return success();
  }

  Status run_cases(const std::vector<Duty>& duties, const fs::path& dir,
                   bool* interrupted) const {
    Progress progress(duties.size(), 0, ::isatty(STDERR_FILENO) != 0);
    const LevelRun run{*session_,
                       *level_,
                       duties,
                       o_.subject,
                       dir,
                       o_.jobs,
                       std::chrono::milliseconds(
                           static_cast<std::int64_t>(o_.deadline * 1000)),
                       [&](const CaseResult& r) { progress.add(r); }};
    return run_level(run, interrupted);
  }

  int stopped(const Status& s, bool interrupted) const {
    return complain(
        fmt::format("{}\nno submission was written; what ran is in {}",
                    s.error().message, work_.string()),
        interrupted ? kIncomplete : kOurFault);
  }

  // What flushes fails in the run, and is excused only where the whole is
  // judged by what was declared.
  Result<Objections> by_declaration() const {
    const Result<SubmissionFile> file =
        open_submission(o_.out, std::uint64_t{1} << 40);
    if (!file) return file.error();
    Result<Verification> v = verify(
        *file, {*session_, o_.specs, {}, {}, {}, {}, now_utc(), o_.jobs});
    if (!v) return v.error();
    return std::move(v->objections);
  }

  int tell(SubmissionMade made) const {
    if (statement_.flush_subnormals || statement_.subnormals_are_zero) {
      Result<Objections> objections = by_declaration();
      if (!objections) return complain(objections.error().message);
      made.objections = std::move(objections.value());
    }
    std::string out = fmt::format("{}\n  {}: {}\n", o_.out.string(),
                                  made.column, made.summary);
    if (!made.challenge.empty()) {
      out += fmt::format("  challenge: {}\n", made.challenge);
    }
    if (made.objections.empty()) {
      out += fmt::format("verify it: ./assay verify {}\n", o_.out.string());
      return print(out, kConforms);
    }
    out += fmt::format("it will not be certified at level {}:\n{}",
                       level_->name, made.objections.text(o_.verbose));
    return print(out,
                 made.objections.only_ours() ? kOurFault : kDoesNotConform);
  }

  Status failed(Error error) {
    failed_ = true;
    return error;
  }

  CertifyOptions o_;
  bool failed_ = false;
  std::string statement_text_;
  Statement statement_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Level> level_;  // duties point into it
  std::vector<Duty> duties_;
  std::string challenge_text_;
  std::optional<Challenge> challenge_;
  ChallengeDuties asked_;
  fs::path work_;
};

int certify(const CertifyOptions& o) {
  if (o.print_template) return print_template(o);
  if (const std::string fault = usage_fault(o); !fault.empty()) {
    return complain(fault);
  }
  return Certifier(o).run();
}

}  // namespace

void add_certify_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<CertifyOptions>();
  CLI::App* c = app.add_subcommand(
      "certify",
      "Run what a level asks for, and write a submission that `assay verify` "
      "believes nothing of. Exit code 1: it will not be certified.");
  c->add_option("--subject", o->subject, "the product, as for `assay run`")
      ->type_name("S");
  c->add_option("--level", o->level,
                "elementwise, core, extended or full (specs/levels); default: "
                "what the statement says")
      ->type_name("L");
  c->add_option("--statement", o->statement, "what is certified, YAML")
      ->type_name("FILE");
  c->add_flag("--statement-template", o->print_template,
              "print a statement to fill in, and do nothing else");
  c->add_option("--from", o->from,
                "take a run that is there: its results.jsonl and recording")
      ->type_name("DIR");
  c->add_option("--challenge", o->challenge,
                "also answer a challenge that a verifier issued")
      ->type_name("FILE");
  c->add_option("--waivers", o->waivers,
                "failures to be forgiven, as a list of known failures")
      ->type_name("FILE");
  c->add_option("--key", o->key, "sign it with this OpenSSH key")
      ->type_name("FILE");
  c->add_option("--out", o->out, "the submission")
      ->capture_default_str()
      ->type_name("FILE");
  c->add_option("--work", o->work, "folder for the run; default out/run-TIME")
      ->type_name("DIR");
  c->add_option("--jobs,-j", o->jobs, "workers at a time, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  c->add_option("--deadline", o->deadline, "seconds for one program")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  c->add_flag("--all", o->verbose, "print all that it would be refused for");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = certify(*o); });
}

}  // namespace assay::harness
