// Answers to a challenge: worked out after it was issued, for it, and once.
#include "harness/certify/challenge.h"

#include <gmock/gmock.h>

#include "harness/certify/testing/fixture.h"

namespace assay::harness {
namespace {

using forge::ordered_json;
using forge::Records;
using forge::Submission;
using testing::Asked;
using testing::Certification;
using ::testing::HasSubstr;
using testing::Told;
using testing::Workshop;

class Challenges : public Certification {
 protected:
  Challenges() {
    asked_.challenge = shop().challenge;
    asked_.ledger = shop().dir / "ledger.jsonl";
    std::filesystem::remove(asked_.ledger);
  }
  Told verify(const Submission& s) {
    const auto file = shop().dir / "forged_answer.assay.tar.zst";
    EXPECT_TRUE(forge::write(s, file).ok());
    return shop().verify_file(file, asked_);
  }
  static Challenge issued() {
    return parse_challenge("c", read_file(shop().challenge).value()).value();
  }

  Asked asked_;
};

TEST_F(Challenges, AreAnswered) {
  for (int i = 0; i < 2; ++i) {  // the same file may be verified again
    const Told told = shop().verify_file(shop().answered, asked_);
    EXPECT_EQ(told.code, 0) << told.text;
    EXPECT_THAT(told.text,
                HasSubstr("challenge " + issued().nonce.substr(0, 16) +
                          ": 6 cases: 6 pass"));
  }
}

TEST_F(Challenges, AreAnsweredOnce) {
  ASSERT_EQ(shop().verify_file(shop().answered, asked_).code, 0);
  Submission s = forge::read(shop().answered);
  s.at("logs/more.txt") = "another file with the same answers";
  const Told told = verify(s);
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.text, HasSubstr("was answered by another submission"));
}

TEST_F(Challenges, HangOnEveryDigitOfTheNonce) {
  const Level level = load_level(shop().specs, "tiny").value();
  const auto duties = duties_of(level, *shop().session);
  const Challenge c = issued();
  const auto asked = duties_of(c, duties).value();
  Challenge other = c;
  other.nonce.back() = other.nonce.back() == '0' ? '1' : '0';
  const auto asked_otherwise = duties_of(other, duties).value();
  for (std::size_t i = 0; i < asked.cases.size(); ++i) {
    const auto identity = [](const cases::Case& of) {
      return identity_of(of, of.make_inputs());
    };
    EXPECT_EQ(identity(asked.cases[i]), identity(asked.cases[i]));
    EXPECT_NE(identity(asked.cases[i]), identity(asked_otherwise.cases[i]));
  }
}

struct Forgery {
  const char* name;
  std::function<void(Submission*, Asked*, const Workshop&)> change;
  const char* told;
};

void begin_at(Submission* s, const std::string& time) {
  s->manifest["challenge"]["started"] = time;
  for (const char* member : {kChallengeRecording, kChallengeResults}) {
    forge::edit(s, member, [&](Records& all) { all[0]["started"] = time; });
  }
}

const Forgery kForgeries[] = {
    {"NoAnswer",
     [](Submission* s, Asked*, const Workshop& w) { *s = forge::read(w.good); },
     "challenge: it answers no challenge"},
    {"AnswerToAnother",
     [](Submission*, Asked* asked, const Workshop& w) {
       asked->challenge = w.other_challenge;
     },
     "it answers another challenge, with another nonce"},
    {"AnotherChallengeInItsPlace",
     [](Submission* s, Asked* asked, const Workshop& w) {
       asked->challenge = w.other_challenge;
       s->at(kChallenge) = read_file(w.other_challenge).value();
     },
     "its manifest names another nonce"},
    {"NonceReplacedEverywhere",
     [](Submission* s, Asked* asked, const Workshop& w) {
       asked->challenge = w.other_challenge;
       const std::string text = read_file(w.other_challenge).value();
       s->at(kChallenge) = text;
       s->manifest["challenge"]["nonce"] = ordered_json::parse(text)["nonce"];
     },
     "recorded with another program or other inputs"},
    {"FewerQuestions",
     [](Submission* s, Asked*, const Workshop&) {
       ordered_json c = ordered_json::parse(s->at(kChallenge));
       c["cases"].erase(0);
       s->at(kChallenge) = c.dump(1) + "\n";
     },
     "the challenge was changed after it was issued"},
    {"AnswersAreMissing",
     [](Submission* s, Asked*, const Workshop&) {
       s->drop(kChallengeRecording);
     },
     "there is no challenge-recording.jsonl: no answers"},
    {"AnAnswerIsMissing",
     [](Submission* s, Asked*, const Workshop&) {
       for (const char* member : {kChallengeRecording, kChallengeResults}) {
         forge::edit(s, member, [](Records& all) { all.pop_back(); });
       }
     },
     "challenge: neg: not in challenge-recording.jsonl"},
    {"AnswersFromBefore",
     [](Submission* s, Asked*, const Workshop&) {
       Records usual = forge::records(s->at(kRecording));
       forge::edit(s, kChallengeRecording, [&](Records& all) {
         for (ordered_json& r : all) {
           if (!r.contains("case")) continue;
           r["outputs"] = forge::of_case(usual, r["case"])["outputs"];
         }
       });
     },
     "an answer is that of the case's usual inputs: it was at hand before"},
    {"RecordingFromBefore",
     [](Submission* s, Asked*, const Workshop&) {
       Records usual = forge::records(s->at(kRecording));
       forge::edit(s, kChallengeRecording, [&](Records& all) {
         for (ordered_json& r : all) {
           if (r.contains("case")) r = forge::of_case(usual, r["case"]);
         }
       });
     },
     "recorded with another program or other inputs"},
    {"BegunBeforeItWasIssued",
     [](Submission* s, Asked*, const Workshop&) {
       begin_at(s, "2026-01-01T00:00:00Z");
     },
     "before the challenge was issued"},
    {"FinishedAfterItCame",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["challenge"]["finished"] = "2999-01-01T00:00:00Z";
     },
     "cannot have been received at"},
    {"TimesThatAreNone",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["challenge"]["finished"] = "soon";
     },
     "its times are no times"},
    {"StartThatItsRecordsDeny",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kChallengeRecording, [](Records& all) {
         all[0]["started"] = "2026-01-01T00:00:00Z";
       });
     },
     "challenge-recording.jsonl is of a run that started at 2026-01-01"},
    {"AnotherMachineAnswered",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kChallengeRecording,
                   [](Records& all) { all[0]["cpu"] = "another"; });
     },
     "'cpu' is \"another\" in challenge-recording.jsonl"},
};

