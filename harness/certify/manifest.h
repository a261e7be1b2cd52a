// manifest.json: what a submission says that it holds, of what and by which
// suite. Whoever signs a submission signs this text.
#ifndef ASSAY_HARNESS_CERTIFY_MANIFEST_H_
#define ASSAY_HARNESS_CERTIFY_MANIFEST_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/records/known.h"

namespace assay::harness {

// Members of a submission. Logs are logs/NAME.
inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kSignature = "manifest.json.sig";
inline constexpr const char* kStatement = "statement.yaml";
inline constexpr const char* kWaivers = "waivers.yaml";
inline constexpr const char* kMatrix = "matrix.txt";
inline constexpr const char* kRecording = "recording.jsonl";
inline constexpr const char* kResults = "results.jsonl";
inline constexpr const char* kChallenge = "challenge.json";
inline constexpr const char* kChallengeRecording = "challenge-recording.jsonl";
inline constexpr const char* kChallengeResults = "challenge-results.jsonl";
inline constexpr const char* kLogs = "logs/";

// The most bytes of a member of that name; nothing: no submission has one.
std::optional<std::uint64_t> member_limit(const std::string& name);

// A file that was executed: a worker, a plugin, a script.
struct ProgramFile {
  std::string name;  // without its folder
  std::uint64_t size = 0;
  std::string sha256;
  std::uint64_t hash = 0;  // as the run's fact "program" sums them up
};

struct MemberFacts {
  std::uint64_t size = 0;
  std::string sha256;
};

struct ChallengeTimes {
  std::string nonce;
  std::string started, finished;  // of its cases: "2026-10-01T12:00:00Z"
};

struct Manifest {
  std::string version, build;  // of the suite
  std::string specs;           // sha256_of_specs
  std::string spec_hash;       // as in the headers of records
  std::string level;
  std::size_t cases = 0;
  // The column, as the headers of the records have it.
  std::string column, subject;
  std::map<std::string, std::string> facts;
  std::string cpu, cpu_flags;
  std::string profile, numerics;
  std::vector<ProgramFile> programs;
  std::map<std::string, std::string> environment;  // locks: SHA-256 by name
  std::optional<ChallengeTimes> challenge;
  std::map<std::string, MemberFacts> members;  // but itself and its signature
};

std::string to_text(const Manifest& manifest);

// "cpu-avx512" of "bundled/cpu-avx512".
std::string device_of(const std::string& column);

// Waivers in the form of a list of known failures (records/known.h), for the
// column that the manifest names. `file` is what messages name.
Result<KnownList> parse_waivers(const std::string& file,
                                const std::string& text,
                                const Manifest& manifest);

// Every field must be there, and no other.
Result<Manifest> parse_manifest(const std::string& text);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_MANIFEST_H_
