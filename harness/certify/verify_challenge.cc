#include "harness/certify/verify_challenge.h"

#include <fmt/format.h>

#include "harness/certify/assess.h"
#include "harness/certify/records_check.h"
#include "harness/records/files.h"
#include "harness/run/pack.h"

namespace assay::harness {
namespace {

class ChallengeVerifier {
 public:
  ChallengeVerifier(const ChallengeCheck& check, Verification* out)
      : c_(check), m_(check.file.manifest), out_(out) {}

  void run() {
    const bool asked = !c_.request.challenge.empty();
    if (c_.file.find(kChallenge) == nullptr) {
      if (asked) object("it answers no challenge");
      if (m_.challenge) object("its manifest names one, and it holds none");
      return;
    }
    const std::string text = c_.file.text(kChallenge);
    if (asked && !is_the_issued_one(text)) return;
    Result<Challenge> challenge = parse_challenge(kChallenge, text);
    if (!challenge) return object(challenge.error().message);
    challenge_ = std::move(challenge.value());
    if (!is_of_this_run()) return;
    judge_answers();
    check_times();
    if (!asked) {
      out_->facts.emplace_back(
          "the challenge is one of its own choice: verify --challenge FILE "
          "compares it with the one that was issued");
      return;
    }
    if (!out_->objections.empty()) return;
    const Status fresh =
        note_answer(c_.request.ledger, challenge_.nonce, c_.file.sha256);
    if (!fresh) object(fresh.error().message);
  }

 private:
  void object(const std::string& text, const std::string& example = {}) {
    out_->objections.add(Objection::challenge, text, example);
  }

  // Byte for byte: whoever changes anything of it chooses its own questions.
  bool is_the_issued_one(const std::string& text) {
    const Result<std::string> issued = read_file(c_.request.challenge);
    if (!issued) {
      out_->objections.add(Objection::ours, issued.error().message);
      return false;
    }
    const Result<Challenge> ours =
        parse_challenge(c_.request.challenge.string(), *issued);
    if (!ours) {
      out_->objections.add(Objection::ours, ours.error().message);
      return false;
    }
    if (text == *issued) return true;
    const Result<Challenge> theirs = parse_challenge(kChallenge, text);
    object(theirs && theirs->nonce == ours->nonce
               ? "the challenge was changed after it was issued"
               : "it answers another challenge, with another nonce");
    return false;
  }

  bool is_of_this_run() {
    bool good = true;
    const auto refuse = [&](const std::string& text) {
      object(text);
      good = false;
    };
    if (!m_.challenge || m_.challenge->nonce != challenge_.nonce) {
      refuse("its manifest names another nonce");
    }
    if (challenge_.level != c_.level.name) {
      refuse(fmt::format("the challenge is of level {}", challenge_.level));
    }
    if (challenge_.specs != m_.specs) {
      refuse("the challenge was issued with other specs");
    }
    for (const char* name : {kChallengeRecording, kChallengeResults}) {
      if (c_.file.find(name) == nullptr) {
        refuse(fmt::format("there is no {}: no answers", name));
      }
    }
    return good;
  }

  void judge_answers() {
    const Result<ChallengeDuties> asked = duties_of(challenge_, c_.duties);
    if (!asked) return object(asked.error().message);
    Assessment assessment(c_.level, c_.waivers, c_.request.now.substr(0, 10),
                          &out_->objections);
    const RecordsCheck check{asked->duties,
                             c_.adjudicator,
                             m_,
                             c_.request.jobs,
                             Objection::challenge,
                             true,
                             c_.flush,
                             c_.request.session.specs,
                             [&](const JudgedCase& j) {
                               assessment.add(j.duty, j.result, j.counted);
                               c_.flush_seen->add(j);
                               if (!conforms(j.counted))
                                 tell_old_answers(j.duty, j.observations);
                             }};
    const CheckedRecords records =
        check_records(check, c_.file.open(kChallengeResults),
                      c_.file.open(kChallengeRecording), &out_->objections);
    if (m_.challenge->started != records.started) {
      object(
          fmt::format("its manifest says that the answers were begun at {}, "
                      "their records say {}",
                      m_.challenge->started, records.started));
    }
    out_->facts.push_back(fmt::format("challenge {}: {}",
                                      challenge_.nonce.substr(0, 16),
                                      assessment.summary()));
  }

  // Wrong for these inputs, but right for those that everybody knows.
  void tell_old_answers(const Duty& drawn,
                        const std::vector<RecordedObservation>& observations) {
    for (const Duty& usual : c_.duties) {
      if (usual.source->path != drawn.source->path) continue;
      const auto prepared = c_.adjudicator.prepare(*usual.source);
      const CaseResult r =
          judge_observations(*prepared, observations, c_.adjudicator);
      if (r.status != CellStatus::pass) return;
      object(
          "an answer is that of the case's usual inputs: it was at hand "
          "before the challenge",
          r.case_path);
    }
  }

  void check_times() {
    const auto issued = parse_time(challenge_.issued);
    const auto started = parse_time(m_.challenge->started);
    const auto finished = parse_time(m_.challenge->finished);
    const auto now = parse_time(c_.request.now);
    if (!issued || !started || !finished || !now) {
      return object("its times are no times");
    }
    if (*started < *issued) {
      object(
          fmt::format("answers were begun at {}, before the challenge was "
                      "issued at {}",
                      m_.challenge->started, challenge_.issued));
    }
    if (*finished < *started || *now < *finished) {
      object(fmt::format("answers of {} to {} cannot have been received at {}",
                         m_.challenge->started, m_.challenge->finished,
                         c_.request.now));
    }
    const std::int64_t waited = *now - *issued;
    if (challenge_.within > 0 && waited > challenge_.within) {
      object(
          fmt::format("it came {} s after the challenge was issued; {} s "
                      "were given",
                      waited, challenge_.within));
    }
    out_->facts.push_back(fmt::format(
        "received {} s after the challenge was issued; one thread of the "
        "oracle needs {:.1f} s for its answers",
        waited, challenge_.oracle_seconds));
  }

  const ChallengeCheck& c_;
  const Manifest& m_;
  Verification* out_;
  Challenge challenge_;
};

}  // namespace

void verify_challenge(const ChallengeCheck& check, Verification* out) {
  ChallengeVerifier(check, out).run();
}

}  // namespace assay::harness