TEST_F(Challenges, ForgedAnswersAreRefused) {
  const Asked as_issued = asked_;
  for (const Forgery& f : kForgeries) {
    SCOPED_TRACE(f.name);
    asked_ = as_issued;
    Submission s = forge::read(shop().answered);
    f.change(&s, &asked_, shop());
    const Told told = verify(s);
    EXPECT_EQ(told.code, 1);
    EXPECT_THAT(told.text, HasSubstr(f.told));
    EXPECT_FALSE(std::filesystem::exists(asked_.ledger));
  }
}

// Too late: a look-up table would have had the time.
TEST_F(Challenges, AreAnsweredWithinTheirTime) {
  Challenge c = issued();
  c.within = 10;
  const std::string text = to_text(c);
  asked_.challenge = shop().dir / "hasty.json";
  ASSERT_TRUE(replace_file(asked_.challenge, text).ok());
  Submission s = forge::read(shop().answered);
  s.at(kChallenge) = text;
  asked_.now = "2999-01-01T00:00:00Z";
  EXPECT_THAT(verify(s).text, HasSubstr("10 s were given"));
}

TEST_F(Challenges, ALedgerIsNotEdited) {
  const auto note = [&](const std::string& by) {
    return note_answer(asked_.ledger, issued().nonce, by);
  };
  EXPECT_TRUE(note("a").ok());
  EXPECT_TRUE(note("a").ok());
  EXPECT_FALSE(note("b").ok());
  ASSERT_TRUE(replace_file(asked_.ledger, "{}\n").ok());
  EXPECT_THAT(note("a").error().message, HasSubstr("ledger.jsonl:1: "));
}

struct BadChallenge {
  const char* name;
  std::function<void(ordered_json&)> change;
  const char* told;
};

const BadChallenge kBadChallenges[] = {
    {"ShortNonce", [](ordered_json& c) { c["nonce"] = "12"; }, "64 digits"},
    {"NoTime", [](ordered_json& c) { c["issued"] = "today"; }, "no time"},
    {"Negative", [](ordered_json& c) { c["within"] = -1; }, "negative"},
    {"Unordered",
     [](ordered_json& c) { std::swap(c["cases"][0], c["cases"][1]); },
     "in order"},
    {"Twice", [](ordered_json& c) { c["cases"][1] = c["cases"][0]; },
     "each once"},
    {"Empty", [](ordered_json& c) { c["cases"] = ordered_json::array(); },
     "each once"},
    {"Unknown", [](ordered_json& c) { c["run"] = 1; }, "unknown field 'run'"},
    {"Lacking", [](ordered_json& c) { c.erase("level"); }, "lacks 'level'"},
};

TEST_F(Challenges, AreReadStrictly) {
  for (const BadChallenge& b : kBadChallenges) {
    SCOPED_TRACE(b.name);
    ordered_json c = ordered_json::parse(to_text(issued()));
    b.change(c);
    const auto read = parse_challenge("c.json", c.dump());
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(read.error().message, HasSubstr(b.told));
  }
}

}  // namespace
}  // namespace assay::harness
