#include "harness/certify/submission.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/program_text.h"
#include "harness/certify/archive.h"
#include "harness/certify/assess.h"
#include "harness/certify/digest.h"
#include "harness/certify/level_run.h"
#include "harness/certify/manifest.h"
#include "harness/certify/run_extract.h"
#include "harness/certify/signature.h"
#include "harness/records/files.h"
#include "harness/records/recording.h"
#include "harness/subject/places.h"
#include "harness/subject/subject.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// The files that the column executes, as they are now: those of the run, or
// the fact "program" would be another.
Result<std::vector<ProgramFile>> programs_of(const Manifest& m) {
  const Result<SubjectConfig> config = parse_subject(m.subject);
  if (!config) return config.error();
  std::vector<ProgramFile> out;
  std::vector<std::uint64_t> hashes;
  for (const fs::path& file : program_files(config->command)) {
    const Result<std::string> text = read_file(file);
    if (!text) return text.error();
    ProgramFile p;
    p.name = file.filename().string();
    p.size = text->size();
    p.sha256 = sha256(*text);
    p.hash = fnv1a(*text);
    hashes.push_back(p.hash);
    out.push_back(std::move(p));
  }
  const auto fact = m.facts.find("program");
  const std::string now = program_hash(hashes);
  if (fact == m.facts.end() || fact->second == now) return out;
  return Error{fmt::format(
      "the programs of {} were changed since the run (they were {}, now they "
      "are {}): run again",
      m.column, fact->second, now)};
}

// Packages of the release that the column follows, where they are pinned.
Result<std::map<std::string, std::string>> environment_of(const Manifest& m) {
  std::map<std::string, std::string> out;
  const auto torch = m.facts.find("torch");
  if (torch == m.facts.end()) return out;
  const std::string release = torch->second.substr(0, torch->second.find('+'));
  const std::string name = fmt::format("torch-{}.lock", release);
  const fs::path file = home() / "env" / name;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return out;
  const Result<std::string> hash = sha256_of_file(file);
  if (!hash) return hash.error();
  out[name] = *hash;
  return out;
}

Result<Manifest> manifest_of(const SubmissionRequest& q,
                             const ordered_json& header) {
  Manifest m;
  try {
    m.version = header.at("program").get<std::string>();
    m.build = header.at("build").get<std::string>();
    m.spec_hash = header.at("spec_hash").get<std::string>();
    m.profile = header.at("profile").get<std::string>();
    m.numerics = header.at("numerics").get<std::string>();
    m.cpu = header.at("cpu").get<std::string>();
    m.cpu_flags = header.at("cpu_flags").get<std::string>();
    const ordered_json& column = header.at("columns").front();
    m.column = column.at("column").get<std::string>();
    m.subject = column.at("subject").get<std::string>();
    m.facts = column.at("facts").get<std::map<std::string, std::string>>();
  } catch (const std::exception& e) {
    return Error{fmt::format("{}: its header is not whole: {}", q.run.string(),
                             e.what())};
  }
  if (m.spec_hash != fmt::format("{:016x}", q.session.specs.hash)) {
    return Error{fmt::format(
        "{}: the run was made with other specs than these: run again",
        q.run.string())};
  }
  if (m.numerics != q.level.numerics) {
    return Error{fmt::format(
        "{}: the run is judged by {} numerics; level {} "
        "asks for {}",
        q.run.string(), m.numerics, q.level.name, q.level.numerics)};
  }
  const Result<std::string> specs = sha256_of_specs(q.specs_dir);
  if (!specs) return specs.error();
  m.specs = *specs;
  m.level = q.level.name;
  m.cases = q.duties.size();
  Result<std::vector<ProgramFile>> programs = programs_of(m);
  if (!programs) return programs.error();
  m.programs = std::move(programs.value());
  auto environment = environment_of(m);
  if (!environment) return environment.error();
  m.environment = std::move(environment.value());
  return m;
}

