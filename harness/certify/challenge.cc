#include "harness/certify/challenge.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <set>

#include "harness/certify/digest.h"
#include "harness/certify/guarded_json.h"
#include "harness/records/files.h"
#include "harness/records/result_json.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFormat = "assay_challenge";
constexpr int kVersion = 1;
constexpr std::size_t kMostCases = 10'000;

void require_fields(const ordered_json& j, const std::set<std::string>& names) {
  for (const auto& [name, value] : j.items()) {
    if (!names.contains(name)) {
      throw std::invalid_argument(fmt::format("unknown field '{}'", name));
    }
  }
  for (const std::string& name : names) {
    if (!j.contains(name)) {
      throw std::invalid_argument(fmt::format("it lacks '{}'", name));
    }
  }
}

Challenge challenge_from(const ordered_json& j) {
  require_fields(j, {kFormat, "nonce", "level", "specs", "issued", "within",
                     "oracle_seconds", "cases"});
  if (j[kFormat] != kVersion) {
    throw std::invalid_argument(
        fmt::format("this suite reads challenges of format {}", kVersion));
  }
  Challenge c;
  c.nonce = j["nonce"].get<std::string>();
  c.level = j["level"].get<std::string>();
  c.specs = j["specs"].get<std::string>();
  c.issued = j["issued"].get<std::string>();
  c.within = j["within"].get<std::int64_t>();
  c.oracle_seconds = j["oracle_seconds"].get<double>();
  c.cases = j["cases"].get<std::vector<std::string>>();
  if (!is_sha256(c.nonce)) {
    throw std::invalid_argument("the nonce is not 64 digits, 0-9 and a-f");
  }
  if (!is_sha256(c.specs)) throw std::invalid_argument("specs is no SHA-256");
  if (!parse_time(c.issued)) throw std::invalid_argument("issued is no time");
  if (c.within < 0) throw std::invalid_argument("within is negative");
  if (c.cases.empty() || c.cases.size() > kMostCases ||
      !std::is_sorted(c.cases.begin(), c.cases.end()) ||
      std::adjacent_find(c.cases.begin(), c.cases.end()) != c.cases.end()) {
    throw std::invalid_argument("cases must be paths in order, each once");
  }
  return c;
}

}  // namespace

std::string to_text(const Challenge& c) {
  const ordered_json out = {{kFormat, kVersion},
                            {"nonce", c.nonce},
                            {"level", c.level},
                            {"specs", c.specs},
                            {"issued", c.issued},
                            {"within", c.within},
                            {"oracle_seconds", c.oracle_seconds},
                            {"cases", c.cases}};
  return out.dump(1) + "\n";
}

Result<Challenge> parse_challenge(const std::string& file,
                                  const std::string& text) {
  const Result<ordered_json> j = parse_guarded(text);
  if (!j) return Error{fmt::format("{}: {}", file, j.error().message)};
  try {
    return challenge_from(*j);
  } catch (const std::exception& e) {
    return Error{fmt::format("{}: {}", file, e.what())};
  }
}

Result<std::string> fresh_nonce() {
  std::array<std::uint8_t, 32> bytes;
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    return Error{fmt::format("no random bytes: {}", errno_text())};
  }
  return to_hex(bytes);
}

cases::Case challenged(const cases::Case& c, const std::string& nonce) {
  Sha256 hash;
  hash.add(nonce);
  hash.add(" ");
  hash.add(c.path);
  const auto digest = hash.finish();
  std::uint64_t salt = 0;
  for (std::size_t i = 0; i < sizeof salt; ++i) salt = salt << 8 | digest[i];
  cases::Case out = c;
  out.make_inputs = [draw = c.draw_inputs, salt] { return draw(salt); };
  return out;
}

Result<ChallengeDuties> duties_of(const Challenge& challenge,
                                  const std::vector<Duty>& level) {
  std::map<std::string, const Duty*> by_path;
  for (const Duty& d : level) by_path.emplace(d.source->path, &d);
  ChallengeDuties out;
  out.cases.reserve(challenge.cases.size());
  for (const std::string& path : challenge.cases) {
    const auto at = by_path.find(path);
    if (at == by_path.end()) {
      return Error{
          fmt::format("level {} asks for no case {}: the challenge is "
                      "not of these specs",
                      challenge.level, path)};
    }
    const cases::Case& c = *at->second->source;
    if (!c.draw_inputs) {
      return Error{fmt::format("{} has no random inputs", path)};
    }
    out.cases.push_back(challenged(c, challenge.nonce));
    out.duties.push_back({&out.cases.back(), at->second->parts});
  }
  return out;
}

std::optional<std::int64_t> parse_time(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != 0 || text.size() != 20) return std::nullopt;
  return ::timegm(&parts);
}

Status note_answer(const std::filesystem::path& ledger,
                   const std::string& nonce, const std::string& submission) {
  Descriptor fd(
      ::open(ledger.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  // Two verifiers at once must not both find the nonce unused.
  if (!fd.valid() || ::flock(fd.get(), LOCK_EX) != 0) {
    return Error{fmt::format("{}: {}", ledger.string(), errno_text())};
  }
  LineReader lines(fd.get());
  while (true) {
    const Result<std::optional<std::string>> line = lines.next();
    const auto broken = [&](const std::string& what) {
      return Error{fmt::format("{}:{}: {}: a ledger is not edited",
                               ledger.string(), lines.line(), what)};
    };
    if (!line) return broken(line.error().message);
    if (!line->has_value()) break;
    const Result<ordered_json> record = parse_guarded(**line);
    if (!record || !record->contains("nonce") ||
        !record->contains("submission")) {
      return broken("this is no answer to a challenge");
    }
    if ((*record)["nonce"] != nonce) continue;
    if ((*record)["submission"] == submission) return success();
    return Error{
        fmt::format("nonce {} was answered by another submission "
                    "before (SHA-256 {})",
                    nonce.substr(0, 16), (*record)["submission"].dump())};
  }
  return write_all(
      fd.get(),
      json_line({{"nonce", nonce}, {"submission", submission}}) + "\n", ledger);
}

}  // namespace assay::harness
