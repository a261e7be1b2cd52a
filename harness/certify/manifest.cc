#include "harness/certify/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/certify/digest.h"
#include "harness/certify/guarded_json.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFormat = "assay_submission";
constexpr int kVersion = 1;
constexpr std::uint64_t kMiB = 1 << 20;

// The object's fields are these, no fewer and no more.
void require_fields(const ordered_json& j, const std::string& what,
                    const std::set<std::string>& names) {
  if (!j.is_object()) throw std::invalid_argument(what + " is no object");
  for (const auto& [name, value] : j.items()) {
    if (names.contains(name)) continue;
    throw std::invalid_argument(
        fmt::format("{} has an unknown field '{}'", what, name));
  }
  for (const std::string& name : names) {
    if (j.contains(name)) continue;
    throw std::invalid_argument(fmt::format("{} lacks '{}'", what, name));
  }
}

std::string digest(const ordered_json& j) {
  const auto text = j.get<std::string>();
  if (!is_sha256(text)) {
    throw std::invalid_argument(
        fmt::format("'{}' is no SHA-256", text.substr(0, 80)));
  }
  return text;
}

// Exact: nlohmann would also take 1.5 and -1.
std::uint64_t whole(const ordered_json& j) {
  if (!j.is_number_unsigned()) {
    throw std::invalid_argument("a size or a count is no whole number");
  }
  return j.get<std::uint64_t>();
}

ProgramFile program_from(const ordered_json& j) {
  require_fields(j, "a program", {"name", "size", "sha256", "hash"});
  ProgramFile out;
  out.name = j["name"].get<std::string>();
  out.size = whole(j["size"]);
  out.sha256 = digest(j["sha256"]);
  out.hash = std::stoull(j["hash"].get<std::string>(), nullptr, 16);
  return out;
}

Manifest manifest_from(const ordered_json& j) {
  require_fields(j, "the manifest",
                 {kFormat, "suite", "level", "cases", "profile", "numerics",
                  "column", "subject", "facts", "cpu", "cpu_flags", "programs",
                  "environment", "challenge", "members"});
  if (j[kFormat] != kVersion) {
    throw std::invalid_argument(
        fmt::format("this suite reads submissions of format {}", kVersion));
  }
  const ordered_json& suite = j["suite"];
  require_fields(suite, "suite", {"version", "build", "specs", "spec_hash"});
  Manifest m;
  m.version = suite["version"].get<std::string>();
  m.build = suite["build"].get<std::string>();
  m.specs = digest(suite["specs"]);
  m.spec_hash = suite["spec_hash"].get<std::string>();
  m.level = j["level"].get<std::string>();
  m.cases = whole(j["cases"]);
  m.profile = j["profile"].get<std::string>();
  m.numerics = j["numerics"].get<std::string>();
  m.column = j["column"].get<std::string>();
  m.subject = j["subject"].get<std::string>();
  m.facts = j["facts"].get<std::map<std::string, std::string>>();
  m.cpu = j["cpu"].get<std::string>();
  m.cpu_flags = j["cpu_flags"].get<std::string>();
  for (const auto& p : j["programs"]) m.programs.push_back(program_from(p));
  for (const auto& [name, value] : j["environment"].items()) {
    m.environment[name] = digest(value);
  }
  if (!j["challenge"].is_null()) {
    const ordered_json& c = j["challenge"];
    require_fields(c, "challenge", {"nonce", "started", "finished"});
    m.challenge = ChallengeTimes{c["nonce"].get<std::string>(),
                                 c["started"].get<std::string>(),
                                 c["finished"].get<std::string>()};
  }
  for (const auto& [name, value] : j["members"].items()) {
    require_fields(value, "a member", {"size", "sha256"});
    m.members[name] = {whole(value["size"]), digest(value["sha256"])};
  }
  return m;
}

bool is_log(const std::string& name) {
  if (!name.starts_with(kLogs)) return false;
  const std::string rest = name.substr(std::string(kLogs).size());
  return !rest.empty() && rest.front() != '.' && rest.size() <= 64 &&
         std::all_of(rest.begin(), rest.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-' || c == '_';
         });
}

}  // namespace

std::optional<std::uint64_t> member_limit(const std::string& name) {
  static const std::map<std::string, std::uint64_t> kLimits = {
      {kManifest, kMiB},
      {kSignature, 16 << 10},
      {kStatement, 64 << 10},
      {kWaivers, 256 << 10},
      {kMatrix, 16 * kMiB},
      {kRecording, 8192 * kMiB},
      {kResults, 2048 * kMiB},
      {kChallenge, 4 * kMiB},
      {kChallengeRecording, 2048 * kMiB},
      {kChallengeResults, 512 * kMiB}};
  const auto at = kLimits.find(name);
  if (at != kLimits.end()) return at->second;
  if (is_log(name)) return 64 * kMiB;
  return std::nullopt;
}

std::string to_text(const Manifest& m) {
  ordered_json programs = ordered_json::array();
  for (const ProgramFile& p : m.programs) {
    programs.push_back({{"name", p.name},
                        {"size", p.size},
                        {"sha256", p.sha256},
                        {"hash", fmt::format("{:016x}", p.hash)}});
  }
  ordered_json members = ordered_json::object();
  for (const auto& [name, facts] : m.members) {
    members[name] = {{"size", facts.size}, {"sha256", facts.sha256}};
  }
  ordered_json challenge = nullptr;
  if (m.challenge) {
    challenge = {{"nonce", m.challenge->nonce},
                 {"started", m.challenge->started},
                 {"finished", m.challenge->finished}};
  }
  const ordered_json out = {{kFormat, kVersion},
                            {"suite",
                             {{"version", m.version},
                              {"build", m.build},
                              {"specs", m.specs},
                              {"spec_hash", m.spec_hash}}},
                            {"level", m.level},
                            {"cases", m.cases},
                            {"profile", m.profile},
                            {"numerics", m.numerics},
                            {"column", m.column},
                            {"subject", m.subject},
                            {"facts", m.facts},
                            {"cpu", m.cpu},
                            {"cpu_flags", m.cpu_flags},
                            {"programs", programs},
                            {"environment", m.environment},
                            {"challenge", challenge},
                            {"members", members}};
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<Manifest> parse_manifest(const std::string& text) {
  const Result<ordered_json> j = parse_guarded(text);
  if (!j) return Error{fmt::format("{}: {}", kManifest, j.error().message)};
  try {
    return manifest_from(*j);
  } catch (const std::exception& e) {
    return Error{fmt::format("{}: {}", kManifest, e.what())};
  }
}

Result<KnownList> parse_waivers(const std::string& file,
                                const std::string& text, const Manifest& m) {
  std::map<std::string, std::string> facts = m.facts;
  facts["cpu"] = m.cpu;
  facts["device"] = device_of(m.column);
  return parse_known(file, text, facts);
}

std::string device_of(const std::string& column) {
  return column.substr(column.rfind('/') + 1);
}

}  // namespace assay::harness
