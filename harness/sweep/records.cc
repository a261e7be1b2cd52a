#include "harness/sweep/records.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/records/json_lines.h"
#include "harness/records/result_json.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using reference::Tally;
using reference::Witness;

ordered_json witness_json(const std::optional<Witness>& w) {
  if (!w) return nullptr;
  return {w->input, w->got, w->right};
}

std::optional<Witness> witness_from(const ordered_json& j) {
  if (j.is_null()) return std::nullopt;
  return Witness{j.at(0).get<std::uint64_t>(), j.at(1).get<std::uint64_t>(),
                 j.at(2).get<std::uint64_t>()};
}

}  // namespace

ordered_json to_json(const Tally& t) {
  return {{"inputs", t.inputs},
          {"unspecified", t.unspecified},
          {"not_rounded", t.not_rounded},
          {"over", t.over},
          {"wrong_nan", t.wrong_nan},
          {"wrong_infinity", t.wrong_infinity},
          {"wrong_zero_sign", t.wrong_zero_sign},
          {"flushed", t.flushed},
          {"broken", t.broken},
          {"by_mpfr", t.by_mpfr},
          {"max_error", t.max_error},
          {"max_distance", t.max_distance},
          {"error_at", witness_json(t.error_at)},
          {"distance_at", witness_json(t.distance_at)},
          {"broken_at", witness_json(t.broken_at)}};
}

Result<Tally> tally_from_json(const ordered_json& j) {
  Tally t;
  try {
    j.at("inputs").get_to(t.inputs);
    j.at("unspecified").get_to(t.unspecified);
    j.at("not_rounded").get_to(t.not_rounded);
    j.at("over").get_to(t.over);
    j.at("wrong_nan").get_to(t.wrong_nan);
    j.at("wrong_infinity").get_to(t.wrong_infinity);
    j.at("wrong_zero_sign").get_to(t.wrong_zero_sign);
    j.at("flushed").get_to(t.flushed);
    j.at("broken").get_to(t.broken);
    j.at("by_mpfr").get_to(t.by_mpfr);
    j.at("max_error").get_to(t.max_error);
    j.at("max_distance").get_to(t.max_distance);
    t.error_at = witness_from(j.at("error_at"));
    t.distance_at = witness_from(j.at("distance_at"));
    t.broken_at = witness_from(j.at("broken_at"));
  } catch (const ordered_json::exception& e) {
    return Error{e.what()};
  }
  return t;
}

Status SweepRecords::take(const ordered_json& header,
                          const ordered_json& record, std::size_t line) {
  if (line > 1) {
    if (!record.contains("part") || !record["part"].is_number_unsigned()) {
      return Error{"a record without a part"};
    }
    const Result<Tally> t = tally_from_json(record);
    if (!t) return t.error();
    parts_[record["part"].get<std::uint64_t>()] = *t;
    return success();
  }
  for (const auto& [name, value] : header.items()) {
    if (record.contains(name) && record[name] == value) continue;
    return Error{fmt::format(
        "this is another sweep: {} was {}, now it is {}", name,
        json_line(record.value(name, ordered_json())), json_line(value))};
  }
  return success();
}

Result<SweepRecords> SweepRecords::open(const fs::path& dir,
                                        const std::string& name,
                                        const ordered_json& header,
                                        bool fresh) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) return Error{fmt::format("{}: {}", dir.string(), error.message())};
  SweepRecords r;
  r.file_ = dir / (name + ".jsonl");
  const int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  r.out_ = Descriptor(::open(r.file_.c_str(), flags, 0666));
  if (!r.out_.valid())
    return Error{fmt::format("{}: {}", r.file_.string(), errno_text())};
  if (::flock(r.out_.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{
        fmt::format("{}: another process writes to it", r.file_.string())};
  }
  std::uint64_t valid = 0;
  if (!fresh) {
    const auto take = [&](const ordered_json& record, std::size_t line) {
      return r.take(header, record, line);
    };
    const Result<std::uint64_t> there = read_json_lines(r.file_, take);
    if (!there) {
      return Error{
          fmt::format("{}; start anew with --fresh", there.error().message)};
    }
    valid = *there;
  }
  if (::ftruncate(r.out_.get(), static_cast<off_t>(valid)) != 0) {
    return Error{fmt::format("{}: {}", r.file_.string(), errno_text())};
  }
  if (valid == 0) {
    const Status written =
        write_all(r.out_.get(), json_line(header) + "\n", r.file_);
    if (!written) return written.error();
  }
  return r;
}

Status SweepRecords::append(std::uint64_t part, const Tally& tally) {
  ordered_json record = {{"part", part}};
  record.update(to_json(tally));
  const Status written = write_all(out_.get(), json_line(record) + "\n", file_);
  if (written) parts_[part] = tally;
  return written;
}

}  // namespace assay::harness
