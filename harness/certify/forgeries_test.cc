// Submissions that were tampered with by somebody who seals and hashes as well
// as we do: each is refused, and the reason names what was done.
#include <gmock/gmock.h>

#include "harness/certify/testing/fixture.h"

namespace assay::harness {
namespace {

using forge::ordered_json;
using forge::Records;
using forge::Submission;
using ::testing::AllOf;
using testing::Asked;
using testing::Certification;
using ::testing::HasSubstr;
using testing::Told;
using testing::Workshop;

constexpr const char* kCase = "neg/C1/f32/3";

class Forgeries : public Certification {};

TEST_F(Forgeries, HonestSubmissionsAreCertified) {
  Asked asked;
  EXPECT_EQ(shop().verify_file(shop().good).code, 0)
      << shop().verify_file(shop().good).text;
  asked.allowed_signers = shop().allowed;
  const Told told = shop().verify_file(shop().is_signed, asked);
  EXPECT_EQ(told.code, 0) << told.text;
  EXPECT_THAT(told.text, HasSubstr("signed by vendor@example.com"));
}

TEST_F(Forgeries, WhatDoesNotConformIsNotCertified) {
  const Told told = shop().verify_file(shop().bad);
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.text, AllOf(HasSubstr("does not conform: neg: fail "
                                         "wrong_value, clause neg/A1"),
                               HasSubstr(kCase)));
}

// The same folder and statement give the same bytes.
TEST_F(Forgeries, SubmissionsAreAFunctionOfTheirParts) {
  const Submission s = forge::read(shop().good);
  const auto a = shop().dir / "a.assay.tar.zst";
  const auto b = shop().dir / "b.assay.tar.zst";
  ASSERT_TRUE(forge::write(s, a).ok());
  ASSERT_TRUE(forge::write(s, b).ok());
  EXPECT_EQ(*sha256_of_file(a), *sha256_of_file(b));
}

// In both files, as one who knows the format would.
void in_all_records(Submission* s, const std::function<void(Records&)>& f) {
  forge::edit(s, kRecording, f);
  forge::edit(s, kResults, f);
}

struct Forgery {
  const char* name;
  std::function<void(Submission*, Asked*, const Workshop&)> change;
  const char* told;
  int code = 1;
};

const Forgery kForgeries[] = {
    {"EditedRecord",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kResults, [](Records& all) {
         forge::of_case(all, kCase)["elements"] = 4;
       });
     },
     "record is not what was recorded: pass, but otherwise"},
    {"FailBecomesPass",
     [](Submission* s, Asked*, const Workshop& w) {
       *s = forge::read(w.bad);
       forge::edit(s, kResults, [](Records& all) {
         forge::of_case(all, kCase)["status"] = "pass";
       });
     },
     "the record says pass, the recording gives fail"},
    {"EditedRecording",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         auto& data = forge::of_case(all, kCase)["outputs"][0]["data"];
         data = "00" + data.get<std::string>().substr(2);
       });
     },
     "the record says pass, the recording gives fail"},
    {"UnsealedEdit",
     [](Submission* s, Asked*, const Workshop&) {
       std::string& text = s->at(kResults);
       text.replace(text.find("\"elements\":3"), 12, "\"elements\":4");
     },
     "was changed after it was written"},
    {"MemberIsNotThatOfTheManifest",
     [](Submission* s, Asked*, const Workshop&) {
       s->at(kMatrix) += " ";
       s->rehash = false;
     },
     "content: matrix.txt is not what the manifest says"},
    {"ManifestHashIsWrong",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["members"][kRecording]["sha256"] = std::string(64, '0');
       s->rehash = false;
     },
     "content: recording.jsonl is not what the manifest says"},
    {"MemberIsNotInTheManifest",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["members"].erase(kMatrix);
       s->rehash = false;
     },
     "matrix.txt is not in the manifest"},
    {"MemberWasTakenOut",
     [](Submission* s, Asked*, const Workshop&) { s->drop(kRecording); },
     "there is no recording.jsonl"},
    {"RecordingOfAnotherMachine",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording,
                   [](Records& all) { all[0]["cpu"] = "another"; });
     },
     "identity: 'cpu' is \"another\" in recording.jsonl"},
    {"RecordingOfAnotherDevice",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         all[0]["columns"][0]["facts"]["device"] = "another";
       });
     },
     "identity: 'columns' is"},
    {"RecordsOfAnotherColumn",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         forge::of_case(all, kCase)["column"] = "other/cpu";
       });
     },
     "recording.jsonl has records of another column, other/cpu"},
    {"RecordingOfAnotherRun",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         all[0]["started"] = "2026-01-01T00:00:00Z";
       });
     },
     "is of a run that started at 2026-01-01T00:00:00Z"},
    {"OtherSpecs",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["suite"]["specs"] = std::string(64, 'a');
     },
     "it was made with other specs: those of assay", 2},
    {"RecordsOfOtherSpecs",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["suite"]["spec_hash"] = "0123456789abcdef";
       in_all_records(
           s, [](Records& all) { all[0]["spec_hash"] = "0123456789abcdef"; });
     },
     "identity: its records name specs 0123456789abcdef"},
    {"RecordedWithOtherInputs",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         forge::of_case(all, kCase)["case_hash"] = "0123456789abcdef";
       });
     },
     "recorded with another program or other inputs"},
    {"DroppedCase",
     [](Submission* s, Asked*, const Workshop&) {
       in_all_records(s, [](Records& all) { forge::drop_case(all, kCase); });
     },
     "missing: neg: not in recording.jsonl"},
    {"DroppedRecord",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kResults,
                   [](Records& all) { forge::drop_case(all, kCase); });
     },
     "missing: neg: not in results.jsonl"},
    {"DoubledRecord",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kResults, [](Records& all) {
         all.push_back(forge::of_case(all, kCase));
       });
     },
     "doubled: results.jsonl has two records of a case"},
    {"DoubledObservation",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording,
                   [](Records& all) { all.push_back(all.back()); });
     },
     "doubled: recording.jsonl has an observation twice"},
    {"SecondObservationElsewhere",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         all.push_back(forge::of_case(all, kCase));
       });
     },
     "doubled: recording.jsonl comes back to a case"},
    {"OneOfTwoObservationsIsWrong",
     [](Submission* s, Asked*, const Workshop& w) {
       const Records bad = forge::records(forge::read(w.bad).at(kRecording));
       forge::edit(s, kRecording, [&](Records& all) {
         Records wrong = bad;
         for (auto r = all.begin(); r != all.end(); ++r) {
           if (r->value("case", "") != kCase) continue;
           ordered_json more = forge::of_case(wrong, kCase);
           more["column"] = (*r)["column"];
           all.insert(r, more);
           break;
         }
       });
     },
     "does not conform: neg: flaky"},
    {"CaseOfAWiderLevel",
     [](Submission* s, Asked*, const Workshop&) {
       in_all_records(s, [](Records& all) {
         forge::of_case(all, kCase)["case"] = "neg/C2/f32/17";
       });
     },
     "foreign: recording.jsonl has cases that the level does not ask for"},
    {"CaseThatThereIsNot",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kResults, [](Records& all) {
         all.push_back(all.back());
         all.back()["case"] = "abs/C1/f32/3";
       });
     },
     "foreign: results.jsonl has cases that the level does not ask for"},
    {"ProgramsAreNotThoseThatRan",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["programs"][0]["hash"] = "0123456789abcdef";
     },
     "the programs of the manifest are not those that were run"},
    {"AnotherBinary",
     [](Submission*, Asked* asked, const Workshop& w) {
       asked->programs = {w.dir / "wrong"};
     },
     "was not run: another binary"},
    {"NoPrograms",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["programs"] = ordered_json::array();
     },
     "it does not say which programs were run"},
    {"UnsupportedThatIsMandatory",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         forge::of_case(all, kCase)["kind"] = "unsupported";
       });
       forge::edit(s, kResults, [](Records& all) {
         ordered_json& r = forge::of_case(all, kCase);
         r["status"] = "unsupported";
         r["evidence"] = "none";
       });
     },
     "unsupported: neg, which the level wants executed"},
    {"NotRun",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         forge::of_case(all, kCase)["kind"] = "not_run";
       });
     },
     "missing: neg: not_run"},
    {"EmulatedWhereItHadToRun",
     [](Submission* s, Asked*, const Workshop&) {
       in_all_records(s, [](Records& all) {
         forge::of_case(all, kCase)["evidence"] = "emulated";
       });
     },
     "evidence: emulated, where the level asks for ran"},
    {"WaiverThatTheLevelForbids",
     [](Submission* s, Asked*, const Workshop& w) {
       *s = forge::read(w.bad);
       s->at(kWaivers) =
           "entries:\n- {op: neg, clause: neg/A1, status: fail, reason: r, "
           "link: l}\n";
     },
     "waiver: failures by neg/A1 cannot be waived at level tiny"},
    {"WaiversThatNobodyCanRead",
     [](Submission* s, Asked*, const Workshop&) {
       s->at(kWaivers) = "also: ../../cpu\nentries: []\n";
     },
     "waiver: waivers.yaml:1:1: "},
    {"ExpiredWaiver",
     [](Submission* s, Asked*, const Workshop& w) {
       *s = forge::read(w.lenient_bad);
       s->at(kWaivers) =
           "entries:\n- {op: neg, clause: neg/A1, status: fail, reason: r, "
           "link: l, expires: 2026-01-01}\n";
     },
     "does not conform: neg: fail wrong_value, clause neg/A1"},
    {"StatementWithUnknownField",
     [](Submission* s, Asked*, const Workshop&) {
       s->at(kStatement) += "certified: true\n";
     },
     "statement: statement.yaml:7:1: unknown field 'certified'"},
    {"StatementOfAnotherDevice",
     [](Submission* s, Asked*, const Workshop&) {
       std::string& text = s->at(kStatement);
       text.replace(text.find("device: cpu"), 11, "device: cuda-sm_90");
     },
     "it states the device cuda-sm_90, and what ran is"},
    {"LevelRaisedInTheStatement",
     [](Submission* s, Asked*, const Workshop&) {
       s->at(kStatement) = Workshop::statement("wide");
     },
     "it states level wide, and the run was of level tiny"},
    {"LevelRaisedEverywhere",
     [](Submission* s, Asked*, const Workshop&) {
       s->at(kStatement) = Workshop::statement("wide");
       s->manifest["level"] = "wide";
     },
     "missing: neg: not in recording.jsonl"},
    {"LevelThatThereIsNot",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["level"] = "../../core";
     },
     "there is no level '../../core'"},
    {"DateThatIsYetToCome",
     [](Submission* s, Asked*, const Workshop&) {
       std::string& text = s->at(kStatement);
       text.replace(text.find("date: ") + 6, 10, "2999-12-31");
     },
     "its date, 2999-12-31, is yet to come"},
    {"DateBeforeTheRun",
     [](Submission* s, Asked*, const Workshop&) {
       std::string& text = s->at(kStatement);
       text.replace(text.find("date: ") + 6, 10, "2020-01-31");
     },
     "its date, 2020-01-31, is before the run"},
    {"FlushDeclaredWhereNoneIsAllowed",
     [](Submission* s, Asked*, const Workshop&) {
       s->at(kStatement) += "declarations: {flush_subnormals: true}\n";
     },
     "level tiny allows no flushed subnormals"},
    {"PaintedMatrix",
     [](Submission* s, Asked*, const Workshop& w) {
       *s = forge::read(w.bad);
       s->at(kMatrix) = forge::read(w.good).at(kMatrix);
     },
     "matrix.txt is not that of its records"},
    {"OtherNumberOfCases",
     [](Submission* s, Asked*, const Workshop&) { s->manifest["cases"] = 1; },
     "its manifest speaks of 1 cases"},
    {"OtherNumerics",
     [](Submission* s, Asked*, const Workshop&) {
       s->manifest["numerics"] = "strict";
     },
     "level tiny is judged by fused numerics"},
    {"RecordThatNestsDeeply",
     [](Submission* s, Asked*, const Workshop&) {
       s->at(kResults) += "{\"a\":" + std::string(100'000, '[') + "\n";
     },
     "it nests too deeply"},
    {"RecordOfManyValues",
     [](Submission* s, Asked*, const Workshop&) {
       std::string values = "{\"a\":[0";
       for (int i = 0; i < 300'000; ++i) values += ",0";
       s->at(kRecording) += values + "]}\n";
     },
     "it has too many values"},
    {"TensorThatIsLargerThanItsBytes",
     [](Submission* s, Asked*, const Workshop&) {
       forge::edit(s, kRecording, [](Records& all) {
         forge::of_case(all, kCase)["outputs"][0]["sizes"] = {1 << 30, 1 << 30};
       });
     },
     "sizes and data do not agree"},
    {"CutOffRecording",
     [](Submission* s, Asked*, const Workshop&) {
       std::string& text = s->at(kRecording);
       text.resize(text.size() - 10);
     },
     "recording.jsonl: line"},
    {"UnsignedWhereASignatureIsDue",
     [](Submission*, Asked* asked, const Workshop& w) {
       asked->allowed_signers = w.allowed;
     },
     "signature: it is not signed"},
    {"SignedByAnotherKey",
     [](Submission* s, Asked* asked, const Workshop& w) {
       asked->allowed_signers = w.allowed;
       s->signature = *sign(forge::manifest_text(s), w.other_key);
     },
     "is no key of"},
    {"SignatureOfAnotherManifest",
     [](Submission* s, Asked* asked, const Workshop& w) {
       asked->allowed_signers = w.allowed;
       s->signature = forge::read(w.is_signed).signature;
       s->manifest["cpu"] = "another";
     },
     "signature: it is not of this manifest"},
    {"SignatureThatIsNone",
     [](Submission* s, Asked*, const Workshop&) { s->signature = "signed!"; },
     "signature: it is not of this manifest"},
};

TEST_F(Forgeries, AreRefused) {
  for (const Forgery& f : kForgeries) {
    SCOPED_TRACE(f.name);
    Submission s = forge::read(shop().good);
    Asked asked;
    f.change(&s, &asked, shop());
    const auto file = shop().dir / "forged.assay.tar.zst";
    ASSERT_TRUE(forge::write(s, file).ok());
    const Told told = shop().verify_file(file, asked);
    EXPECT_EQ(told.code, f.code) << told.text;
    EXPECT_THAT(told.text, HasSubstr(f.told));
  }
}

struct Flushes {
  const char* how;
  int code;
  const char* told;
};

const Flushes kFlushes[] = {
    {"all", 0, "subnormal numbers are flushed in 2 of 2 cases that show it"},
    {"even", 1, "does not conform: neg: fail wrong_value"},
    {"wrong", 1, "does not conform: neg: fail wrong_value"},
    {"seven", 1, "flushed subnormals: neg f32: in 1 cases and not in 1 others"},
};

TEST_F(Forgeries, DeclaredFlushesAreChecked) {
  for (const Flushes& f : kFlushes) {
    SCOPED_TRACE(f.how);
    const auto file = shop().make_flushing(f.how);
    const Told told = shop().verify_file(file);
    EXPECT_EQ(told.code, f.code) << told.text;
    EXPECT_THAT(told.text, HasSubstr(f.told));
    // Undeclared, each of them is a wrong value.
    Submission s = forge::read(file);
    s.at(kStatement) = Workshop::statement("lenient");
    ASSERT_TRUE(forge::write(s, shop().dir / "silent.assay.tar.zst").ok());
    EXPECT_THAT(shop().verify_file(shop().dir / "silent.assay.tar.zst").text,
                HasSubstr("does not conform: neg: fail wrong_value"));
  }
}

// What a level allows does not keep a submission from being certified.
TEST_F(Forgeries, WhatALevelAllowsIsNoForgery) {
  Submission s = forge::read(shop().lenient_bad);
  s.at(kWaivers) =
      "entries:\n- {op: neg, clause: neg/A1, status: fail, reason: r, link: "
      "l}\n";
  forge::edit(&s, kRecording, [](Records& all) {
    forge::of_case(all, "neg/C1/f64/2")["kind"] = "unsupported";
  });
  forge::edit(&s, kResults, [](Records& all) {
    ordered_json& r = forge::of_case(all, "neg/C1/f64/2");
    r["status"] = "unsupported";
  });
  const auto file = shop().dir / "allowed.assay.tar.zst";
  ASSERT_TRUE(forge::write(s, file).ok());
  const Told told = shop().verify_file(file);
  // The record and the matrix still tell of a case that ran.
  EXPECT_THAT(told.text, ::testing::Not(HasSubstr("unsupported: neg, which")));
  EXPECT_THAT(told.text, HasSubstr("failures are waived"));
  EXPECT_THAT(told.text, ::testing::Not(HasSubstr("does not conform")));
}

}  // namespace
}  // namespace assay::harness
