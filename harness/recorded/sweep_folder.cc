#include "harness/recorded/sweep_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "harness/judge/show.h"
#include "harness/records/json_lines.h"
#include "harness/sweep/records.h"
#include "harness/sweep/report.h"
#include "harness/sweep/request.h"
#include "reference/sweep/function_specs.h"
#include "reference/sweep/sweep.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using reference::Sweep;

constexpr const char* kFormat = "assay_sweep";

// Headers have a few kilobytes; what is no record may be of any length.
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;

bool is_sweep(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line(kLongestHeader, '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  line.resize(std::min(line.find('\n'), line.size()));
  const auto header = ordered_json::parse(line, nullptr, false);
  return header.is_object() && header.contains(kFormat);
}

// "exp/f32" as those specs have it that it was made with: an operation, or a
// bare function (`assay exhaustive function.exp`).
std::optional<Sweep> find_sweep(const PageSweep& s, const std::string& hash,
                                const language::SpecSet& specs) {
  const std::size_t slash = s.name.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto dtype = parse_dtype(s.name.substr(slash + 1));
  if (!dtype) return std::nullopt;
  const language::SpecSet& bare = reference::function_specs();
  const bool is_bare = hash == fmt::format("{:016x}", bare.hash);
  const language::SpecSet& set = is_bare ? bare : specs;
  const auto request = parse_sweep(set, s.name.substr(0, slash), *dtype);
  if (!request) return std::nullopt;
  Result<Sweep> found = Sweep::open(set, *request);
  if (!found) return std::nullopt;
  return std::move(*found);
}

void describe(const Sweep& sweep, const reference::Tally& all, PageSweep* out) {
  out->clause = sweep.accuracy_clause();
  out->dtype = dtype_name(sweep.dtype());
  out->operands = sweep.operands();
  out->inputs = sweep.inputs();
  if (!all.error_at) return;
  out->worst_at = show_input(sweep, all.error_at->input);
  out->worst_got = show_bits(sweep.result(), all.error_at->got);
  out->worst_right = show_bits(sweep.result(), all.error_at->right);
}

Result<PageSweep> read_sweep(const fs::path& file,
                             const language::SpecSet& specs) {
  PageSweep out;
  reference::Tally all;
  std::string hash;
  const auto take = [&](const ordered_json& record, std::size_t line) {
    if (line == 1) {
      out.name = record.value("sweep", "");
      out.column = record.value("column", "");
      hash = record.value("specs", "");
      return success();
    }
    const Result<reference::Tally> t = tally_from_json(record);
    if (!t) return Status(t.error());
    const ordered_json part = record.value("part", ordered_json());
    if (!part.is_number_unsigned()) return Status(Error{"it has no part"});
    all.add(*t);
    out.parts.push_back({part.get<std::uint64_t>(), t->inputs, t->max_error,
                         t->not_rounded, t->broken});
    return success();
  };
  const Result<std::uint64_t> read = read_json_lines(file, take);
  if (!read) return read.error();
  std::sort(out.parts.begin(), out.parts.end(),
            [](const auto& a, const auto& b) { return a.part < b.part; });
  if (const auto sweep = find_sweep(out, hash, specs)) {
    describe(*sweep, all, &out);
  } else {
    out.dtype = out.name.substr(out.name.rfind('/') + 1);
  }
  return out;
}

}  // namespace

Result<std::vector<PageSweep>> read_sweeps(const fs::path& folder,
                                           const language::SpecSet& specs) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".jsonl" && at->is_regular_file(error)) {
      files.push_back(at->path());
    }
  }
  if (error) {
    return Error{fmt::format("{}: {}", folder.string(), error.message())};
  }
  std::sort(files.begin(), files.end());
  std::vector<PageSweep> out;
  for (const fs::path& file : files) {
    if (!is_sweep(file)) continue;
    Result<PageSweep> sweep = read_sweep(file, specs);
    if (!sweep) return sweep.error();
    out.push_back(std::move(*sweep));
  }
  return out;
}

}  // namespace assay::harness
