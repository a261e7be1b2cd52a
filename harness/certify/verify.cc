#include "harness/certify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/program_text.h"
#include "harness/certify/assess.h"
#include "harness/certify/digest.h"
#include "harness/certify/flush_seen.h"
#include "harness/certify/signature.h"
#include "harness/certify/statement.h"
#include "harness/certify/verify_challenge.h"
#include "harness/judge/adjudicate.h"
#include "harness/records/files.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

class Verifier {
 public:
  Verifier(const SubmissionFile& file, const VerifyRequest& request)
      : file_(file), m_(file.manifest), q_(request) {}

  Result<Verification> run() {
    const Result<std::string> specs = sha256_of_specs(q_.specs_dir);
    if (!specs) return specs.error();
    if (m_.specs != *specs) {
      return Error{fmt::format(
          "it was made with other specs: those of assay {} (build {}) with "
          "SHA-256 {}, and here are those with {}: verify it with that version",
          m_.version, m_.build, m_.specs, *specs)};
    }
    check_members(file_, &out_.objections);
    check_signature();
    check_statement();
    check_column();
    check_programs();
    const Result<Level> level = load_level(q_.specs_dir, m_.level);
    if (!level) {
      object(Objection::statement, level.error().message);
      return std::move(out_);
    }
    out_.level = level->name;
    check_level(*level);
    check_cases(*level);
    return std::move(out_);
  }

 private:
  void object(Objection kind, const std::string& text) {
    out_.objections.add(kind, text);
  }

  void check_signature() {
    if (file_.find(kSignature) == nullptr) {
      if (q_.allowed_signers.empty()) {
        out_.facts.emplace_back("unsigned: nothing says who made it");
      } else {
        object(Objection::signature, "it is not signed");
      }
      return;
    }
    const Result<std::string> signer = signer_of(
        file_.manifest_text, file_.text(kSignature), q_.allowed_signers);
    if (!signer) {
      object(Objection::signature, signer.error().message);
    } else {
      out_.facts.push_back(fmt::format(
          "signed by {}{}", *signer,
          q_.allowed_signers.empty() ? ", whose key nobody vouches for" : ""));
    }
  }

  void check_statement() {
    const Result<Statement> s =
        parse_statement(kStatement, file_.text(kStatement));
    if (!s) {
      object(Objection::statement, s.error().message);
      return;
    }
    statement_ = *s;
    out_.product = fmt::format("{} {} {} on {}", s->vendor, s->product,
                               s->version, s->device);
    if (s->level != m_.level) {
      object(Objection::statement,
             fmt::format("it states level {}, and the run was of level {}",
                         s->level, m_.level));
    }
    if (s->device != device_of(m_.column)) {
      object(Objection::statement,
             fmt::format("it states the device {}, and what ran is {}",
                         s->device, m_.column));
    }
    if (s->date > q_.now.substr(0, 10)) {
      object(Objection::statement,
             fmt::format("its date, {}, is yet to come", s->date));
    }
  }

  void check_column() {
    const std::string hash = fmt::format("{:016x}", q_.session.specs.hash);
    if (m_.spec_hash != hash) {
      object(Objection::identity,
             fmt::format("its records name specs {}, and those of its manifest "
                         "have {}",
                         m_.spec_hash, hash));
    }
  }

  // The files that were executed are those that the run names, and those at
  // hand are among them.
  void check_programs() {
    std::vector<std::uint64_t> hashes;
    for (const ProgramFile& p : m_.programs) hashes.push_back(p.hash);
    const auto fact = m_.facts.find("program");
    if (fact == m_.facts.end() || m_.programs.empty()) {
      object(Objection::identity, "it does not say which programs were run");
    } else if (fact->second != program_hash(hashes)) {
      object(Objection::identity,
             "the programs of the manifest are not those that were run");
    }
    for (const fs::path& file : q_.programs) {
      const Result<std::string> text = read_file(file);
      const std::string hash = text ? sha256(*text) : "";
      const auto at =
          std::find_if(m_.programs.begin(), m_.programs.end(),
                       [&](const ProgramFile& p) { return p.sha256 == hash; });
      if (!text) {
        object(Objection::ours, text.error().message);
      } else if (at == m_.programs.end() || at->hash != fnv1a(*text)) {
        object(Objection::identity,
               fmt::format("{} was not run: another binary", file.string()));
      } else {
        out_.facts.push_back(fmt::format("{} is what was run", file.string()));
      }
    }
  }