Status list_members(const std::vector<MemberSource>& members, Manifest* m) {
  for (const MemberSource& member : members) {
    MemberFacts facts{member.text.size(), sha256(member.text)};
    if (!member.file.empty()) {
      const Result<std::string> hash = sha256_of_file(member.file);
      std::error_code error;
      facts.size = fs::file_size(member.file, error);
      if (!hash) return hash.error();
      facts.sha256 = *hash;
    }
    const auto most = member_limit(member.name);
    if (!most || facts.size > *most) {
      return Error{fmt::format("{} has {} bytes, more than a submission holds",
                               member.name, facts.size)};
    }
    m->members[member.name] = std::move(facts);
  }
  return success();
}

// Judged by the run itself: what its results are at the level.
std::string assess(const RunExtract& extract, const std::vector<Duty>& duties,
                   Objection missing, Assessment* assessment,
                   Objections* objections) {
  std::size_t next = 0;
  for (const Duty& duty : duties) {
    const std::string& path = duty.source->path;
    const auto& results = extract.results;
    if (next < results.size() && results[next].case_path == path) {
      assessment->add(duty, results[next], results[next]);
      ++next;
    } else {
      objections->add(
          missing, fmt::format("{}: not in the run", duty.source->spec), path);
    }
  }
  return assessment->summary();
}

void add_log(const fs::path& file, const std::string& name,
             std::vector<MemberSource>* members) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) {
    members->push_back({kLogs + name, "", file});
  }
}

}  // namespace

Result<SubmissionMade> make_submission(const SubmissionRequest& q) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  SubmissionMade made;
  std::vector<MemberSource> members;
  members.push_back({kStatement, q.statement_text, {}});
  const Result<RunExtract> extract = extract_run(
      q.run, q.subject, q.duties, q.level.name, folder->path() / "run");
  if (!extract) return extract.error();
  made.column = extract->column;
  Result<Manifest> manifest = manifest_of(q, extract->header);
  if (!manifest) return manifest.error();
  KnownList waivers;
  if (!q.waivers.empty()) {
    const Result<std::string> text = read_file(q.waivers);
    if (!text) return text.error();
    Result<KnownList> list =
        parse_waivers(q.waivers.string(), *text, *manifest);
    if (!list) return list.error();
    waivers = std::move(list.value());
    members.push_back({kWaivers, *text, {}});
  }
  Assessment assessment(q.level, waivers, q.statement.date, &made.objections);
  made.summary = assess(*extract, q.duties, Objection::missing, &assessment,
                        &made.objections);
  members.push_back({kResults, "", extract->records});
  members.push_back({kRecording, "", extract->recording});
  members.push_back({kMatrix, assessment.matrix(), {}});
  add_log(q.run / "report.txt", "report.txt", &members);
  add_log(q.run / kRunLog, "run.txt", &members);
  if (q.challenge) {
    const AnsweredChallenge& c = *q.challenge;
    const Result<RunExtract> answer =
        extract_run(c.run, manifest->subject, c.duties, q.level.name,
                    folder->path() / "challenge");
    if (!answer) return answer.error();
    Assessment answers(q.level, waivers, q.statement.date, &made.objections);
    made.challenge = assess(*answer, c.duties, Objection::challenge, &answers,
                            &made.objections);
    manifest->challenge = ChallengeTimes{
        c.challenge.nonce, answer->header.value("started", ""), c.finished};
    members.push_back({kChallenge, c.text, {}});
    members.push_back({kChallengeResults, "", answer->records});
    members.push_back({kChallengeRecording, "", answer->recording});
    add_log(c.run / kRunLog, "challenge.txt", &members);
  }
  std::sort(members.begin(), members.end(),
            [](const MemberSource& a, const MemberSource& b) {
              return a.name < b.name;
            });
  const Status listed = list_members(members, &manifest.value());
  if (!listed) return listed.error();
  // Who reads the file learns first what it should hold.
  const std::string text = to_text(*manifest);
  std::vector<MemberSource> head = {{kManifest, text, {}}};
  if (!q.key.empty()) {
    const Result<std::string> signature = sign(text, q.key);
    if (!signature) return signature.error();
    head.push_back({kSignature, *signature, {}});
  }
  members.insert(members.begin(), head.begin(), head.end());
  const Status written = write_archive(q.out, members);
  if (!written) return written.error();
  return made;
}

}  // namespace assay::harness
