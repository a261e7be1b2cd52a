// Submissions of the negation worker at the tiny levels of testing/specs, made
// once for all tests, and verified in this process.
#ifndef ASSAY_HARNESS_CERTIFY_TESTING_FIXTURE_H_
#define ASSAY_HARNESS_CERTIFY_TESTING_FIXTURE_H_

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/process.h"
#include "harness/certify/challenge.h"
#include "harness/certify/level_run.h"
#include "harness/certify/signature.h"
#include "harness/certify/submission.h"
#include "harness/certify/testing/forge.h"
#include "harness/certify/verify.h"
#include "harness/records/files.h"
#include "harness/records/identity.h"
#include "harness/records/known.h"

namespace assay::harness::testing {

namespace fs = std::filesystem;

// What `assay verify` would say, and its exit code.
struct Told {
  int code = 0;
  std::string text;
};

// How the verifier asks.
struct Asked {
  fs::path allowed_signers, challenge, ledger;
  std::vector<fs::path> programs;
  std::string now = now_utc();
  std::uint64_t most_bytes = forge::kPlenty;
};

// What all tests share.
struct Workshop {
  fs::path dir;
  fs::path specs = ASSAY_SOURCE_DIR "/harness/certify/testing/specs";
  std::unique_ptr<Session> session;
  fs::path good, bad, lenient_bad, is_signed, answered;  // submissions
  fs::path key, other_key, allowed;
  fs::path challenge, other_challenge;

  Workshop() {
    dir = fs::path(::testing::TempDir()) /
          ("certify-" + std::to_string(::getpid()));
    fs::remove_all(dir);
    fs::create_directories(dir);
    session = std::move(open_session(specs).value());
    const std::string right = worker("right", "");
    const std::string wrong = worker("wrong", "--wrong 3");
    good = make("good", "tiny", right);
    bad = make("bad", "tiny", wrong);
    lenient_bad = make("lenient_bad", "lenient", wrong);
    key = make_key("key");
    other_key = make_key("other_key");
    allowed = dir / "allowed";
    std::ofstream(allowed) << "vendor@example.com "
                           << *read_file(key.string() + ".pub");
    is_signed = make("signed", "tiny", right, key);
    challenge = issue("challenge.json");
    other_challenge = issue("other_challenge.json");
    answered = make("answered", "tiny", right, {}, challenge);
  }
  ~Workshop() {
    std::error_code error;
    fs::remove_all(dir, error);
  }

  std::string worker(const std::string& name, const std::string& arguments) {
    const fs::path file = dir / name;
    std::ofstream(file) << "#!/bin/sh\nexec " ASSAY_BINARY_DIR
                           "/bin/negation_worker "
                        << arguments << " \"$@\"\n";
    ::chmod(file.c_str(), 0700);
    return "worker:" + file.string();
  }

  // Of a worker that flushes so, with a statement that declares it.
  fs::path make_flushing(const std::string& how) {
    const std::string subject = worker("flushes_" + how, "--flush " + how);
    return make(how, "lenient", subject, {}, {},
                "declarations: {flush_subnormals: true}\n");
  }

  static std::string statement(const std::string& level) {
    return "vendor: Example\nproduct: negator\nversion: '1.0'\ndevice: cpu\n"
           "level: " +
           level + "\ndate: " + today_utc() + "\n";
  }

  fs::path make_key(const std::string& name) {
    const fs::path file = dir / name;
    run_process({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name,
                 "-f", file.string()});
    return file;
  }

  fs::path issue(const std::string& name) {
    const Level level = load_level(specs, "tiny").value();
    const auto duties = duties_of(level, *session);
    const auto oracle = live_oracle(session->specs);
    const Adjudicator adjudicator(*oracle, reference::Numerics::fused,
                                  &session->specs);
    Challenge c;
    c.nonce = fresh_nonce().value();
    c.level = "tiny";
    c.specs = sha256_of_specs(specs).value();
    EXPECT_TRUE(choose_cases(duties, adjudicator, 6, 1, &c).ok());
    c.issued = now_utc();
    std::ofstream(dir / name) << to_text(c);
    return dir / name;
  }

  // The folder of a run, which takes a fraction of a second.
  fs::path make(const std::string& name, const std::string& level_name,
                const std::string& subject, const fs::path& with_key = {},
                const fs::path& with_challenge = {},
                const std::string& declared = {}) {
    const Level level = load_level(specs, level_name).value();
    const std::vector<Duty> duties = duties_of(level, *session);
    const fs::path run = dir / (name + ".run");
    bool interrupted = false;
    Status done =
        run_level({*session, level, duties, subject, run}, &interrupted);
    EXPECT_TRUE(done.ok());
    SubmissionRequest q{*session,
                        specs,
                        level,
                        duties,
                        statement(level_name) + declared,
                        {},
                        {},
                        run,
                        "",
                        {},
                        with_key,
                        dir / (name + ".assay.tar.zst")};
    q.statement = parse_statement("s", q.statement_text).value();
    ChallengeDuties asked;
    if (!with_challenge.empty()) {
      const std::string text = read_file(with_challenge).value();
      const Challenge c = parse_challenge("c", text).value();
      asked = duties_of(c, duties).value();
      done =
          run_level({*session, level, asked.duties, subject, run / "challenge"},
                    &interrupted);
      EXPECT_TRUE(done.ok());
      q.challenge.emplace(AnsweredChallenge{text, c, asked.duties,
                                            run / "challenge", now_utc()});
    }
    const Result<SubmissionMade> made = make_submission(q);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return q.out;
  }

  Told verify_file(const fs::path& file, const Asked& asked = {}) const {
    const Result<SubmissionFile> opened =
        open_submission(file, asked.most_bytes);
    if (!opened) return {2, opened.error().message};
    const Result<Verification> v = verify(
        *opened, {*session, specs, asked.allowed_signers, asked.challenge,
                  asked.ledger, asked.programs, asked.now, 1});
    if (!v) return {2, v.error().message};
    std::string text = v->objections.text(true);
    for (const std::string& fact : v->facts) text += fact + "\n";
    return {v->objections.empty() ? 0 : 1, text};
  }
};

// Made by the first test that asks.
class Certification : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shop_ = std::make_unique<Workshop>(); }
  static void TearDownTestSuite() { shop_.reset(); }
  static Workshop& shop() { return *shop_; }

  static inline std::unique_ptr<Workshop> shop_;
};

}  // namespace assay::harness::testing

#endif  // ASSAY_HARNESS_CERTIFY_TESTING_FIXTURE_H_
