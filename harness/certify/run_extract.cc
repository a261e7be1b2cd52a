#include "harness/certify/run_extract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/certify/archive.h"
#include "harness/certify/guarded_json.h"
#include "harness/certify/submission.h"
#include "harness/records/known.h"
#include "harness/records/recording.h"
#include "harness/records/result_json.h"
#include "harness/records/results_file.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Where the line of an observation lies in a file, and whose it is.
struct Place {
  std::size_t duty = 0;
  std::uint64_t offset = 0;
  std::size_t length = 0;
};

// The column of a header that is meant.
Result<ordered_json> column_of(const ordered_json& header,
                               const std::string& subject,
                               const fs::path& file) {
  std::vector<std::string> known;
  std::optional<ordered_json> found;
  for (const auto& c : header.value("columns", ordered_json::array())) {
    known.push_back(c.value("subject", ""));
    if (subject.empty() || known.back() == subject) found = c;
  }
  if (found && (known.size() == 1 || !subject.empty())) return *found;
  return Error{fmt::format("{}: name one of its subjects with --subject: {}",
                           file.string(), fmt::join(known, ", "))};
}

class Extractor {
 public:
  Extractor(const std::vector<Duty>& duties, const fs::path& to) : to_(to) {
    for (std::size_t i = 0; i < duties.size(); ++i) {
      at_.emplace(duties[i].source->path, i);
    }
  }

  Result<RunExtract> run(const fs::path& run, const std::string& subject,
                         const std::string& level) {
    const fs::path file = run / "results.jsonl";
    Result<ResultsFile> results = read_results(file);
    if (!results) return results.error();
    const Result<ordered_json> column =
        column_of(results->header, subject, file);
    if (!column) return column.error();
    out_.column = column->at("column").get<std::string>();
    keep(std::move(results->results));
    out_.header = results->header;
    for (const char* name : {"assay_results", "assay_recording", "seal"}) {
      out_.header.erase(name);
    }
    out_.header["columns"] = ordered_json::array({*column});
    out_.header["filters"] = ordered_json::array();
    out_.header["cases"] = out_.results.size();
    out_.header["level"] = level;
    Status done = write_records();
    if (done) done = collect(run, results->header.value("started", ""));
    if (done) done = write_recording();
    if (!done) return done.error();
    return std::move(out_);
  }

 private:
  void keep(std::vector<CaseResult> results) {
    std::map<std::size_t, CaseResult> kept;
    for (CaseResult& r : results) {
      const auto duty = at_.find(r.case_path);
      if (duty == at_.end() || r.column != out_.column) continue;
      // Those of the column alone, before people said what is known.
      r.verdict = Verdict::undetermined;
      forget_known(&r);
      kept.emplace(duty->second, std::move(r));
    }
    for (auto& [duty, r] : kept) out_.results.push_back(std::move(r));
  }

  Status write_records() {
    Result<Records> records = Records::open(to_, out_.header, nullptr);
    if (!records) return records.error();
    out_.records = records->file();
    return records->finish(out_.results);
  }

  // The observations that count, a line each, in a file of ours.
  Status collect(const fs::path& run, const std::string& started) {
    Result<Descriptor> file = temporary_file();
    if (!file) return file.error();
    lines_ = std::move(file.value());
    bool ours = false;
    RecordingReader reader;
    reader.on_header = [&](const ordered_json& header) {
      ours = header.value("started", "") == started;
      return success();
    };
    reader.on_observation = [&](RecordedObservation o) -> Status {
      const auto duty = at_.find(o.case_path);
      if (!ours || duty == at_.end() || o.column != out_.column) {
        return success();
      }
      const std::string line = json_line(to_json(o)) + "\n";
      places_.push_back({duty->second, end_, line.size()});
      end_ += line.size();
      return write_all(lines_.get(), line, "temporary file");
    };
    const Status read = harness::read_recording(run, reader);
    if (!read) return read;
    if (places_.empty()) {
      return Error{fmt::format(
          "{} holds no recording of the run that its results are of: run with "
          "--record {}",
          run.string(), (run / "recording.jsonl").string())};
    }
    return success();
  }

  Status write_recording() {
    std::stable_sort(
        places_.begin(), places_.end(),
        [](const Place& a, const Place& b) { return a.duty < b.duty; });
    out_.recording = to_ / "recording.jsonl";
    Result<RecordingWriter> writer =
        RecordingWriter::create(out_.recording, out_.header);
    if (!writer) return writer.error();
    for (const Place& p : places_) {
      std::string line(p.length, '\0');
      if (::pread(lines_.get(), line.data(), line.size(),
                  static_cast<off_t>(p.offset)) !=
          static_cast<ssize_t>(line.size())) {
        return Error{fmt::format("temporary file: {}", errno_text())};
      }
      Result<RecordedObservation> o =
          observation_from_json(ordered_json::parse(line));
      if (!o) return o.error();
      const Status written = writer->append(*o);
      if (!written) return written;
    }
    return success();
  }

  fs::path to_;
  std::map<std::string, std::size_t> at_;
  RunExtract out_;
  Descriptor lines_;
  std::uint64_t end_ = 0;
  std::vector<Place> places_;
};

}  // namespace

Result<RunExtract> extract_run(const fs::path& run, const std::string& subject,
                               const std::vector<Duty>& duties,
                               const std::string& level, const fs::path& to) {
  return Extractor(duties, to).run(run, subject, level);
}

Result<std::string> subject_of_run(const fs::path& run,
                                   const std::string& wanted) {
  const fs::path file = run / "results.jsonl";
  Result<ResultsFile> results = read_results(file);
  if (!results) return results.error();
  const Result<ordered_json> column = column_of(results->header, wanted, file);
  if (!column) return column.error();
  return column->at("subject").get<std::string>();
}

}  // namespace assay::harness
