#include "harness/certify/records_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <optional>

#include "core/in_parallel.h"
#include "core/program_text.h"
#include "harness/certify/digest.h"
#include "harness/certify/guarded_json.h"
#include "harness/records/result_json.h"
#include "harness/run/pack.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

// Cases that are judged side by side, and the bytes of their observations.
constexpr std::size_t kMostCases = 64;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
// A case is run alone, in a pack and in its halves.
constexpr std::size_t kMostObservations = 16;
constexpr std::size_t kMostAlternatives = 8;

// What a record says, without keeping it.
struct Claim {
  CellStatus status = CellStatus::not_run;
  std::string digest;  // of judged_text
};

class Checker {
 public:
  Checker(const RecordsCheck& check, Objections* out)
      : check_(check), out_(out), judged_(check.duties.size(), false) {
    for (std::size_t i = 0; i < check.duties.size(); ++i) {
      at_.emplace(check.duties[i].source->path, i);
    }
  }

  CheckedRecords run(const OpenFile& results, const OpenFile& recording) {
    read_claims(results);
    read_recording(recording);
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      const cases::Case& c = *check_.duties[i].source;
      if (!judged_[i]) {
        out_->add(check_.missing,
                  fmt::format("{}: not in {}", c.spec, recording.name), c.path);
      } else if (!claims_.contains(i)) {
        out_->add(check_.missing,
                  fmt::format("{}: not in {}", c.spec, results.name), c.path);
      }
    }
    return checked_;
  }

 private:
  struct Group {
    std::size_t duty = 0;
    std::vector<RecordedObservation> observations;
    std::optional<CaseResult> result, counted;
    std::optional<FlushJudgement> flushed;
  };

  void check_header(const ordered_json& h, const std::string& name) {
    const Manifest& m = check_.manifest;
    try {
      const auto same = [&](const char* field, const auto& want) {
        if (h.at(field) == want) return;
        out_->add(
            Objection::identity,
            fmt::format("'{}' is {} in {}, and {} in the manifest", field,
                        h.at(field).dump(), name, ordered_json(want).dump()));
      };
      same("program", m.version);
      if (!check_.any_build) same("build", m.build);
      same("spec_hash", m.spec_hash);
      same("profile", m.profile);
      same("numerics", m.numerics);
      same("cpu", m.cpu);
      same("cpu_flags", m.cpu_flags);
      same("columns", ordered_json::array({{{"column", m.column},
                                            {"subject", m.subject},
                                            {"facts", m.facts}}}));
      const auto started = h.at("started").get<std::string>();
      if (!checked_.started.empty() && started != checked_.started) {
        out_->add(Objection::identity,
                  fmt::format("{} is of a run that started at {}, the records "
                              "are of one at {}",
                              name, started, checked_.started));
      }
      checked_.started = started;
    } catch (const std::exception&) {
      out_->add(Objection::identity,
                fmt::format("the header of {} is not whole", name));
    }
  }

  // Where a path is a duty of the level; otherwise an objection.
  std::optional<std::size_t> duty_of(const std::string& path,
                                     const std::string& column,
                                     const std::string& name) {
    const auto at = at_.find(path);
    if (at == at_.end()) {
      out_->add(
          Objection::foreign,
          fmt::format("{} has cases that the level does not ask for", name),
          path);
      return std::nullopt;
    }
    if (column != check_.manifest.column) {
      out_->add(
          Objection::identity,
          fmt::format("{} has records of another column, {}", name, column),
          path);
      return std::nullopt;
    }
    return at->second;
  }

  void read_claims(const OpenFile& file) {
    SealedReader reader(file.fd, file.name, false);
    bool header = true;
    while (true) {
      Result<std::optional<ordered_json>> record = reader.next();
      if (!record) {
        out_->add(Objection::content, record.error().message);
        return;
      }
      if (!record->has_value()) return;
      if (header) {
        check_header(**record, file.name);
        header = false;
        continue;
      }
      const Result<CaseResult> r = result_from_json(**record);
      if (!r) {
        out_->add(Objection::content, reader.fault(r.error().message).message);
        return;
      }
      const auto duty = duty_of(r->case_path, r->column, file.name);
      if (!duty) continue;
      const bool fresh =
          claims_.emplace(*duty, Claim{r->status, sha256(judged_text(*r))})
              .second;
      if (!fresh) {
        out_->add(Objection::doubled,
                  fmt::format("{} has two records of a case", file.name),
                  r->case_path);
      }
    }
  }

  void read_recording(const OpenFile& file) {
    SealedReader reader(file.fd, file.name, true);
    bool header = true;
    std::vector<Group> groups;
    std::string last;  // the record before, to notice a doubled one
    std::size_t bytes = 0;
    while (true) {
      Result<std::optional<ordered_json>> record = reader.next();
      if (!record) {
        out_->add(Objection::content, record.error().message);
        break;
      }
      if (!record->has_value()) break;
      if (header) {
        header = false;
        if (!(*record)->contains("assay_recording")) {
          out_->add(Objection::content,
                    fmt::format("{} is no recording", file.name));
          break;
        }
        check_header(**record, file.name);
        continue;
      }
      const std::string digest = sha256(json_line(without_seal(**record)));
      Result<RecordedObservation> o = observation_from_json(**record);
      if (!o) {
        out_->add(Objection::content, reader.fault(o.error().message).message);
        break;
      }
      const auto duty = duty_of(o->case_path, o->column, file.name);
      if (!duty) continue;
      if (digest == last) {
        out_->add(Objection::doubled,
                  fmt::format("{} has an observation twice", file.name),
                  o->case_path);
        continue;
      }
      last = digest;
      if (!takes(*o, file.name)) continue;
      if (groups.empty() || groups.back().duty != *duty) {
        if (judged_[*duty]) {
          out_->add(Objection::doubled,
                    fmt::format("{} comes back to a case", file.name),
                    o->case_path);
          continue;
        }
        if (groups.size() == kMostCases || bytes > kMostBytes) {
          judge(&groups);
          bytes = 0;
        }
        judged_[*duty] = true;
        groups.push_back({*duty, {}, std::nullopt, std::nullopt, std::nullopt});
      }
      bytes += size_of(*o);
      auto& own = groups.back().observations;
      if (own.size() == kMostObservations) {
        out_->add(Objection::doubled,
                  fmt::format("{} has more than {} observations of a case",
                              file.name, kMostObservations),
                  o->case_path);
        continue;
      }
      o->observation.torch = followed_release(check_.manifest.facts);
      o->observation.flush = declared_flush(check_.manifest.facts);
      own.push_back(std::move(o.value()));
    }
    judge(&groups);
  }

  static ordered_json without_seal(ordered_json record) {
    record.erase("seal");
    return record;
  }

  static std::size_t size_of(const RecordedObservation& o) {
    std::size_t bytes = 0;
    const auto add = [&bytes](const std::vector<Tensor>& tensors) {
      for (const Tensor& t : tensors) {
        bytes += static_cast<std::size_t>(t.numel() * size_bytes(t.dtype()));
      }
    };
    add(o.observation.outputs);
    for (const auto& other : o.observation.alternatives) add(other);
    return bytes;
  }

  // Is the observation of the case that we would ask, with its inputs?
  bool takes(const RecordedObservation& o, const std::string& name) {
    const cases::Case& c = *check_.duties[at_.at(o.case_path)].source;
    if (o.case_path != hashed_) {
      hashed_ = o.case_path;
      hash_ = identity_of(c, c.make_inputs());
    }
    if (o.case_hash != hash_) {
      out_->add(Objection::disagrees,
                fmt::format("{}: recorded with another program or other "
                            "inputs",
                            name),
                o.case_path);
      return false;
    }
    if (o.observation.alternatives.size() > kMostAlternatives) {
      out_->add(Objection::content,
                fmt::format("{} has more than {} alternatives", name,
                            kMostAlternatives),
                o.case_path);
      return false;
    }
    return true;
  }

  void judge(std::vector<Group>* groups) {
    std::vector<char> short_of_memory(groups->size(), 0);
    in_parallel(groups->size(), check_.jobs, [&](std::size_t i) {
      Group& g = (*groups)[i];
      if (g.observations.empty()) return;
      try {
        const auto prepared =
            check_.adjudicator.prepare(*check_.duties[g.duty].source);
        g.result =
            judge_observations(*prepared, g.observations, check_.adjudicator);
        // What the column declares counts in a run; here what the statement
        // declares, where the level allows it.
        g.counted = g.result;
        if (declared_flush(check_.manifest.facts).any()) {
          for (RecordedObservation& o : g.observations) {
            o.observation.flush = {};
          }
          g.counted =
              judge_observations(*prepared, g.observations, check_.adjudicator);
        }
        // Who flushes does so in every run.
        if (check_.flush.any() && g.observations.size() == 1) {
          g.flushed =
              judge_flush(*prepared, g.observations.front().observation,
                          check_.flush, check_.adjudicator, check_.specs);
        }
      } catch (const std::bad_alloc&) {
        short_of_memory[i] = 1;
      }
    });
    for (std::size_t i = 0; i < groups->size(); ++i) {
      const Group& g = (*groups)[i];
      const Duty& duty = check_.duties[g.duty];
      if (short_of_memory[i] != 0) {
        out_->add(Objection::ours, "out of memory: --memory allows more",
                  duty.source->path);
      }
      if (!g.result) continue;
      ++checked_.judged;
      CaseResult r = *g.result;
      r.column = check_.manifest.column;
      compare(g.duty, r);
      CaseResult counted = g.flushed ? g.flushed->result : *g.counted;
      counted.column = r.column;
      check_.judged({duty, r, counted,
                     g.flushed ? g.flushed->seen : Flushing::unseen,
                     g.observations});
    }
    groups->clear();
  }

  void compare(std::size_t duty, const CaseResult& r) {
    const auto claim = claims_.find(duty);
    if (claim == claims_.end()) return;
    if (claim->second.status != r.status) {
      out_->add(
          Objection::disagrees,
          fmt::format("the record says {}, the recording gives {}",
                      status_name(claim->second.status), status_name(r.status)),
          r.case_path);
    } else if (claim->second.digest != sha256(judged_text(r))) {
      out_->add(Objection::disagrees,
                fmt::format("{}, but otherwise than its record says",
                            status_name(r.status)),
                r.case_path);
    }
  }

  const RecordsCheck& check_;
  Objections* out_;
  CheckedRecords checked_;
  std::map<std::string, std::size_t> at_;
  std::map<std::size_t, Claim> claims_;
  std::vector<bool> judged_;
  std::string hashed_;  // the case whose identity `hash_` is
  std::uint64_t hash_ = 0;
};

}  // namespace

CheckedRecords check_records(const RecordsCheck& check, const OpenFile& results,
                             const OpenFile& recording, Objections* out) {
  return Checker(check, out).run(results, recording);
}

CaseResult judge_observations(
    const PreparedCase& prepared,
    const std::vector<RecordedObservation>& observations,
    const Adjudicator& adjudicator) {
  std::vector<CaseResult> results;
  for (const RecordedObservation& o : observations) {
    results.push_back(adjudicator.result(prepared, o.observation));
  }
  const CaseResult* good = nullptr;
  const CaseResult* bad = nullptr;
  for (const CaseResult& r : results) (conforms(r) ? good : bad) = &r;
  if (good != nullptr && bad != nullptr) {
    return flaky_result(*good, *bad, "in one of several runs");
  }
  return results.front();
}

std::string judged_text(const CaseResult& result) {
  CaseResult r = result;
  r.seconds = 0;
  r.verdict = Verdict::undetermined;
  forget_known(&r);
  ordered_json j = to_json(r);
  // Which of several observations the words are of is the run's choice.
  if (r.status == CellStatus::flaky) {
    j = {{"case", r.case_path}, {"status", status_name(r.status)}};
  }
  return json_line(j);
}

}  // namespace assay::harness