  void check_level(const Level& level) {
    const std::string device = device_of(m_.column);
    const std::string family = device.substr(0, device.find('-'));
    if (std::count(level.devices.begin(), level.devices.end(), family) == 0) {
      object(Objection::statement,
             fmt::format("level {} is of {}, and what ran is {}", level.name,
                         fmt::join(level.devices, ", "), m_.column));
    }
    if (m_.numerics != level.numerics) {
      object(Objection::identity,
             fmt::format("level {} is judged by {} numerics, and the records "
                         "are by {}",
                         level.name, level.numerics, m_.numerics));
    }
    flush_ = {statement_.flush_subnormals, statement_.subnormals_are_zero};
    if (level.may_flush || !flush_.any()) return;
    flush_ = {};
    object(Objection::statement,
           fmt::format("level {} allows no flushed subnormals", level.name));
  }

  void check_cases(const Level& level) {
    const std::vector<Duty> duties = duties_of(level, q_.session);
    if (m_.cases != duties.size()) {
      object(Objection::identity,
             fmt::format("its manifest speaks of {} cases, level {} of {}",
                         m_.cases, level.name, duties.size()));
    }
    const KnownList waivers = read_waivers();
    const auto oracle = live_oracle(q_.session.specs);
    const Adjudicator adjudicator(*oracle,
                                  level.numerics == "strict"
                                      ? reference::Numerics::strict
                                      : reference::Numerics::fused,
                                  &q_.session.specs);
    Assessment assessment(level, waivers, q_.now.substr(0, 10),
                          &out_.objections);
    FlushSeen flush_seen;
    const RecordsCheck check{duties,
                             adjudicator,
                             m_,
                             q_.jobs,
                             Objection::missing,
                             false,
                             flush_,
                             q_.session.specs,
                             [&](const JudgedCase& j) {
                               assessment.add(j.duty, j.result, j.counted);
                               flush_seen.add(j);
                             }};
    if (file_.find(kRecording) != nullptr && file_.find(kResults) != nullptr) {
      const CheckedRecords records =
          check_records(check, file_.open(kResults), file_.open(kRecording),
                        &out_.objections);
      check_times(records.started);
      if (!out_.objections.has(Objection::ours) &&
          file_.text(kMatrix) != assessment.matrix()) {
        object(Objection::disagrees, "matrix.txt is not that of its records");
      }
    }
    out_.facts.push_back(assessment.summary() + ", all judged here");
    if (assessment.waived() > 0) {
      out_.facts.push_back(
          fmt::format("{} failures are waived", assessment.waived()));
    }
    verify_challenge(
        {file_, q_, level, duties, adjudicator, waivers, flush_, &flush_seen},
        &out_);
    if (!flush_.any()) return;
    flush_seen.tell(&out_.objections);
    out_.facts.push_back(flush_seen.summary());
  }

  void check_times(const std::string& started) {
    if (!parse_time(started)) {
      object(Objection::identity, "its records do not say when they were made");
    } else if (started > q_.now) {
      object(
          Objection::identity,
          fmt::format("its run started at {}, which is yet to come", started));
    } else if (!statement_.date.empty() &&
               statement_.date < started.substr(0, 10)) {
      object(Objection::statement,
             fmt::format("its date, {}, is before the run of {}",
                         statement_.date, started));
    }
  }

  KnownList read_waivers() {
    if (file_.find(kWaivers) == nullptr) return {};
    Result<KnownList> list = parse_waivers(kWaivers, file_.text(kWaivers), m_);
    if (list) return std::move(list.value());
    object(Objection::waiver, list.error().message);
    return {};
  }

  const SubmissionFile& file_;
  const Manifest& m_;
  const VerifyRequest& q_;
  Statement statement_;
  Flush flush_;  // as declared, where the level allows it
  Verification out_;
};

}  // namespace

Result<Verification> verify(const SubmissionFile& file,
                            const VerifyRequest& request) {
  return Verifier(file, request).run();
}

}  // namespace assay::harness
